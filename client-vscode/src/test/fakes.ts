/** Sections, outlines and a server for tests. */

import type { Method, OutlineReply, Params, Requester, RequestOptions, Requests, Section } from '../protocol';

export function section(id: string, startLine: number, endLine: number, more: Partial<Section> = {}): Section {
  return {
    id,
    title: id,
    kind: 'segment',
    startLine,
    endLine,
    startByte: startLine * 10,
    endByte: endLine * 10 + 10,
    digest: '',
    count: 1,
    facts: {},
    children: [],
    ...more,
  };
}

export function outline(sections: Section[], more: Partial<OutlineReply> = {}): OutlineReply {
  return {
    path: '/f.log',
    format: 'log',
    encoding: 'utf-8',
    lineEnding: 'lf',
    loneCr: 0,
    totalLines: 1000,
    totalBytes: 10_000,
    state: 'exact',
    degraded: '',
    truncated: false,
    sections,
    next: null,
    stats: {},
    ...more,
  };
}

type Answer = (params: Record<string, unknown>, options?: RequestOptions) => unknown;

/** Answers what it was told to, and remembers what it was asked. */
export class FakeServer implements Requester {
  readonly asked: Record<string, unknown>[] = [];

  constructor(private readonly answer: Answer) {}

  async request<M extends Method>(
    method: M,
    params: Params<M>,
    options?: RequestOptions,
  ): Promise<Requests[M]['result']> {
    const values = { method, ...(params as Record<string, unknown>) };
    this.asked.push(values);
    return (await this.answer(values, options)) as Requests[M]['result'];
  }
}
