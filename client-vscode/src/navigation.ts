/** Going to a place in a file: into its editor, or into a range window where the editor cannot take it. */

import * as vscode from 'vscode';

import { activeFile, columnOf, editorOf, sizeOf } from './files';
import { isInsideLine } from './outline/presentation';
import type { Section } from './protocol';
import { confirmationBytes, readSettings } from './settings';
import { destination } from './window/destination';
import { BYTES_OF_WINDOW } from './window/place';
import type { RangeWindows } from './window/windows';

/** Lines, 1-based and inclusive; columns in UTF-16 units from 0 where the place begins or ends inside a line. */
export interface Target {
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn?: number | undefined;
  readonly endColumn?: number | undefined;
  /** The bytes, where the place lies inside a line. */
  readonly bytes?: { readonly offset: number; readonly length: number } | undefined;
}

export interface GoOptions {
  readonly preserveFocus?: boolean;
}

const FLASH_MS = 1_500;

export class Navigator implements vscode.Disposable {
  private readonly flash = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
  });
  /** The line last gone to in each file: where "next incident" starts in a file without a cursor. */
  private readonly lastLines = new Map<string, number>();
  private readonly went = new vscode.EventEmitter<{ uri: vscode.Uri; line: number }>();
  readonly onDidGo = this.went.event;

  constructor(readonly windows: RangeWindows) {}

  dispose(): void {
    this.flash.dispose();
    this.went.dispose();
  }

  /** Go to a place. Throws a RequestError where a window was needed and could not be read. */
  async goTo(uri: vscode.Uri, target: Target, options: GoOptions = {}): Promise<void> {
    this.lastLines.set(uri.toString(), target.startLine);
    this.went.fire({ uri, line: target.startLine });
    const where = destination({
      size: await sizeOf(uri),
      hasEditor: editorOf(uri) !== undefined,
      confirmationBytes: confirmationBytes(),
      windowAboveBytes: readSettings().rangeWindow.aboveBytes,
    });
    if (where === 'editor') {
      await this.openInEditor(uri, target, options);
    } else if (target.bytes !== undefined) {
      await this.windows.open({ file: uri.toString(), bytes: limited(target.bytes) });
    } else {
      await this.windows.openAround(uri, target.startLine, options);
      this.highlight(vscode.window.activeTextEditor, target);
    }
  }

  /** Open the file itself at a place, whatever its size. */
  async openInEditor(uri: vscode.Uri, target: Target, options: GoOptions = {}): Promise<void> {
    const position = new vscode.Position(target.startLine - 1, target.startColumn ?? 0);
    const column = columnOf(uri);
    const show: vscode.TextDocumentShowOptions = {
      selection: new vscode.Range(position, position),
      preserveFocus: options.preserveFocus ?? false,
      ...(column === undefined ? {} : { viewColumn: column }),
    };
    // Not `showTextDocument`: above 50 MB there is no document for an extension, and the editor shows it all the same.
    await vscode.commands.executeCommand('vscode.open', uri, show);
    this.highlight(editorOf(uri), target);
  }

  private highlight(editor: vscode.TextEditor | undefined, target: Target): void {
    if (editor === undefined || target.endLine === target.startLine) {
      return;
    }
    const first = this.windows.get(editor.document.uri)?.content.startLine ?? 1;
    const start = Math.max(0, target.startLine - first);
    const range = new vscode.Range(start, 0, Math.max(start, target.endLine - first), 0);
    editor.setDecorations(this.flash, [range]);
    setTimeout(() => editor.setDecorations(this.flash, []), FLASH_MS);
  }

  /** The line of a file that a person is at: the cursor's, also in a window on it; else the last one gone to. */
  currentLine(uri: vscode.Uri): { line: number; column: number } {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) {
      const { active } = editor.selection;
      const window = this.windows.get(editor.document.uri);
      if (editor.document.uri.toString() === uri.toString()) {
        return { line: active.line + 1, column: active.character };
      }
      if (window?.place.file === uri.toString()) {
        return { line: window.content.startLine + active.line, column: active.character };
      }
    }
    return { line: this.lastLines.get(uri.toString()) ?? 0, column: 0 };
  }

  /** The lines that a person has selected, in the active file; without a selection, those of the window, if it is one. */
  selectedLines(): { uri: vscode.Uri; start: number; end: number } | undefined {
    const editor = vscode.window.activeTextEditor;
    const uri = activeFile();
    if (editor === undefined || uri === undefined) {
      return undefined;
    }
    const { selection } = editor;
    const window = this.windows.get(editor.document.uri);
    if (selection.isEmpty && window !== undefined) {
      return { uri, start: window.content.startLine, end: window.content.endLine };
    }
    const first = window?.content.startLine ?? 1;
    // A selection of whole lines ends in front of the line behind them.
    const last = selection.end.character === 0 && !selection.isSingleLine ? selection.end.line - 1 : selection.end.line;
    return { uri, start: first + selection.start.line, end: first + last };
  }
}

export function targetOf(section: Section): Target {
  const { startLine, endLine, startColumn, endColumn } = section;
  const bytes = isInsideLine(section)
    ? { offset: section.startByte, length: section.endByte - section.startByte }
    : undefined;
  return { startLine, endLine, startColumn, endColumn, bytes };
}

/** As much of a long place as is shown at once. */
export function limited(bytes: { offset: number; length: number }): { offset: number; length: number } {
  return { offset: bytes.offset, length: Math.min(Math.max(1, bytes.length), BYTES_OF_WINDOW) };
}
