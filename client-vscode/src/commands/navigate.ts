/** Going to sections, anchors, incidents and ranges. */

import * as vscode from 'vscode';

import { parsePlace, type Place } from '../anchors';
import { activeFile, findFile, nameOf, shownPath } from '../files';
import { counted } from '../format';
import { limited, targetOf } from '../navigation';
import type { Direction } from '../outline/model';
import { requestErrorOf } from '../protocol';
import { readSettings } from '../settings';
import { BYTES_OF_WINDOW } from '../window/place';
import { asNode, asSection } from './nodes';
import { inStatusBar, register, wantedFile, type Parts } from './parts';
import { pickSection } from './pickSection';

export function registerNavigation(parts: Parts): void {
  const { navigator, windows, session, outline } = parts;
  register(parts, {
    'milepost.goToNode': (value) => goToNode(parts, value),
    'milepost.goToSection': () => pickSection(parts),
    'milepost.goToAnchor': (value) => goToAnchor(parts, value),
    'milepost.nextIncident': () => goToIncident(parts, 'next'),
    'milepost.previousIncident': () => goToIncident(parts, 'previous'),
    'milepost.readRange': (value) => readRange(parts, value),
    'milepost.openRange': (value) => openRange(parts, value),
    'milepost.openLens': (value) => openLens(parts, value),
    'milepost.windowNext': (value) => turn(parts, value, 'next'),
    'milepost.windowPrevious': (value) => turn(parts, value, 'previous'),
    'milepost.openInFile': async (value) => {
      const uri = windowOf(value);
      const window = uri && windows.get(uri);
      if (window === undefined) {
        return;
      }
      const file = vscode.Uri.parse(window.place.file);
      const { line } = navigator.currentLine(file);
      const start = Math.max(line, window.content.startLine);
      await navigator.openInEditor(file, { startLine: start, endLine: start });
    },
    'milepost.revealSection': async (value) => {
      const node = asSection(value);
      const model = session.current;
      if (node === undefined || model?.uri !== node.uri) {
        return;
      }
      const found = await model.locate(node.section.startLine);
      await outline.view.reveal(found ?? node, { select: true, focus: true, expand: false });
    },
  });
}

async function goToNode(parts: Parts, value: unknown): Promise<void> {
  const node = asNode(value);
  if (node?.kind === 'section') {
    await parts.navigator.goTo(vscode.Uri.parse(node.uri), targetOf(node.section));
  } else if (node?.kind === 'problem') {
    const { line } = node.problem;
    await parts.navigator.goTo(vscode.Uri.parse(node.uri), { startLine: line, endLine: line });
  }
}

/** A pasted anchor. Also called with a text, by links. */
async function goToAnchor(parts: Parts, value: unknown): Promise<void> {
  const text = typeof value === 'string' ? value : await askForAnchor();
  if (text === undefined) {
    return;
  }
  const place = parsePlace(text);
  if (place === undefined) {
    throw new Error(`“${text}” is no anchor: write path:START-END, path:LINE, or START-END for the active file.`);
  }
  await goToPlace(parts, place);
}

async function askForAnchor(): Promise<string | undefined> {
  const clipboard = await vscode.env.clipboard.readText();
  const isAnchor = clipboard.length < 1_000 && parsePlace(clipboard) !== undefined;
  return vscode.window.showInputBox({
    title: 'Go to Anchor',
    prompt: 'path:START-END, path:LINE, or a range of the active file',
    placeHolder: 'logs/app.log:206-213',
    ...(isAnchor ? { value: clipboard.trim() } : {}),
    validateInput: (text) =>
      text.trim() === '' || parsePlace(text) !== undefined
        ? undefined
        : 'Write path:START-END, path:LINE or START-END.',
  });
}

/** Go to a place that a person wrote. Throws where its file is not found. */
export async function goToPlace(parts: Parts, place: Place): Promise<void> {
  const uri = place.path === undefined ? wantedFile() : await findFile(place.path);
  if (uri === undefined) {
    if (place.path !== undefined) {
      throw new Error(`There is no file ${place.path} in this workspace.`);
    }
    return;
  }
  if (place.kind === 'bytes') {
    const range = { offset: place.offset, length: place.length ?? BYTES_OF_WINDOW };
    await parts.windows.open({ file: uri.toString(), bytes: limited(range) });
    return;
  }
  const found = await foundAgain(parts, uri, place.start, place.end);
  await parts.navigator.goTo(uri, { startLine: found.start, endLine: found.end });
}

/** Where an anchor that was copied here is now: the file may have changed since. */
async function foundAgain(
  parts: Parts,
  uri: vscode.Uri,
  start: number,
  end: number,
): Promise<{ start: number; end: number }> {
  const known = parts.anchors.find(uri.toString(), start, end);
  if (known === undefined) {
    return { start, end };
  }
  try {
    const reply = await parts.server.request('milepost/resolveAnchor', {
      uri: uri.toString(),
      anchor: { startLine: start, endLine: end, headHash: known },
    });
    if (reply.state === 'moved') {
      vscode.window.setStatusBarMessage(`Line ${start} has moved to line ${reply.anchor.startLine}.`, 6_000);
      return { start: reply.anchor.startLine, end: reply.anchor.endLine };
    }
    if (reply.state === 'stale') {
      void vscode.window.showWarningMessage(
        `What stood at ${nameOf(uri)}:${start} when the anchor was copied is no longer in the file.`,
      );
    }
  } catch (error) {
    parts.log.debug(`The anchor could not be looked for: ${requestErrorOf(error).message}`);
  }
  return { start, end };
}

async function goToIncident(parts: Parts, direction: Direction): Promise<void> {
  const uri = wantedFile();
  if (uri === undefined) {
    return;
  }
  const incident = await inStatusBar(`Looking for the ${direction} incident`, async (signal) => {
    const model = await parts.session.loaded(uri);
    const from = parts.navigator.currentLine(uri).line;
    return model.incident(direction === 'previous' && from === 0 ? Infinity : from, direction, signal);
  });
  if (incident === undefined) {
    vscode.window.setStatusBarMessage(`There is no ${direction} incident in ${nameOf(uri)}.`, 4_000);
    return;
  }
  await parts.navigator.goTo(uri, { startLine: incident.startLine, endLine: incident.endLine });
  vscode.window.setStatusBarMessage(`$(error) ${incident.title}`, 6_000);
}

async function readRange(parts: Parts, value: unknown): Promise<void> {
  const uri = wantedFile();
  if (uri === undefined) {
    return;
  }
  const text =
    typeof value === 'string'
      ? value
      : await vscode.window.showInputBox({
          title: `Read a Range of ${nameOf(uri)}`,
          prompt: 'START-END or LINE; bytes as @OFFSET:LENGTH',
          placeHolder: '1000000-1000200',
          validateInput: (input) =>
            input.trim() === '' || parsePlace(input) !== undefined
              ? undefined
              : 'Write START-END, LINE or @OFFSET:LENGTH.',
        });
  const place = text === undefined ? undefined : parsePlace(text);
  if (place === undefined) {
    return;
  }
  const file = place.path === undefined ? uri : ((await findFile(place.path)) ?? uri);
  if (place.kind === 'bytes') {
    const range = { offset: place.offset, length: place.length ?? BYTES_OF_WINDOW };
    await parts.windows.open({ file: file.toString(), bytes: range });
  } else {
    await parts.windows.openLines(file, place.start, place.end);
  }
}

/** Open a section, or what is selected, in a window of its own. */
async function openRange(parts: Parts, value: unknown): Promise<void> {
  const node = asSection(value);
  if (node === undefined) {
    const selected = parts.navigator.selectedLines();
    await (selected
      ? parts.windows.openLines(selected.uri, selected.start, selected.end)
      : readRange(parts, undefined));
    return;
  }
  const uri = vscode.Uri.parse(node.uri);
  const target = targetOf(node.section);
  if (target.bytes !== undefined) {
    await parts.windows.open({ file: node.uri, bytes: limited(target.bytes) });
    return;
  }
  await parts.windows.openLines(uri, target.startLine, target.endLine);
  const { lines } = readSettings().rangeWindow;
  const length = target.endLine - target.startLine + 1;
  if (length > lines) {
    vscode.window.setStatusBarMessage(`The first ${counted(lines, 'line')} of ${counted(length, 'line')}.`, 5_000);
  }
}

/** A lens of the server: it names its range. */
async function openLens(parts: Parts, value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null || !('uri' in value) || typeof value.uri !== 'string') {
    return;
  }
  const start = 'startLine' in value && typeof value.startLine === 'number' ? value.startLine : 1;
  const end = 'endLine' in value && typeof value.endLine === 'number' ? value.endLine : start;
  await parts.windows.openLines(vscode.Uri.parse(value.uri), start, end);
}

async function turn(parts: Parts, value: unknown, direction: 'next' | 'previous'): Promise<void> {
  const uri = windowOf(value);
  if (uri !== undefined) {
    await parts.windows.turn(uri, direction);
  }
}

/** The window that a command is about: from a lens, a title button, or the active one. */
function windowOf(value: unknown): vscode.Uri | undefined {
  return value instanceof vscode.Uri ? value : vscode.window.activeTextEditor?.document.uri;
}

/** Where a file's path is shown to be pasted again. */
export function anchorPath(uri: vscode.Uri | undefined = activeFile()): string {
  return uri === undefined ? '' : shownPath(uri);
}
