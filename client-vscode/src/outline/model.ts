/**
 * The outline of one file as the sidebar holds it: what was listed so far, and how to list on.
 *
 * It knows nothing of VS Code. Everything in it comes from the server; nothing is computed about the file here.
 */

import { isIncident } from './presentation';
import {
  hasInside,
  isMerged,
  nodesOf,
  rootsOf,
  sectionNodes,
  walk,
  type MoreNode,
  type SectionNode,
  type TreeNode,
} from './nodes';
import {
  requestErrorOf,
  type OutlineReply,
  type Params,
  type Requester,
  type RequestError,
  type Section,
  type SectionDigest,
} from '../protocol';

/** Enough for a few hundred sections at once: a screen is filled without asking again. */
const ROOT_BYTES = 200_000;
const INSIDE_BYTES = 200_000;

/** When a place is looked for, how often the server is asked at most. */
const MAX_STEPS = 40;

/** Where an outline stands. `stale` says that the file is another one since. */
export type OutlinePhase = 'none' | 'loading' | 'ready' | 'failed';

export type Direction = 'next' | 'previous';

/** A place that went wrong: a section, or a fault of the content that has none. */
export interface Incident {
  readonly title: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly node: SectionNode | undefined;
}

export class OutlineModel {
  phase: OutlinePhase = 'none';
  reply: OutlineReply | undefined;
  error: RequestError | undefined;
  isStale = false;
  roots: TreeNode[] = [];

  private generation = 0;
  private readonly loading = new Map<SectionNode, Promise<TreeNode[]>>();
  private readonly digests = new Map<string, string>();

  constructor(
    readonly uri: string,
    private readonly server: Requester,
  ) {}

  /** Ask for the outline. What was shown stays until the answer is there. Throws nothing: see `phase` and `error`. */
  async load(signal?: AbortSignal): Promise<void> {
    const generation = ++this.generation;
    this.phase = this.reply === undefined ? 'loading' : 'ready';
    try {
      const reply = await this.ask({ wait: false, maxBytes: ROOT_BYTES }, signal);
      if (generation === this.generation) {
        this.take(reply);
      }
    } catch (error) {
      if (generation !== this.generation) {
        return;
      }
      const failure = requestErrorOf(error);
      if (failure.kind === 'cancelled') {
        this.phase = this.reply === undefined ? 'none' : 'ready';
        return;
      }
      this.phase = 'failed';
      this.error = failure;
      this.reply = undefined;
      this.roots = [];
    }
  }

  private take(reply: OutlineReply): void {
    this.reply = reply;
    this.error = undefined;
    this.isStale = false;
    this.phase = 'ready';
    this.loading.clear();
    this.roots = rootsOf(this.uri, reply);
    this.putDigests();
  }

  private ask(params: Params<'milepost/outline'>, signal?: AbortSignal): Promise<OutlineReply> {
    return this.server.request('milepost/outline', { uri: this.uri, ...params }, signal ? { signal } : {});
  }

  /** What lies in a section: asked for once, then kept. Throws a RequestError where it cannot be listed. */
  async children(node: SectionNode, signal?: AbortSignal): Promise<TreeNode[]> {
    if (node.children !== undefined) {
      return node.children;
    }
    const known = this.loading.get(node);
    if (known !== undefined) {
      return known;
    }
    const listing = this.list(node, signal).finally(() => this.loading.delete(node));
    this.loading.set(node, listing);
    return listing;
  }

  private async list(node: SectionNode, signal?: AbortSignal): Promise<TreeNode[]> {
    const { section } = node;
    if (!hasInside(node)) {
      return [];
    }
    try {
      const reply = isMerged(section)
        ? await this.ask({ cursor: section.more?.cursor ?? '', maxBytes: INSIDE_BYTES }, signal)
        : await this.ask({ section: section.id, maxBytes: INSIDE_BYTES }, signal);
      node.children = this.page(reply, node);
      this.putDigests();
      return node.children;
    } catch (error) {
      throw requestErrorOf(error);
    }
  }

  /** The nodes of one page. The siblings that were merged into a node end where it ends; its page may go on. */
  private page(reply: OutlineReply, parent: SectionNode | undefined): TreeNode[] {
    const end = parent !== undefined && isMerged(parent.section) ? parent.section.endByte : Infinity;
    const sections = reply.sections.filter((section) => section.startByte < end);
    const nodes = nodesOf(this.uri, sections, parent);
    if (reply.next && sections.length === reply.sections.length && (sections.at(-1)?.endByte ?? 0) < end) {
      nodes.push({ kind: 'more', uri: this.uri, parent, cursor: reply.next, count: undefined });
    }
    return nodes;
  }

  /** List the siblings that a "more" node stands for, in its place. */
  async listMore(node: MoreNode, signal?: AbortSignal): Promise<void> {
    const siblings = node.parent === undefined ? this.roots : node.parent.children;
    const reply = await this.ask({ cursor: node.cursor, maxBytes: INSIDE_BYTES }, signal).catch((error: unknown) => {
      throw requestErrorOf(error);
    });
    const place = siblings?.indexOf(node) ?? -1;
    if (siblings !== undefined && place >= 0) {
      siblings.splice(place, 1, ...this.page(reply, node.parent));
      this.putDigests();
    }
  }

  /** Digests that came in after the outline: shown from now on, also on what is listed later. */
  addDigests(digests: readonly SectionDigest[]): void {
    for (const { id, digest } of digests) {
      this.digests.set(id, digest);
    }
    this.putDigests();
  }

  private putDigests(): void {
    if (this.digests.size === 0) {
      return;
    }
    for (const node of walk(this.roots)) {
      const digest = this.digests.get(node.section.id);
      if (digest !== undefined && digest !== node.section.digest) {
        node.section = { ...node.section, digest };
      }
    }
  }

  /** The innermost section at a place, listing what has to be listed to get there. */
  async locate(line: number, column?: number, signal?: AbortSignal): Promise<SectionNode | undefined> {
    let found: SectionNode | undefined;
    let nodes = this.roots;
    for (let step = 0; step < MAX_STEPS; step++) {
      const inside = sectionNodes(nodes).findLast((node) => contains(node.section, line, column));
      if (inside === undefined) {
        return found;
      }
      found = inside;
      nodes = hasInside(inside) ? await this.children(inside, signal) : [];
    }
    return found;
  }

  /** The sections that overlap a range of lines, listed as deep as a few requests reach; parents before children. */
  async overlapping(start: number, end: number, maxRequests: number, signal?: AbortSignal): Promise<SectionNode[]> {
    const found: SectionNode[] = [];
    let requests = 0;
    const visit = async (nodes: readonly TreeNode[]): Promise<void> => {
      for (const node of sectionNodes(nodes)) {
        if (node.section.endLine < start || node.section.startLine > end) {
          continue;
        }
        if (!isMerged(node.section)) {
          found.push(node);
        }
        if (node.children === undefined && hasInside(node)) {
          if (requests >= maxRequests) {
            continue;
          }
          requests += 1;
        }
        await visit(await this.children(node, signal));
      }
    };
    await visit(this.roots);
    return found;
  }

  /** The nearest incident behind or before a line; what may hold one is listed on the way. */
  async incident(line: number, direction: Direction, signal?: AbortSignal): Promise<Incident | undefined> {
    const section = await this.seek(this.roots, line, direction, { steps: MAX_STEPS }, signal);
    const problem = this.problem(line, direction);
    if (section === undefined || problem === undefined) {
      return section ?? problem;
    }
    const isEarlier = problem.startLine < section.startLine;
    return isEarlier === (direction === 'next') ? problem : section;
  }

  private problem(line: number, direction: Direction): Incident | undefined {
    const problems = (this.reply?.problems ?? []).filter((one) =>
      direction === 'next' ? one.line > line : one.line < line,
    );
    const nearest = direction === 'next' ? problems.at(0) : problems.at(-1);
    return nearest && { title: nearest.message, startLine: nearest.line, endLine: nearest.line, node: undefined };
  }

  private async seek(
    nodes: readonly TreeNode[],
    line: number,
    direction: Direction,
    budget: { steps: number },
    signal?: AbortSignal,
  ): Promise<Incident | undefined> {
    const ordered = direction === 'next' ? nodes : [...nodes].reverse();
    for (const node of ordered) {
      if (node.kind === 'more') {
        // What it stands for takes its place in the list that is being walked: walk that again.
        if (budget.steps-- <= 0) {
          return undefined;
        }
        await this.listMore(node, signal);
        const siblings = node.parent === undefined ? this.roots : (node.parent.children ?? []);
        return this.seek(siblings, line, direction, budget, signal);
      }
      if (node.kind !== 'section') {
        continue;
      }
      const { section } = node;
      const isPast = direction === 'next' ? section.endLine <= line : section.startLine >= line;
      if (isPast) {
        continue;
      }
      const isOne = isIncident(section) && (direction === 'previous' || section.startLine > line);
      if (direction === 'next' && isOne) {
        return incidentOf(node);
      }
      if (mayHoldIncidents(node)) {
        if (node.children === undefined && budget.steps-- <= 0) {
          return undefined;
        }
        const inside = await this.seek(await this.children(node, signal), line, direction, budget, signal);
        if (inside !== undefined) {
          return inside;
        }
      }
      if (isOne) {
        return incidentOf(node);
      }
    }
    return undefined;
  }
}

function incidentOf(node: SectionNode): Incident {
  const { section } = node;
  return { title: section.title, startLine: section.startLine, endLine: section.endLine, node };
}

/** A log's segments say how many incidents they hold; of other sections only those are looked into that are listed. */
function mayHoldIncidents(node: SectionNode): boolean {
  const { section } = node;
  if (!hasInside(node)) {
    return false;
  }
  const incidents = section.facts['incidents'];
  if (typeof incidents === 'number') {
    return incidents > 0;
  }
  const of = section.facts['of'];
  const mixes = typeof of === 'string' && MIXES_OF_INCIDENTS.has(of);
  return node.children !== undefined || section.kind === 'segment' || mixes || isIncident(section);
}

/** What merged siblings may be of where incidents are among or below them. */
const MIXES_OF_INCIDENTS = new Set(['incident', 'error', 'segment', 'mixed']);

/** Whether a place lies in a section; without a column, anywhere on the line. */
export function contains(section: Section, line: number, column?: number): boolean {
  if (line < section.startLine || line > section.endLine) {
    return false;
  }
  if (column === undefined) {
    return true;
  }
  const isBefore = line === section.startLine && section.startColumn !== undefined && column < section.startColumn;
  const isBehind = line === section.endLine && section.endColumn !== undefined && column >= section.endColumn;
  return !isBefore && !isBehind;
}
