/** The second view: questions that were asked, their answers, and the quotes as links into the files. */

import * as vscode from 'vscode';

import { clip } from '../format';
import { formatAnchor } from '../anchors';
import type { Quote } from '../protocol';
import type { Run, Runs } from '../summaries/runs';

export interface RunNode {
  readonly kind: 'run';
  readonly run: Run;
}

interface AnswerNode {
  readonly kind: 'answer';
  readonly run: Run;
}

export interface QuoteNode {
  readonly kind: 'quote';
  readonly run: Run;
  readonly quote: Quote;
  readonly hash: string | null;
}

type AnswerTreeNode = RunNode | AnswerNode | QuoteNode;

export const ANSWERS_VIEW = 'milepost.answersView';

export class AnswersView implements vscode.TreeDataProvider<AnswerTreeNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<AnswerTreeNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<AnswerTreeNode>;
  private readonly subscriptions: { dispose(): unknown }[];
  private nodes = new Map<string, RunNode>();

  constructor(private readonly runs: Runs) {
    this.view = vscode.window.createTreeView(ANSWERS_VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [this.view, this.changed, runs.onDidChange(() => this.changed.fire(undefined))];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Unfold the answer that has just come in. */
  async reveal(run: Run): Promise<void> {
    // The tree may not have asked for its rows again yet.
    const node = this.getChildren().find((one) => one.run.id === run.id);
    if (node !== undefined && this.view.visible) {
      await this.view.reveal(node, { select: true, focus: false, expand: true });
    }
  }

  getParent(node: AnswerTreeNode): AnswerTreeNode | undefined {
    return node.kind === 'run' ? undefined : this.nodes.get(node.run.id);
  }

  getChildren(node?: AnswerTreeNode): AnswerTreeNode[] {
    if (node === undefined) {
      const asked = this.runs.all().filter((run) => run.question !== '');
      this.nodes = new Map(asked.map((run) => [run.id, { kind: 'run', run }]));
      return [...this.nodes.values()];
    }
    if (node.kind !== 'run') {
      return [];
    }
    const { run } = node;
    const quotes = run.reply.answer?.quotes ?? [];
    return [
      { kind: 'answer', run },
      ...quotes.map((quote, index): QuoteNode => ({ kind: 'quote', run, quote, hash: run.hashes[index] ?? null })),
    ];
  }

  getTreeItem(node: AnswerTreeNode): vscode.TreeItem {
    const { run } = node;
    const name = run.path.split(/[\\/]/).at(-1) ?? run.path;
    if (node.kind === 'run') {
      const item = new vscode.TreeItem(run.question, vscode.TreeItemCollapsibleState.Collapsed);
      item.id = run.id;
      item.description = name;
      item.iconPath = new vscode.ThemeIcon(run.reply.answer?.found === true ? 'comment-discussion' : 'question');
      item.tooltip = `${run.question}\n${run.path}, ${new Date(run.when).toLocaleString()}`;
      item.contextValue = run.reply.cursor === '' ? 'answered' : 'answered-resumable';
      return item;
    }
    if (node.kind === 'answer') {
      const text = run.reply.answer?.text ?? run.reply.error?.message ?? 'No answer.';
      const item = new vscode.TreeItem(clip(text, 200));
      item.iconPath = new vscode.ThemeIcon(run.reply.answer?.found === true ? 'check' : 'circle-slash');
      item.tooltip = text;
      item.command = { command: 'milepost.showRun', title: 'Show Answer', arguments: [run.id] };
      return item;
    }
    const { quote, hash } = node;
    const item = new vscode.TreeItem(clip(quote.text, 200));
    item.description = formatAnchor(name, quote.startLine, quote.endLine);
    item.iconPath = new vscode.ThemeIcon('quote');
    item.tooltip = quote.text;
    item.contextValue = 'quote';
    item.command = {
      command: 'milepost.openPlace',
      title: 'Go To',
      arguments: [{ file: run.file, start: quote.startLine, end: quote.endLine, hash }],
    };
    return item;
  }
}
