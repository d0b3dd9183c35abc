/** Summaries and answers as they were given, kept for the workspace: what was asked, what came back, and where quotes were. */

import type { Memento } from 'vscode';

import type { AskReply, SummarizeReply } from '../protocol';

/** The part of a file that was read; all of it where neither is given. */
export interface Scope {
  readonly section?: { readonly id: string; readonly title: string };
  readonly lines?: { readonly start: number; readonly end: number };
}

export interface Run {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly when: number;
  /** The file's URI, and its path as a person reads it. */
  readonly file: string;
  readonly path: string;
  /** Empty for a summary. */
  readonly question: string;
  readonly scope: Scope;
  readonly reply: SummarizeReply | AskReply;
  /** Hashes of the quotes' first lines, in their order, so that they are found again after the file has changed. */
  readonly hashes: readonly (string | null)[];
}

const KEY = 'milepost.runs';
const REMEMBERED = 30;

export class Runs {
  private readonly listeners = new Set<() => void>();

  constructor(private readonly memory: Memento) {}

  /** The latest first. */
  all(): readonly Run[] {
    return this.memory.get<Run[]>(KEY) ?? [];
  }

  get(id: string): Run | undefined {
    return this.all().find((run) => run.id === id);
  }

  /** The latest that can go on; of one file, if that is given. */
  resumable(file?: string): Run | undefined {
    return this.all().find((run) => run.reply.cursor !== '' && (file === undefined || run.file === file));
  }

  /** Keep a run. One of the same question to the same part of the file takes the older one's place. */
  async add(run: Run): Promise<void> {
    const others = this.all().filter((one) => one.id !== run.id && !isSame(one, run));
    await this.store([run, ...others].slice(0, REMEMBERED));
  }

  async remove(id: string): Promise<void> {
    await this.store(this.all().filter((run) => run.id !== id));
  }

  async clear(): Promise<void> {
    await this.store([]);
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  private async store(runs: readonly Run[]): Promise<void> {
    await this.memory.update(KEY, runs);
    for (const listener of this.listeners) {
      listener();
    }
  }
}

function isSame(one: Run, other: Run): boolean {
  return (
    one.file === other.file &&
    one.question === other.question &&
    JSON.stringify(one.scope) === JSON.stringify(other.scope)
  );
}

/** `lines 206-213`, `“deadlock detected”`; empty for a whole file. */
export function describeScope(scope: Scope): string {
  if (scope.section !== undefined) {
    return `“${scope.section.title}”`;
  }
  return scope.lines === undefined ? '' : `lines ${scope.lines.start}-${scope.lines.end}`;
}

/** How far a run came, in words: `all 12 chunks read`, `3 of 12 chunks read`. */
export function describeReading(run: Run): string {
  const { chunksRead, chunksTotal } = run.reply.stats;
  if (chunksTotal === 0) {
    return '';
  }
  if (chunksRead >= chunksTotal) {
    return chunksTotal === 1 ? 'read in one piece' : `all ${chunksTotal} chunks read`;
  }
  return `${chunksRead} of ${chunksTotal} chunks read`;
}
