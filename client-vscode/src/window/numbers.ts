/**
 * Real line numbers in range windows. No API offsets the editor's own: they are turned off there and these are drawn.
 */

import * as vscode from 'vscode';

import { WINDOW_SCHEME, describeWindow } from './place';
import type { OpenWindow, RangeWindows } from './windows';

export class LineNumbers implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly status: vscode.StatusBarItem;
  private readonly subscriptions: vscode.Disposable[];
  /** Groups whose editor had its numbers turned off here: the editor is used again for the next file in the group. */
  private readonly turnedOff = new Set<vscode.ViewColumn>();

  constructor(private readonly windows: RangeWindows) {
    this.status = vscode.window.createStatusBarItem('milepost.window', vscode.StatusBarAlignment.Right, 101);
    this.status.name = 'Milepost Range';
    this.subscriptions = [
      windows.onDidListSections(() => this.showPlace()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.drawAll()),
      vscode.window.onDidChangeActiveTextEditor(() => this.showPlace()),
      vscode.window.onDidChangeTextEditorSelection(() => this.showPlace()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === WINDOW_SCHEME) {
          this.drawAll();
        }
      }),
    ];
    this.drawAll();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.decoration, this.status).dispose();
  }

  private drawAll(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme === WINDOW_SCHEME) {
        this.draw(editor);
      } else {
        this.restore(editor);
      }
    }
    this.showPlace();
  }

  private draw(editor: vscode.TextEditor): void {
    const window = this.windows.get(editor.document.uri);
    if (window === undefined) {
      return;
    }
    editor.options.lineNumbers = vscode.TextEditorLineNumbersStyle.Off;
    if (editor.viewColumn !== undefined) {
      this.turnedOff.add(editor.viewColumn);
    }
    const { startLine } = window.content;
    const count = editor.document.lineCount;
    const width = Math.max(3, String(startLine + count - 1).length);
    editor.setDecorations(
      this.decoration,
      Array.from({ length: count }, (_, index) => ({
        range: new vscode.Range(index, 0, index, 0),
        renderOptions: {
          before: {
            contentText: String(startLine + index).padStart(width, '\u2007'),
            color: new vscode.ThemeColor('editorLineNumber.foreground'),
            margin: '0 1.4em 0 0',
          },
        },
      })),
    );
  }

  private restore(editor: vscode.TextEditor): void {
    const column = editor.viewColumn;
    if (column === undefined || !this.turnedOff.has(column)) {
      return;
    }
    this.turnedOff.delete(column);
    const setting = vscode.workspace.getConfiguration('editor', editor.document).get<string>('lineNumbers');
    const styles: Record<string, vscode.TextEditorLineNumbersStyle> = {
      on: vscode.TextEditorLineNumbersStyle.On,
      off: vscode.TextEditorLineNumbersStyle.Off,
      relative: vscode.TextEditorLineNumbersStyle.Relative,
    };
    editor.options.lineNumbers = styles[setting ?? 'on'] ?? vscode.TextEditorLineNumbersStyle.On;
  }

  private showPlace(): void {
    const editor = vscode.window.activeTextEditor;
    const window: OpenWindow | undefined = editor && this.windows.get(editor.document.uri);
    if (editor === undefined || window === undefined) {
      this.status.hide();
      return;
    }
    const line = window.content.startLine + editor.selection.active.line;
    this.status.text = `$(list-ordered) Line ${line.toLocaleString('en-US')} · ${describeWindow(window.place, window.content)}`;
    this.status.tooltip = 'The line in the file, and the part of it that this window shows';
    this.status.show();
  }
}
