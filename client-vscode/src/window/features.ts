/** Symbols, lenses and folding inside range windows, which the editor gives no large file. */

import * as vscode from 'vscode';

import { turnLabel, type OpenWindow, type RangeWindows } from './windows';
import { WINDOW_SCHEME } from './place';
import { isIncident, labelOf } from '../outline/presentation';
import type { SectionNode } from '../outline/nodes';

const SELECTOR: vscode.DocumentSelector = { scheme: WINDOW_SCHEME };
/** More lenses than this hide the text. */
const MAX_LENSES = 60;

export function registerWindowFeatures(windows: RangeWindows): vscode.Disposable {
  const symbols = new WindowSymbols(windows);
  const folding = new WindowFolding(windows);
  let provider = vscode.languages.registerDocumentSymbolProvider(SELECTOR, symbols, { label: 'Milepost' });
  const listening = windows.onDidListSections(() => {
    // There is no refresh for symbols: a provider that goes and comes back is asked again.
    provider.dispose();
    provider = vscode.languages.registerDocumentSymbolProvider(SELECTOR, symbols, { label: 'Milepost' });
  });
  return vscode.Disposable.from(
    listening,
    { dispose: () => void provider.dispose() },
    vscode.languages.registerCodeLensProvider(SELECTOR, new WindowLenses(windows)),
    vscode.languages.registerFoldingRangeProvider(SELECTOR, folding),
  );
}

/** The lines of a window that a section covers, from 0; clipped where it begins before or ends behind the window. */
function linesIn(window: OpenWindow, node: SectionNode): { first: number; last: number } {
  const { startLine, endLine } = window.content;
  const first = Math.max(node.section.startLine, startLine) - startLine;
  return { first, last: Math.max(first, Math.min(node.section.endLine, endLine) - startLine) };
}

class WindowSymbols implements vscode.DocumentSymbolProvider {
  constructor(private readonly windows: RangeWindows) {}

  provideDocumentSymbols(document: vscode.TextDocument): vscode.DocumentSymbol[] {
    const window = this.windows.get(document.uri);
    if (window === undefined) {
      return [];
    }
    const made = new Map<SectionNode, vscode.DocumentSymbol>();
    const roots: vscode.DocumentSymbol[] = [];
    for (const node of window.sections) {
      const { first, last } = linesIn(window, node);
      const range = new vscode.Range(document.lineAt(clamp(first, document)).range.start, endOf(last, document));
      const head = document.lineAt(clamp(first, document)).range;
      const symbol = new vscode.DocumentSymbol(
        labelOf(node.section),
        node.section.digest,
        symbolKind(node),
        range,
        head,
      );
      made.set(node, symbol);
      const parent = parentIn(node, made);
      (parent === undefined ? roots : parent.children).push(symbol);
    }
    return roots;
  }
}

function parentIn(node: SectionNode, made: Map<SectionNode, vscode.DocumentSymbol>): vscode.DocumentSymbol | undefined {
  for (let above = node.parent; above !== undefined; above = above.parent) {
    const symbol = made.get(above);
    if (symbol !== undefined) {
      return symbol;
    }
  }
  return undefined;
}

function clamp(line: number, document: vscode.TextDocument): number {
  return Math.max(0, Math.min(line, document.lineCount - 1));
}

function endOf(line: number, document: vscode.TextDocument): vscode.Position {
  return document.lineAt(clamp(line, document)).range.end;
}

class WindowFolding implements vscode.FoldingRangeProvider {
  readonly onDidChangeFoldingRanges: vscode.Event<void>;

  constructor(private readonly windows: RangeWindows) {
    this.onDidChangeFoldingRanges = windows.onDidListSections;
  }

  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    const window = this.windows.get(document.uri);
    return (window?.sections ?? [])
      .map((node) => (window ? linesIn(window, node) : { first: 0, last: 0 }))
      .filter(({ first, last }) => last > first)
      .map(({ first, last }) => new vscode.FoldingRange(first, clamp(last, document), vscode.FoldingRangeKind.Region));
  }
}

class WindowLenses implements vscode.CodeLensProvider {
  readonly onDidChangeCodeLenses: vscode.Event<void>;

  constructor(private readonly windows: RangeWindows) {
    this.onDidChangeCodeLenses = windows.onDidListSections;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const window = this.windows.get(document.uri);
    if (window === undefined) {
      return [];
    }
    const lenses = turns(document, window);
    const byLine = new Map<number, SectionNode>();
    for (const node of window.sections) {
      const { section } = node;
      const line = section.startLine - window.content.startLine;
      // One a line, the outermost that has something to say.
      if (line >= 0 && !byLine.has(line) && (section.digest !== '' || isIncident(section))) {
        byLine.set(line, node);
      }
    }
    for (const [first, node] of [...byLine].slice(0, MAX_LENSES)) {
      const { section } = node;
      const line = clamp(first, document);
      const title = section.digest === '' ? labelOf(section) : section.digest;
      lenses.push(
        new vscode.CodeLens(document.lineAt(line).range, {
          title,
          tooltip: 'Show in the Milepost outline',
          command: 'milepost.revealSection',
          arguments: [node],
        }),
      );
    }
    return lenses;
  }
}

function turns(document: vscode.TextDocument, window: OpenWindow): vscode.CodeLens[] {
  const top = document.lineAt(0).range;
  const bottom = document.lineAt(document.lineCount - 1).range;
  const previous = turnLabel(window, 'previous');
  const next = turnLabel(window, 'next');
  const lens = (range: vscode.Range, title: string, command: string, tooltip: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [document.uri] });
  const lenses: vscode.CodeLens[] = [];
  if (previous !== undefined) {
    lenses.push(lens(top, `$(arrow-up)\u00a0${previous}`, 'milepost.windowPrevious', 'Show what stands before'));
  }
  if (next !== undefined) {
    lenses.push(lens(top, `$(arrow-down)\u00a0${next}`, 'milepost.windowNext', 'Show what follows'));
  }
  lenses.push(
    lens(top, '$(go-to-file)\u00a0Open in file', 'milepost.openInFile', 'Open the file itself at this place'),
    lens(top, '$(copy)\u00a0Copy anchor', 'milepost.copyAnchor', 'Copy this range as path:START-END'),
  );
  if (next !== undefined && document.lineCount > 1) {
    lenses.push(lens(bottom, `$(arrow-down)\u00a0${next}`, 'milepost.windowNext', 'Show what follows'));
  }
  return lenses;
}

const SYMBOL_KINDS: Record<string, vscode.SymbolKind> = {
  segment: vscode.SymbolKind.Namespace,
  incident: vscode.SymbolKind.Event,
  error: vscode.SymbolKind.Event,
  group: vscode.SymbolKind.Array,
  heading: vscode.SymbolKind.String,
  table: vscode.SymbolKind.Struct,
  data: vscode.SymbolKind.Array,
  record: vscode.SymbolKind.Array,
  array: vscode.SymbolKind.Array,
  object: vscode.SymbolKind.Object,
  key: vscode.SymbolKind.Key,
  string: vscode.SymbolKind.String,
  number: vscode.SymbolKind.Number,
  boolean: vscode.SymbolKind.Boolean,
  null: vscode.SymbolKind.Null,
  element: vscode.SymbolKind.Field,
  hunk: vscode.SymbolKind.Method,
  file: vscode.SymbolKind.File,
  class: vscode.SymbolKind.Class,
  interface: vscode.SymbolKind.Interface,
  struct: vscode.SymbolKind.Struct,
  function: vscode.SymbolKind.Function,
  method: vscode.SymbolKind.Method,
  module: vscode.SymbolKind.Module,
};

function symbolKind(node: SectionNode): vscode.SymbolKind {
  return SYMBOL_KINDS[node.section.kind] ?? vscode.SymbolKind.Object;
}
