/** The part of a file that a range window shows, and how it is written into the window's URI. */

import { bytes, count } from '../format';

export const WINDOW_SCHEME = 'milepost';

/** A range of lines (1-based, inclusive), or of bytes where lines are too long or do not say it. */
export interface WindowPlace {
  readonly file: string;
  readonly lines?: { readonly start: number; readonly end: number };
  readonly bytes?: { readonly offset: number; readonly length: number };
}

/** Path and query of the window's URI. The path ends as the file's name does, so that language and icon are its. */
export function windowUri(place: WindowPlace, name: string): { scheme: string; path: string; query: string } {
  const range = place.lines
    ? `${place.lines.start}-${place.lines.end}`
    : `@${place.bytes?.offset ?? 0}+${place.bytes?.length ?? 0}`;
  return { scheme: WINDOW_SCHEME, path: `/${range} ${name}`, query: JSON.stringify(place) };
}

/** The place in a window's query; undefined where it is none of ours. */
export function placeOfWindow(query: string): WindowPlace | undefined {
  let value: unknown;
  try {
    value = JSON.parse(query);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('file' in value) || typeof value.file !== 'string') {
    return undefined;
  }
  const lines = 'lines' in value ? pair(value.lines, 'start', 'end') : undefined;
  const range = 'bytes' in value ? pair(value.bytes, 'offset', 'length') : undefined;
  if (lines && lines[0] >= 1 && lines[1] >= lines[0]) {
    return { file: value.file, lines: { start: lines[0], end: lines[1] } };
  }
  return range && { file: value.file, bytes: { offset: range[0], length: range[1] } };
}

function pair(value: unknown, first: string, second: string): [number, number] | undefined {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const entries = value as Record<string, unknown>;
  const numbers = [entries[first], entries[second]];
  return numbers.every((one) => typeof one === 'number' && Number.isSafeInteger(one) && one >= 0)
    ? (numbers as [number, number])
    : undefined;
}

/** What a window turned out to hold: from the reply to its read request. */
export interface WindowContent {
  readonly startLine: number;
  readonly endLine: number;
  readonly startByte: number;
  readonly endByte: number;
  readonly totalLines: number | null;
  /** It begins or ends inside a line: only bytes say where it goes on. */
  readonly isInsideLine: boolean;
  readonly isAtEnd: boolean;
}

/** Where the window before or behind a window lies; undefined at the beginning and the end of the file. */
export function neighbour(
  place: WindowPlace,
  content: WindowContent,
  direction: 'next' | 'previous',
  lines: number,
): WindowPlace | undefined {
  if (content.isInsideLine || !place.lines) {
    const length = place.bytes?.length ?? BYTES_OF_WINDOW;
    if (direction === 'next') {
      return content.isAtEnd ? undefined : { file: place.file, bytes: { offset: content.endByte, length } };
    }
    const offset = Math.max(0, content.startByte - length);
    return content.startByte === 0
      ? undefined
      : { file: place.file, bytes: { offset, length: content.startByte - offset } };
  }
  if (direction === 'next') {
    const start = content.endLine + 1;
    const end = Math.min(start + lines - 1, content.totalLines ?? Infinity);
    return content.isAtEnd || end < start ? undefined : { file: place.file, lines: { start, end } };
  }
  const end = content.startLine - 1;
  return end < 1 ? undefined : { file: place.file, lines: { start: Math.max(1, end - lines + 1), end } };
}

/** How much is shown at once where lines do not say it: as much as an editor draws of a long line without a halt. */
export const BYTES_OF_WINDOW = 64_000;

/** `Lines 1,001–2,000 of 2,100,000` */
export function describeWindow(place: WindowPlace, content: WindowContent): string {
  if (content.isInsideLine || !place.lines) {
    const length = content.endByte - content.startByte;
    return `${bytes(length)} from byte ${count(content.startByte)} on, line ${count(content.startLine)}`;
  }
  const range =
    content.startLine === content.endLine
      ? `Line ${count(content.startLine)}`
      : `Lines ${count(content.startLine)}–${count(content.endLine)}`;
  return content.totalLines === null ? range : `${range} of ${count(content.totalLines)}`;
}
