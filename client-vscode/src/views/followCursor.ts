/** The sidebar marks the section that the cursor is in. */

import * as vscode from 'vscode';

import type { Navigator } from '../navigation';
import type { SectionNode } from '../outline/nodes';
import { contains, type OutlineModel } from '../outline/model';
import { readSettings } from '../settings';
import { WINDOW_SCHEME } from '../window/place';
import type { OutlineSession } from './session';
import type { OutlineView } from './outlineView';

/** The cursor may rush through a file: it is followed once it rests. */
const REST_MS = 250;

export class FollowCursor implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private following = 0;

  constructor(
    private readonly session: OutlineSession,
    private readonly outline: OutlineView,
    private readonly navigator: Navigator,
  ) {
    this.subscriptions = [
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        // A file that has just opened has its cursor somewhere, but nobody has put it there.
        if (kind !== undefined) {
          this.soon();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.scheme === WINDOW_SCHEME) {
          this.soon();
        }
      }),
      // The editor may take its time until the cursor is there.
      navigator.onDidGo(({ uri, line }) => this.soon({ uri: uri.toString(), line })),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private soon(gone?: { uri: string; line: number }): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(gone), REST_MS);
  }

  private async follow(gone?: { uri: string; line: number }): Promise<void> {
    const model = this.session.current;
    const { view } = this.outline;
    if (!readSettings().view.followCursor || !view.visible || this.session.isLoading) {
      return;
    }
    if (model?.reply === undefined || model.reply.state === 'provisional') {
      return;
    }
    const { line, column } =
      gone?.uri === model.uri
        ? { line: gone.line, column: 0 }
        : this.navigator.currentLine(vscode.Uri.parse(model.uri));
    const [selected] = view.selection;
    // What a person has just clicked on stays marked, although a smaller section begins on the same line.
    const isThere = selected?.kind === 'section' && selected.uri === model.uri && isAt(selected, line, column);
    if (line < 1 || isThere) {
      return;
    }
    const turn = ++this.following;
    try {
      const node = await model.locate(line, column);
      if (node !== undefined && this.isWanted(turn, model)) {
        await view.reveal(node, { select: true, focus: false });
      }
    } catch {
      // The file may have changed under the outline: the next refresh shows it.
    }
  }

  /** The person may have gone on while the place was looked for. */
  private isWanted(turn: number, model: OutlineModel): boolean {
    return turn === this.following && this.session.current === model && this.outline.view.visible;
  }
}

/** Whether a section is where the cursor is: at its first line, or in it with nothing smaller around the cursor. */
function isAt(node: SectionNode, line: number, column: number): boolean {
  if (node.section.startLine === line) {
    return true;
  }
  const isInside = contains(node.section, line, column);
  return isInside && node.children !== undefined && !node.children.some((child) => holds(child, line, column));
}

function holds(node: { kind: string; section?: SectionNode['section'] }, line: number, column: number): boolean {
  return node.section !== undefined && contains(node.section, line, column);
}
