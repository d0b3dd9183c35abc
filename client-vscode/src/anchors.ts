/**
 * Places in a file as people write them: `path:START-END`, `path:N`, `START-END`, `N`, and bytes as `@OFFSET:LENGTH`.
 *
 * What other tools print is understood too: `path:LINE:COLUMN`, `path#L10-L20`, quotes or brackets around it.
 */

/** Lines, 1-based and inclusive. */
export interface LinePlace {
  readonly kind: 'lines';
  readonly path: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** Bytes from an offset on; without a length, as many as are shown at once. */
export interface BytePlace {
  readonly kind: 'bytes';
  readonly path: string | undefined;
  readonly offset: number;
  readonly length: number | undefined;
}

export type Place = LinePlace | BytePlace;

const BYTES = /^(?:(.*?):?)@([\d,_]+)(?::([\d,_]+))?$/s;
const GITHUB = /^(.*)#L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$/s;
const LINES = /^(?:(.*):)?L?([\d,_]+)(?:\s*[-–—]\s*L?([\d,_]+))?$/s;
const LINE_AND_COLUMN = /^(.+):(\d+):\d+$/s;

/** The place that a text names, or undefined where it names none. A range that runs backwards is turned round. */
export function parsePlace(text: string): Place | undefined {
  const trimmed = text.trim().replace(/^[`"'(<[]+|[`"')>\],;.]+$/g, '');
  const github = GITHUB.exec(trimmed);
  if (github) {
    return linePlace(github[1], github[2], github[3]);
  }
  const column = LINE_AND_COLUMN.exec(trimmed);
  if (column && !/[\\/]$/.test(column[1] ?? '')) {
    return linePlace(column[1], column[2], undefined);
  }
  const bytes = BYTES.exec(trimmed);
  if (bytes) {
    const offset = numberOf(bytes[2]);
    const length = bytes[3] === undefined ? undefined : numberOf(bytes[3]);
    return offset === undefined ? undefined : { kind: 'bytes', path: named(bytes[1]), offset, length };
  }
  const lines = LINES.exec(trimmed);
  return lines ? linePlace(lines[1], lines[2], lines[3]) : undefined;
}

function linePlace(path: string | undefined, first: string | undefined, last: string | undefined): Place | undefined {
  const start = numberOf(first);
  const end = last === undefined ? start : numberOf(last);
  if (start === undefined || end === undefined || start < 1 || end < 1) {
    return undefined;
  }
  return { kind: 'lines', path: named(path), start: Math.min(start, end), end: Math.max(start, end) };
}

function named(path: string | undefined): string | undefined {
  return path === '' ? undefined : path;
}

function numberOf(digits: string | undefined): number | undefined {
  const value = Number((digits ?? '').replace(/[,_]/g, ''));
  return digits !== undefined && /\d/.test(digits) && Number.isSafeInteger(value) ? value : undefined;
}

/** `path:START-END`, or `path:N` for one line: what Milepost's command line and this extension read back. */
export function formatAnchor(path: string, start: number, end: number): string {
  return start === end ? `${path}:${start}` : `${path}:${start}-${end}`;
}
