/** Range windows: read-only documents (`milepost:`) that hold a part of a file, with its own line numbers drawn. */

import * as vscode from 'vscode';

import { nameOf } from '../files';
import { counted } from '../format';
import { OutlineModel } from '../outline/model';
import type { SectionNode } from '../outline/nodes';
import { requestErrorOf, type ReadReply, type Requester } from '../protocol';
import { readSettings } from '../settings';
import {
  BYTES_OF_WINDOW,
  neighbour,
  placeOfWindow,
  windowUri,
  WINDOW_SCHEME,
  type WindowContent,
  type WindowPlace,
} from './place';

/** A window's text may be so long; what goes on is read by the next one. */
const MAX_BYTES = 2_000_000;
const FORGET_AFTER_MS = 1_000;
/** How many requests may be spent on the sections inside a window. */
const SECTION_REQUESTS = 8;

/** A window that was read. `sections` are those that overlap it, parents before children. */
export interface OpenWindow {
  readonly place: WindowPlace;
  content: WindowContent;
  sections: readonly SectionNode[];
}

export class RangeWindows implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly windows = new Map<string, OpenWindow>();
  /** Texts that were read and not yet given to the editor. */
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly listed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  readonly onDidChange = this.changed.event;
  /** The sections of some window have come in. */
  readonly onDidListSections = this.listed.event;

  constructor(
    private readonly server: Requester,
    private readonly modelOf: (file: string) => OutlineModel | undefined,
  ) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(WINDOW_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forgetSoon(uri.toString())),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed, this.listed).dispose();
  }

  /** A document that gets another language closes and opens again at once. */
  private forgetSoon(key: string): void {
    setTimeout(() => {
      if (!vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === key)) {
        this.windows.delete(key);
      }
    }, FORGET_AFTER_MS);
  }

  get(uri: vscode.Uri): OpenWindow | undefined {
    return this.windows.get(uri.toString());
  }

  /** The text of a window that was opened here; or, where the editor opens it again by itself, read anew. */
  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const key = uri.toString();
    const ready = this.texts.get(key);
    this.texts.delete(key);
    if (ready !== undefined) {
      return ready;
    }
    const place = placeOfWindow(uri.query);
    if (place === undefined) {
      throw new Error('This is no range of a file.');
    }
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return this.read(uri, place, abort.signal);
  }

  private async read(uri: vscode.Uri, place: WindowPlace, signal?: AbortSignal): Promise<string> {
    const range = place.lines
      ? { startLine: place.lines.start, endLine: place.lines.end }
      : { startByte: place.bytes?.offset ?? 0, length: place.bytes?.length ?? BYTES_OF_WINDOW };
    const reply = await this.server.request(
      'milepost/read',
      { uri: place.file, maxBytes: MAX_BYTES, ...range },
      signal ? { signal } : {},
    );
    const window: OpenWindow = { place, content: contentOf(reply, place), sections: [] };
    this.windows.set(uri.toString(), window);
    void this.listSections(uri, window);
    return withoutLastLineEnd(reply.content);
  }

  /** The sections come behind the text: the text does not wait for them. */
  private async listSections(uri: vscode.Uri, window: OpenWindow): Promise<void> {
    const { file } = window.place;
    let model = this.modelOf(file);
    try {
      if (model?.reply === undefined) {
        model = new OutlineModel(file, this.server);
        await model.load();
      }
      const { startLine, endLine } = window.content;
      window.sections = await model.overlapping(startLine, endLine, SECTION_REQUESTS);
      window.content = withTotal(window.content, model.reply?.totalLines ?? null);
    } catch {
      return; // the window is of use without
    }
    if (this.get(uri) === window) {
      this.listed.fire();
    }
  }

  /** Open a window on some lines or bytes of a file, with the cursor on a line of the file. Throws a RequestError. */
  async open(place: WindowPlace, options: { line?: number; preserveFocus?: boolean } = {}): Promise<vscode.TextEditor> {
    const file = vscode.Uri.parse(place.file);
    const uri = vscode.Uri.from(windowUri(place, nameOf(file)));
    if (this.get(uri) === undefined) {
      this.texts.set(uri.toString(), await this.read(uri, place));
    }
    const document = await withLanguageOf(file, await vscode.workspace.openTextDocument(uri));
    const shown = this.get(uri);
    const line = Math.max(0, (options.line ?? 0) - (shown?.content.startLine ?? 1));
    const position = new vscode.Position(Math.min(line, Math.max(0, document.lineCount - 1)), 0);
    return vscode.window.showTextDocument(document, {
      preview: true,
      preserveFocus: options.preserveFocus ?? false,
      selection: new vscode.Range(position, position),
    });
  }

  /** Open a window around some lines: all of them if they are few, else from the first on. */
  async openLines(
    file: vscode.Uri,
    start: number,
    end: number,
    options: { preserveFocus?: boolean } = {},
  ): Promise<void> {
    const { lines } = readSettings().rangeWindow;
    await this.open(
      { file: file.toString(), lines: { start, end: Math.min(end, start + lines - 1) } },
      { line: start, ...options },
    );
  }

  /** Open a window on a place inside a file too large for its editor, with what surrounds it. */
  async openAround(file: vscode.Uri, line: number, options: { preserveFocus?: boolean } = {}): Promise<void> {
    const { lines } = readSettings().rangeWindow;
    // Whole pages of the file, so that a second jump nearby finds the same window.
    const start = Math.floor((line - 1) / lines) * lines + 1;
    await this.open({ file: file.toString(), lines: { start, end: start + lines - 1 } }, { line, ...options });
  }

  /** Go on to the part of the file before or behind a window. */
  async turn(uri: vscode.Uri, direction: 'next' | 'previous'): Promise<void> {
    const window = this.get(uri);
    if (window === undefined) {
      return;
    }
    const place = neighbour(window.place, window.content, direction, readSettings().rangeWindow.lines);
    const line = direction === 'previous' ? place?.lines?.end : undefined;
    try {
      if (place !== undefined) {
        await this.open(place, line === undefined ? {} : { line });
        return;
      }
    } catch (error) {
      // Where the number of lines was not known, the end shows when it is passed.
      if (requestErrorOf(error).kind !== 'out_of_range') {
        throw error;
      }
    }
    const end = direction === 'next' ? 'end' : 'beginning';
    vscode.window.setStatusBarMessage(`This is the ${end} of the file.`, 4_000);
  }
}

/** Languages whose checkers complain of a part of a document, and those that look the same and have none. */
const UNCHECKED: Record<string, string> = { json: 'jsonl', jsonc: 'jsonl' };

/** A file that is open may have a language that its name does not tell. */
async function withLanguageOf(file: vscode.Uri, document: vscode.TextDocument): Promise<vscode.TextDocument> {
  const original = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  const language = original?.languageId ?? document.languageId;
  const wanted = UNCHECKED[language] ?? language;
  return wanted === document.languageId ? document : vscode.languages.setTextDocumentLanguage(document, wanted);
}

/** A range of bytes may be cut by less than a character, so that none is split. */
const CHARACTER = 4;

function contentOf(reply: ReadReply, place: WindowPlace): WindowContent {
  const hasColumns = reply.startColumn !== undefined || reply.endColumn !== undefined;
  // A read of bytes does not say whether it ends with a line; one of lines that was cut goes on in the line it ends in.
  const isInsideLine = place.bytes !== undefined || hasColumns || reply.next?.line === reply.endLine;
  const total = reply.totalLines;
  // A read of lines that was neither cut nor filled came to the end of the file.
  const isShort = place.lines !== undefined && !reply.truncated && reply.endLine < place.lines.end;
  const isShortOfBytes =
    place.bytes !== undefined && !reply.truncated && reply.endByte - reply.startByte <= place.bytes.length - CHARACTER;
  const isAtEnd = isShort || isShortOfBytes || (total !== null && reply.endLine >= total && !isInsideLine);
  const { startLine, endLine, startByte, endByte } = reply;
  return { startLine, endLine, startByte, endByte, totalLines: total, isInsideLine, isAtEnd };
}

/** A small read does not count the lines of the whole file; the outline has. */
function withTotal(content: WindowContent, totalLines: number | null): WindowContent {
  if (content.totalLines !== null || totalLines === null) {
    return content;
  }
  const isAtEnd = content.isAtEnd || (content.endLine >= totalLines && !content.isInsideLine);
  return { ...content, totalLines, isAtEnd };
}

/** The line end behind the last line would show as one more line. */
function withoutLastLineEnd(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, '');
}

/** What a person is told the buttons do. */
export function turnLabel(window: OpenWindow, direction: 'next' | 'previous'): string | undefined {
  const place = neighbour(window.place, window.content, direction, readSettings().rangeWindow.lines);
  if (place === undefined) {
    return undefined;
  }
  const word = direction === 'next' ? 'Next' : 'Previous';
  return place.lines ? `${word} ${counted(place.lines.end - place.lines.start + 1, 'line')}` : `${word} part`;
}
