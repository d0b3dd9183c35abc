/** The sidebar's tree: the outline of the active tab. */

import * as vscode from 'vscode';

import type { ServerConnection } from '../client';
import { nameOf } from '../files';
import { count, counted } from '../format';
import { describeFilter, isActive, NO_FILTER, visibleNodes, type Filter } from '../outline/filter';
import { hasInside, isMerged, type SectionNode, type TreeNode } from '../outline/nodes';
import { descriptionOf, factsOfFile, iconOf, labelOf, spokenOf, tooltipOf } from '../outline/presentation';
import { requestErrorOf } from '../protocol';
import type { Log } from '../log';
import { nodeItem } from './items';
import type { OutlineSession } from './session';

export const OUTLINE_VIEW = 'milepost.outlineView';

export class OutlineView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  filter: Filter = NO_FILTER;
  private readonly treeChanged = new vscode.EventEmitter<TreeNode | undefined>();
  readonly onDidChangeTreeData = this.treeChanged.event;
  readonly view: vscode.TreeView<TreeNode>;
  private readonly subscriptions: { dispose(): unknown }[];
  private endProgress: (() => void) | undefined;

  constructor(
    private readonly session: OutlineSession,
    private readonly server: ServerConnection,
    private readonly log: Log,
  ) {
    this.view = vscode.window.createTreeView(OUTLINE_VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.treeChanged,
      this.view.onDidChangeVisibility(({ visible }) => session.setVisible(visible)),
      session.onDidChange(() => this.refresh()),
      session.onDidProgress(() => this.refreshHeader()),
    ];
    session.setVisible(this.view.visible);
    this.refresh();
  }

  dispose(): void {
    this.endProgress?.();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  setFilter(filter: Filter): void {
    this.filter = filter;
    void vscode.commands.executeCommand('setContext', 'milepost.isFiltered', isActive(filter));
    this.refresh();
  }

  /** Draw again what is known. */
  refresh(): void {
    this.treeChanged.fire(undefined);
    this.refreshHeader();
  }

  /** What stands above the tree, which stays as it is. */
  private refreshHeader(): void {
    const model = this.session.current;
    this.view.description = model === undefined ? '' : this.describe();
    this.view.message = this.message() ?? '';
    void vscode.commands.executeCommand('setContext', 'milepost.view', this.context());
    const isBusy = this.session.isLoading || this.session.progress !== undefined;
    this.showProgress(isBusy && this.server.currentState !== 'failed');
  }

  private describe(): string {
    const model = this.session.current;
    return model === undefined ? '' : nameOf(vscode.Uri.parse(model.uri));
  }

  /** What the welcome texts depend on: they stand where the tree is empty. */
  private context(): string {
    const state = this.server.currentState;
    if (state === 'failed') {
      return 'failed';
    }
    const model = this.session.current;
    if (model === undefined) {
      return 'nothing';
    }
    return model.phase;
  }

  /** The line above the tree: what the file is, and what is special about its outline just now. */
  private message(): string | undefined {
    const state = this.server.currentState;
    const model = this.session.current;
    if (model === undefined || state === 'failed') {
      return undefined;
    }
    if (model.phase === 'failed') {
      return model.error?.message;
    }
    const { reply } = model;
    const scanning = this.scanning();
    if (reply === undefined) {
      return state === 'starting' ? 'Starting the server…' : (scanning ?? 'Scanning…');
    }
    if (reply.totalBytes === 0) {
      return 'The file is empty.';
    }
    const parts = [factsOfFile(reply)];
    if (reply.format === 'binary') {
      parts.push('a binary file has no outline');
    }
    if (reply.state === 'provisional') {
      parts.push(`Provisional: ${lowered(scanning ?? 'Scanning…')}`);
    } else if (reply.state === 'growing') {
      parts.push('growing');
    }
    if (reply.degraded !== '') {
      parts.push(`degraded: ${reply.degraded}`);
    }
    if (isActive(this.filter)) {
      parts.push(`only ${describeFilter(this.filter)}`);
    }
    return parts.join(' · ');
  }

  private scanning(): string | undefined {
    const { progress } = this.session;
    if (progress === undefined) {
      return this.session.isLoading ? 'Scanning…' : undefined;
    }
    const { message, percentage } = progress;
    return `Scanning…${percentage === undefined ? '' : ` ${percentage} %`}${message === '' ? '' : ` (${message})`}`;
  }

  private showProgress(isBusy: boolean): void {
    if (isBusy && this.endProgress === undefined) {
      void vscode.window.withProgress(
        { location: { viewId: OUTLINE_VIEW } },
        () => new Promise<void>((resolve) => (this.endProgress = resolve)),
      );
    } else if (!isBusy) {
      this.endProgress?.();
      this.endProgress = undefined;
    }
  }

  // The tree

  getParent(node: TreeNode): TreeNode | undefined {
    return node.parent;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    const model = this.session.current;
    if (model === undefined || this.server.currentState === 'failed') {
      return [];
    }
    if (node === undefined) {
      return [...this.notices(), ...visibleNodes(model.roots, this.filter)];
    }
    if (node.kind === 'problems') {
      return node.children;
    }
    if (node.kind !== 'section') {
      return [];
    }
    try {
      return visibleNodes(await model.children(node), this.filter);
    } catch (error) {
      return this.notListed(node, error);
    }
  }

  private notices(): TreeNode[] {
    const model = this.session.current;
    if (model?.isStale !== true) {
      return [];
    }
    return [
      {
        kind: 'notice',
        uri: model.uri,
        parent: undefined,
        text: 'File changed: refresh',
        icon: 'warning',
        command: { id: 'milepost.refresh', title: 'Refresh Outline' },
      },
    ];
  }

  /** The inside of a section could not be listed: mostly because the file is another one by now. */
  private notListed(node: SectionNode, error: unknown): TreeNode[] {
    const { kind, message } = requestErrorOf(error);
    this.log.warn(`${labelOf(node.section)}: ${message}`);
    const model = this.session.current;
    if (model !== undefined && (kind === 'file_changed' || kind === 'not_found' || kind === 'cursor_invalid')) {
      model.isStale = true;
      setTimeout(() => this.refresh(), 0);
    } else if (kind !== 'cancelled') {
      vscode.window.setStatusBarMessage(`Milepost: ${message}`, 5_000);
    }
    return [];
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    switch (node.kind) {
      case 'section':
        return this.sectionItem(node);
      case 'more': {
        const item = new vscode.TreeItem(node.count === undefined ? 'Show more…' : `${count(node.count)} more…`);
        item.iconPath = new vscode.ThemeIcon('ellipsis');
        item.command = { command: 'milepost.listMore', title: 'Show More', arguments: [node] };
        return item;
      }
      case 'problems': {
        const label = counted(node.children.length, 'problem');
        const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
        item.id = `${node.uri}\nproblems`;
        item.description = node.children[0]?.problem.message ?? '';
        item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
        return item;
      }
      case 'problem': {
        const { problem } = node;
        const item = new vscode.TreeItem(problem.message);
        item.description = `line ${count(problem.line)}`;
        item.tooltip = `${problem.message}\nline ${count(problem.line)}, byte ${count(problem.byte)}`;
        item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
        item.command = { command: 'milepost.goToNode', title: 'Go To', arguments: [node] };
        return item;
      }
      case 'notice':
        return nodeItem(node);
    }
  }

  private sectionItem(node: SectionNode): vscode.TreeItem {
    const { section } = node;
    const state = hasInside(node) ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(labelOf(section), state);
    item.id = idOf(node);
    item.description = descriptionOf(section);
    const icon = iconOf(section);
    item.iconPath = new vscode.ThemeIcon(
      icon.id,
      icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color),
    );
    item.contextValue = isMerged(section) ? 'merged' : section.kind === 'binary' ? 'binary' : 'section';
    item.accessibilityInformation = { label: spokenOf(section) };
    if (section.kind !== 'binary') {
      item.command = { command: 'milepost.goToNode', title: 'Go To', arguments: [node] };
    }
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    if (node.kind === 'section') {
      const tooltip = new vscode.MarkdownString(tooltipOf(node.section));
      tooltip.isTrusted = false;
      tooltip.supportHtml = false;
      item.tooltip = tooltip;
    }
    return item;
  }
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Unique in the tree, and the same after a refresh, so that what was unfolded stays so. */
function idOf(node: SectionNode): string {
  return `${node.parent === undefined ? node.uri : idOf(node.parent)}\n${node.section.id}`;
}
