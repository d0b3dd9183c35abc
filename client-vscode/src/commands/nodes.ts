/** What a command was called on: a node of the outline, or nothing. */

import type { SectionNode, TreeNode } from '../outline/nodes';

export function asNode(value: unknown): TreeNode | undefined {
  const isNode = typeof value === 'object' && value !== null && 'kind' in value && 'uri' in value;
  return isNode ? (value as TreeNode) : undefined;
}

export function asSection(value: unknown): SectionNode | undefined {
  const node = asNode(value);
  return node?.kind === 'section' ? node : undefined;
}
