/** What a section looks like in a tree or a list, as plain values. */

import { bytes, count, counted, escapeMarkdown } from '../format';
import type { OutlineReply, Section } from '../protocol';

/** A codicon and the theme colour it is drawn in. */
export interface Icon {
  readonly id: string;
  readonly color: string | undefined;
}

export type Severity = 'error' | 'warning' | 'info';

const ERRORS = new Set(['error', 'critical', 'fatal', 'alert', 'emergency', 'panic', 'severe', 'failure']);
const WARNINGS = new Set(['warning', 'warn']);

/** How bad a section is, in the three grades that editors show; undefined where it says nothing of it. */
export function severityOf(section: Section): Severity | undefined {
  const severity = section.facts['severity'];
  if (section.kind === 'error' || (typeof severity === 'string' && ERRORS.has(severity))) {
    return 'error';
  }
  if (typeof severity === 'string' && WARNINGS.has(severity)) {
    return 'warning';
  }
  return severity === undefined && section.kind !== 'incident' ? undefined : 'info';
}

/** Something that went wrong: what "next incident" stops at. */
export function isIncident(section: Section): boolean {
  return section.kind === 'incident' || section.kind === 'error';
}

const SEVERITY_ICONS: Record<Severity, Icon> = {
  error: { id: 'error', color: 'list.errorForeground' },
  warning: { id: 'warning', color: 'list.warningForeground' },
  info: { id: 'info', color: 'charts.blue' },
};

const KIND_ICONS: Record<string, string> = {
  segment: 'history',
  group: 'layers',
  gap: 'ellipsis',
  heading: 'symbol-string',
  paragraph: 'note',
  paragraphs: 'note',
  page: 'file',
  part: 'note',
  block: 'symbol-namespace',
  text: 'note',
  lines: 'list-flat',
  record: 'list-flat',
  records: 'layers',
  header: 'symbol-structure',
  table: 'table',
  data: 'database',
  view: 'eye',
  statements: 'list-selection',
  object: 'symbol-object',
  array: 'symbol-array',
  string: 'symbol-string',
  number: 'symbol-number',
  boolean: 'symbol-boolean',
  null: 'symbol-null',
  key: 'symbol-key',
  item: 'symbol-array',
  document: 'file-code',
  element: 'symbol-field',
  prolog: 'symbol-misc',
  script: 'code',
  unread: 'circle-slash',
  unscanned: 'ellipsis',
  file: 'file',
  hunk: 'diff',
  section: 'symbol-namespace',
  module: 'symbol-module',
  class: 'symbol-class',
  interface: 'symbol-interface',
  struct: 'symbol-struct',
  enum: 'symbol-enum',
  function: 'symbol-function',
  method: 'symbol-method',
  constant: 'symbol-constant',
  variable: 'symbol-variable',
  imports: 'references',
  comment: 'comment',
  thread: 'git-commit',
  dump: 'server-process',
  front_matter: 'symbol-property',
  binary: 'file-binary',
  nul_run: 'circle-slash',
  opaque: 'file-binary',
  archived: 'archive',
};

/** The icon of a section: its severity where it has one, else its kind. */
export function iconOf(section: Section): Icon {
  const severity = severityOf(section);
  if (severity !== undefined) {
    return SEVERITY_ICONS[severity];
  }
  const inside = worstInside(section);
  return {
    id: KIND_ICONS[section.kind] ?? 'symbol-misc',
    color: inside === undefined ? undefined : SEVERITY_ICONS[inside].color,
  };
}

/** The worst that a part of a log holds: its icon shows where to look. */
function worstInside(section: Section): Severity | undefined {
  const { severities, incidents } = section.facts;
  if (typeof severities !== 'object' || severities === null || incidents === 0) {
    return undefined;
  }
  const names = Object.keys(severities);
  if (names.some((name) => ERRORS.has(name))) {
    return 'error';
  }
  return names.some((name) => WARNINGS.has(name)) ? 'warning' : undefined;
}

/** A title is never empty in a tree. */
export function labelOf(section: Section): string {
  return section.title.trim() || `${kindOf(section)} at line ${count(section.startLine)}`;
}

/** `segment`, `front matter` */
export function kindOf(section: Section): string {
  return section.kind.replace(/_/g, ' ') || 'section';
}

/** Whether it begins or ends inside a line, so that only bytes say where it is. */
export function isInsideLine(section: Section): boolean {
  return section.startColumn !== undefined || section.endColumn !== undefined;
}

/** The range as the command line writes it: `206-213`, `206`, or `@282:42` where lines do not say it. */
export function rangeOf(section: Section): string {
  if (section.kind === 'binary') {
    return ''; // it has no lines
  }
  if (isInsideLine(section)) {
    return `@${section.startByte}:${section.endByte - section.startByte}`;
  }
  return section.startLine === section.endLine ? `${section.startLine}` : `${section.startLine}-${section.endLine}`;
}

/** What stands behind the title: the range, then what it holds. */
export function descriptionOf(section: Section): string {
  const repeats = repeatsOf(section);
  return [rangeOf(section), repeats, section.digest].filter((part) => part !== '').join(' · ');
}

/** `×37` for what stands for many of its kind. */
function repeatsOf(section: Section): string {
  const total = section.facts['total_count'];
  return typeof total === 'number' && total > 1 ? `×${count(total)}` : '';
}

/** All that is known, in Markdown in which nothing of the file comes to life. */
export function tooltipOf(section: Section): string {
  const lines = section.endLine - section.startLine + 1;
  const size = section.endByte - section.startByte;
  const where =
    lines === 1 ? `line ${count(section.startLine)}` : `lines ${count(section.startLine)} to ${count(section.endLine)}`;
  const parts = [
    `**${escapeMarkdown(labelOf(section))}**`,
    `${escapeMarkdown(kindOf(section))}, ${where} (${counted(lines, 'line')}, ${bytes(size)})`,
  ];
  if (section.digest) {
    parts.push(escapeMarkdown(section.digest));
  }
  const facts = Object.entries(section.facts)
    .filter(([, value]) => !isEmpty(value))
    .slice(0, MAX_FACTS)
    .map(([name, value]) => `- ${escapeMarkdown(name.replace(/_/g, ' '))}: ${escapeMarkdown(clipFact(worded(value)))}`);
  if (facts.length > 0) {
    parts.push(facts.join('\n'));
  }
  if (section.more) {
    parts.push(`${counted(section.more.count, 'further section')} inside`);
  }
  return parts.join('\n\n');
}

const MAX_FACTS = 14;
const MAX_FACT_LENGTH = 240;

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  );
}

function clipFact(text: string): string {
  return text.length <= MAX_FACT_LENGTH ? text : `${text.slice(0, MAX_FACT_LENGTH - 1)}…`;
}

function worded(value: unknown): string {
  switch (typeof value) {
    case 'boolean':
      return value ? 'yes' : 'no';
    case 'number':
      return count(value);
    case 'string':
      return value;
    case 'object':
      if (value === null) {
        return 'unknown';
      }
      if (Array.isArray(value)) {
        return value.map(worded).join('; ');
      }
      return Object.entries(value)
        .map(([name, inner]) => `${name} ${worded(inner)}`)
        .join(', ');
    default:
      return String(value);
  }
}

/** What a screen reader says. */
export function spokenOf(section: Section): string {
  const severity = section.facts['severity'];
  const kind = typeof severity === 'string' ? `${severity} ${kindOf(section)}` : kindOf(section);
  const where =
    section.startLine === section.endLine
      ? `line ${section.startLine}`
      : `lines ${section.startLine} to ${section.endLine}`;
  return [kind, labelOf(section), where, section.digest].filter((part) => part !== '').join(', ');
}

/** What a file is, in a few words: `log · 300 MB · 2,100,000 lines`. */
export function factsOfFile(reply: OutlineReply): string {
  const parts = [reply.format, bytes(reply.totalBytes)];
  if (reply.totalLines !== null && reply.format !== 'binary') {
    parts.push(counted(reply.totalLines, 'line'));
  }
  if (reply.encoding !== 'utf-8' && reply.encoding !== 'binary') {
    parts.push(reply.encoding);
  }
  return parts.join(' · ');
}
