/** The nodes of the outline tree. They are made from replies and know their parents, so that a view can reveal them. */

import type { OutlineReply, Problem, Section } from '../protocol';

/** A section. `children` is undefined until they were asked for or came along. */
export interface SectionNode {
  readonly kind: 'section';
  readonly uri: string;
  section: Section;
  readonly parent: SectionNode | undefined;
  children: TreeNode[] | undefined;
}

/** Further siblings that are listed when they are asked for. */
export interface MoreNode {
  readonly kind: 'more';
  readonly uri: string;
  readonly parent: SectionNode | undefined;
  readonly cursor: string;
  /** How many, where the server said it. */
  readonly count: number | undefined;
}

/** What is wrong with the content of the file: one node for all of it, and one for each below. */
export interface ProblemsNode {
  readonly kind: 'problems';
  readonly uri: string;
  readonly parent: undefined;
  readonly children: ProblemNode[];
}

export interface ProblemNode {
  readonly kind: 'problem';
  readonly uri: string;
  readonly parent: ProblemsNode;
  readonly problem: Problem;
}

/** One line that says something about the outline, and what a click on it does. */
export interface NoticeNode {
  readonly kind: 'notice';
  readonly uri: string;
  readonly parent: undefined;
  readonly text: string;
  readonly icon: string;
  readonly command: { readonly id: string; readonly title: string };
}

export type TreeNode = SectionNode | MoreNode | ProblemsNode | ProblemNode | NoticeNode;

/** The server merges siblings that find no room into one section, named by the first and the last of them. */
export function isMerged(section: Section): boolean {
  return section.id.includes('..');
}

/** Whether a section has anything below it, listed or not. */
export function hasInside(node: SectionNode): boolean {
  if (node.children !== undefined) {
    return node.children.length > 0;
  }
  const { section } = node;
  // A provisional outline has no cursors: what it merged can be listed once it is exact.
  return (
    section.children.length > 0 || (section.more !== undefined && (!isMerged(section) || section.more.cursor !== ''))
  );
}

/** The nodes of a list of sections. Their children are nodes too as far as they came along completely. */
export function nodesOf(uri: string, sections: readonly Section[], parent: SectionNode | undefined): TreeNode[] {
  return sections.map((section) => {
    const node: SectionNode = { kind: 'section', uri, section, parent, children: undefined };
    if (section.more === undefined) {
      node.children = nodesOf(uri, section.children, node);
    }
    return node;
  });
}

/** The top level of an outline: what is wrong first, then the sections, then how to list on. */
export function rootsOf(uri: string, reply: OutlineReply): TreeNode[] {
  const roots: TreeNode[] = [];
  if (reply.problems !== undefined && reply.problems.length > 0) {
    const problems: ProblemsNode = { kind: 'problems', uri, parent: undefined, children: [] };
    problems.children.push(
      ...reply.problems.map((problem): ProblemNode => ({ kind: 'problem', uri, parent: problems, problem })),
    );
    roots.push(problems);
  }
  roots.push(...nodesOf(uri, reply.sections, undefined));
  if (reply.next) {
    roots.push({ kind: 'more', uri, parent: undefined, cursor: reply.next, count: undefined });
  }
  return roots;
}

/** The sections among some nodes. */
export function sectionNodes(nodes: readonly TreeNode[]): SectionNode[] {
  return nodes.filter((node): node is SectionNode => node.kind === 'section');
}

/** Each section that is loaded, parents before children. */
export function* walk(nodes: readonly TreeNode[]): Generator<SectionNode> {
  for (const node of sectionNodes(nodes)) {
    yield node;
    if (node.children !== undefined) {
      yield* walk(node.children);
    }
  }
}
