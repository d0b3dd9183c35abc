/** The anchors that were copied here, with a hash of what stood there: pasted again, the place is found or called gone. */

import type { Memento } from 'vscode';

const KEY = 'milepost.copiedAnchors';
const REMEMBERED = 200;

interface Copied {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly hash: string;
}

export class CopiedAnchors {
  constructor(private readonly memory: Memento) {}

  async add(file: string, start: number, end: number, hash: string): Promise<void> {
    const others = this.all().filter((one) => !(one.file === file && one.start === start && one.end === end));
    await this.memory.update(KEY, [...others, { file, start, end, hash }].slice(-REMEMBERED));
  }

  /** The hash of what stood at a place when it was copied. */
  find(file: string, start: number, end: number): string | undefined {
    return this.all().find((one) => one.file === file && one.start === start && one.end === end)?.hash;
  }

  private all(): readonly Copied[] {
    return this.memory.get<Copied[]>(KEY) ?? [];
  }
}
