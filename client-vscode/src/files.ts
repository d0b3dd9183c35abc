/** Which file a person looks at, also where the editor gives extensions no document of it. */

import * as path from 'node:path';
import * as vscode from 'vscode';

import { placeOfWindow, WINDOW_SCHEME } from './window/place';

/** The file behind a tab: its own, the right side of a comparison, or the one that a range window shows. */
export function fileOfTab(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  if (
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook
  ) {
    return fileOf(input.uri);
  }
  return input instanceof vscode.TabInputTextDiff ? fileOf(input.modified) : undefined;
}

/** The file that a URI stands for; undefined where it is none that the server can read. */
export function fileOf(uri: vscode.Uri): vscode.Uri | undefined {
  if (uri.scheme === WINDOW_SCHEME) {
    const place = placeOfWindow(uri.query);
    return place && vscode.Uri.parse(place.file);
  }
  return uri.scheme === 'file' || uri.scheme === 'untitled' ? uri : undefined;
}

/** The file of the active tab. */
export function activeFile(): vscode.Uri | undefined {
  return fileOfTab(vscode.window.tabGroups.activeTabGroup.activeTab);
}

/** Whether a file is in the front of any group of editors. */
export function isInFront(uri: vscode.Uri): boolean {
  return vscode.window.tabGroups.all.some((group) => fileOfTab(group.activeTab)?.toString() === uri.toString());
}

/** Whether a file is open in any tab. */
export function isOpen(uri: vscode.Uri): boolean {
  return vscode.window.tabGroups.all.some((group) =>
    group.tabs.some((tab) => fileOfTab(tab)?.toString() === uri.toString()),
  );
}

/** Whether any tab is a file. */
export function hasFile(): boolean {
  return vscode.window.tabGroups.all.some((group) => group.tabs.some((tab) => fileOfTab(tab) !== undefined));
}

/** The group in whose front a file is itself, not a window on it; where it is in several, the active one comes first. */
export function columnOf(uri: vscode.Uri): vscode.ViewColumn | undefined {
  const { activeTabGroup, all } = vscode.window.tabGroups;
  return [activeTabGroup, ...all].find(({ activeTab }) => {
    const input = activeTab?.input;
    return input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
  })?.viewColumn;
}

/** The editor that shows a file's document, where the editor gives extensions one. */
export function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return [...(activeTextEditor ? [activeTextEditor] : []), ...visibleTextEditors].find(
    (editor) => editor.document.uri.toString() === uri.toString(),
  );
}

export function nameOf(uri: vscode.Uri): string {
  return path.posix.basename(uri.path);
}

/** A file's path as it is written into an anchor: from the folder of the workspace, or whole. */
export function shownPath(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? vscode.workspace.asRelativePath(uri, false) : uri.path;
}

/** The size of a file; undefined where it cannot be looked at. */
export async function sizeOf(uri: vscode.Uri): Promise<number | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).size;
  } catch {
    return undefined;
  }
}

/** The file that a path in an anchor means: whole, in a folder of the workspace, or the active file by its name. */
export async function findFile(written: string): Promise<vscode.Uri | undefined> {
  const expanded = written.replace(/^file:\/\//, '');
  const active = activeFile();
  const candidates: vscode.Uri[] = [];
  if (path.isAbsolute(expanded)) {
    candidates.push(vscode.Uri.file(expanded));
  } else {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      candidates.push(vscode.Uri.joinPath(folder.uri, expanded));
    }
    if (active !== undefined) {
      candidates.push(vscode.Uri.joinPath(active, '..', expanded));
    }
  }
  for (const candidate of candidates) {
    if ((await sizeOf(candidate)) !== undefined) {
      return candidate;
    }
  }
  return active !== undefined && nameOf(active) === path.posix.basename(expanded.replace(/\\/g, '/'))
    ? active
    : undefined;
}
