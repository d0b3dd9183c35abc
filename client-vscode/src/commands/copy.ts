/** Copying places: as anchors, and as Markdown with their text. */

import * as vscode from 'vscode';

import { formatAnchor } from '../anchors';
import { nameOf, shownPath } from '../files';
import { bytes, clip, escapeMarkdown, fence } from '../format';
import { isInsideLine, labelOf } from '../outline/presentation';
import { requestErrorOf, type Section } from '../protocol';
import { asSection } from './nodes';
import { register, wantedFile, type Parts } from './parts';

/** How much of a section's text goes along. */
const MARKDOWN_BYTES = 4_000;

interface Wanted {
  readonly uri: vscode.Uri;
  readonly start: number;
  readonly end: number;
  readonly section: Section | undefined;
}

export function registerCopying(parts: Parts): void {
  register(parts, {
    'milepost.copyAnchor': async (value) => {
      const wanted = wantedPlace(parts, value);
      if (wanted === undefined) {
        return;
      }
      const text = anchorOf(wanted);
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage(`$(check) Copied ${text}`, 4_000);
      await remember(parts, wanted);
    },
    'milepost.copyMarkdown': async (value) => {
      const wanted = wantedPlace(parts, value);
      if (wanted === undefined) {
        return;
      }
      await vscode.env.clipboard.writeText(await markdownOf(parts, wanted));
      vscode.window.setStatusBarMessage(`$(check) Copied ${anchorOf(wanted)} as Markdown`, 4_000);
    },
  });
}

function wantedPlace(parts: Parts, value: unknown): Wanted | undefined {
  const node = asSection(value);
  if (node !== undefined) {
    const { section } = node;
    return { uri: vscode.Uri.parse(node.uri), start: section.startLine, end: section.endLine, section };
  }
  const selected = parts.navigator.selectedLines();
  if (selected !== undefined) {
    return { ...selected, section: undefined };
  }
  const uri = wantedFile();
  const line = uri === undefined ? 0 : parts.navigator.currentLine(uri).line;
  return uri === undefined ? undefined : { uri, start: Math.max(1, line), end: Math.max(1, line), section: undefined };
}

function anchorOf({ uri, start, end, section }: Wanted): string {
  const path = shownPath(uri);
  if (section !== undefined && isInsideLine(section)) {
    return `${path}:@${section.startByte}:${section.endByte - section.startByte}`;
  }
  return formatAnchor(path, start, end);
}

/** Note what stands there now, so that the place is found again when it has moved. */
async function remember(parts: Parts, { uri, start, end }: Wanted): Promise<void> {
  try {
    const reply = await parts.server.request('milepost/resolveAnchor', {
      uri: uri.toString(),
      anchor: { startLine: start, endLine: end },
    });
    if (reply.anchor.headHash !== undefined) {
      await parts.anchors.add(uri.toString(), start, end, reply.anchor.headHash);
    }
  } catch (error) {
    parts.log.debug(`The anchor is copied without a hash: ${requestErrorOf(error).message}`);
  }
}

async function markdownOf(parts: Parts, wanted: Wanted): Promise<string> {
  const { uri, start, end, section } = wanted;
  const range =
    section !== undefined && isInsideLine(section)
      ? { startByte: section.startByte, length: section.endByte - section.startByte }
      : { startLine: start, endLine: end };
  const reply = await parts.server.request('milepost/read', {
    uri: uri.toString(),
    maxBytes: MARKDOWN_BYTES,
    ...range,
  });
  const title = section === undefined ? nameOf(uri) : labelOf(section);
  const text = reply.content.replace(/[\r\n]+$/, '');
  const ticks = fence(text);
  const lines = [`**${escapeMarkdown(clip(title, 200))}** (\`${anchorOf(wanted)}\`)`, ''];
  if (section !== undefined && section.digest !== '') {
    lines.push(escapeMarkdown(section.digest), '');
  }
  lines.push(ticks, text, ticks);
  if (reply.omittedBytes > 0) {
    lines.push('', `${bytes(reply.omittedBytes)} more up to line ${end}.`);
  }
  return `${lines.join('\n')}\n`;
}
