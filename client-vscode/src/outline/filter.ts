/** Which sections a person wants to see: by kind and by severity. */

import { kindOf, severityOf, type Severity } from './presentation';
import { hasInside, isMerged, walk, type SectionNode, type TreeNode } from './nodes';
import type { Section } from '../protocol';

export interface Filter {
  readonly severities: ReadonlySet<Severity>;
  readonly kinds: ReadonlySet<string>;
}

export const NO_FILTER: Filter = { severities: new Set(), kinds: new Set() };

export function isActive(filter: Filter): boolean {
  return filter.severities.size > 0 || filter.kinds.size > 0;
}

/** `error, warning, heading` */
export function describeFilter(filter: Filter): string {
  return [...filter.severities, ...[...filter.kinds].map((kind) => kind.replace(/_/g, ' '))].join(', ');
}

/** Whether a section is itself one of those that are wanted. */
export function matches(section: Section, filter: Filter): boolean {
  const severity = severityOf(section);
  return (severity !== undefined && filter.severities.has(severity)) || filter.kinds.has(section.kind);
}

/** What is shown of some nodes: what matches, what holds something that does, and what may hold something unseen. */
export function visibleNodes(nodes: readonly TreeNode[], filter: Filter): TreeNode[] {
  if (!isActive(filter)) {
    return [...nodes];
  }
  return nodes.filter((node) => (node.kind === 'section' ? isVisible(node, filter) : true));
}

function isVisible(node: SectionNode, filter: Filter): boolean {
  if (matches(node.section, filter) || insideOf(node.parent, filter)) {
    return true;
  }
  if (node.children !== undefined) {
    return node.children.some((child) => (child.kind === 'section' ? isVisible(child, filter) : child.kind === 'more'));
  }
  return hasInside(node) && mayHold(node.section, filter);
}

/** All that lies in what was asked for is shown with it. */
function insideOf(parent: SectionNode | undefined, filter: Filter): boolean {
  return parent !== undefined && !isMerged(parent.section) && matches(parent.section, filter);
}

/** Whether something wanted may lie in a section whose inside was not listed: a log's segments say so themselves. */
function mayHold(section: Section, filter: Filter): boolean {
  const severities = section.facts['severities'];
  if (filter.kinds.size > 0 || typeof severities !== 'object' || severities === null) {
    return true;
  }
  const incidents = section.facts['incidents'];
  if (typeof incidents === 'number' && incidents === 0) {
    return false;
  }
  return true;
}

/** The kinds and severities that occur in what is loaded, with how often: what can be chosen from. */
export function choices(nodes: readonly TreeNode[]): {
  severities: Map<Severity, number>;
  kinds: Map<string, number>;
} {
  const severities = new Map<Severity, number>();
  const kinds = new Map<string, number>();
  for (const { section } of walk(nodes)) {
    const severity = severityOf(section);
    if (severity !== undefined) {
      severities.set(severity, (severities.get(severity) ?? 0) + 1);
    }
    if (!isMerged(section) && kindOf(section) !== 'error') {
      kinds.set(section.kind, (kinds.get(section.kind) ?? 0) + 1);
    }
  }
  return { severities, kinds };
}
