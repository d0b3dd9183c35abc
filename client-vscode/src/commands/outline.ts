/** The sidebar's own commands: refresh, filter, list on. */

import * as vscode from 'vscode';

import { choices, NO_FILTER } from '../outline/filter';
import type { Severity } from '../outline/presentation';
import { iconOf } from '../outline/presentation';
import { asNode } from './nodes';
import { register, type Parts } from './parts';

interface Choice extends vscode.QuickPickItem {
  readonly severity?: Severity;
  readonly sectionKind?: string;
}

export function registerOutline(parts: Parts): void {
  const { session, outline } = parts;
  register(parts, {
    'milepost.refresh': () => session.refresh(),
    'milepost.filter': () => chooseFilter(parts),
    'milepost.clearFilter': () => outline.setFilter(NO_FILTER),
    'milepost.listMore': async (value) => {
      const node = asNode(value);
      if (node?.kind === 'more' && session.current !== undefined) {
        await session.current.listMore(node);
        outline.refresh();
      }
    },
  });
}

async function chooseFilter(parts: Parts): Promise<void> {
  const { session, outline } = parts;
  const found = choices(session.current?.roots ?? []);
  const { filter } = outline;
  // What is filtered by now stays to be chosen, also where this file has none of it.
  const severities = new Set([...filter.severities, ...found.severities.keys()]);
  const kinds = new Set([...filter.kinds, ...found.kinds.keys()]);
  const separator = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items: Choice[] = [separator('Severity')];
  for (const severity of (['error', 'warning', 'info'] as const).filter((one) => severities.has(one))) {
    items.push({ label: severity, description: howMany(found.severities.get(severity)), severity });
  }
  items.push(separator('Kind'));
  for (const kind of [...kinds].sort()) {
    const icon = iconOf({ kind, facts: {} } as Parameters<typeof iconOf>[0]).id;
    items.push({
      label: `$(${icon}) ${kind.replace(/_/g, ' ')}`,
      description: howMany(found.kinds.get(kind)),
      sectionKind: kind,
    });
  }
  const picked = await vscode.window.showQuickPick(
    items.map((item) => withPicked(item, parts)),
    {
      title: 'Show Only',
      placeHolder: 'Nothing chosen shows everything',
      canPickMany: true,
    },
  );
  if (picked !== undefined) {
    outline.setFilter({
      severities: new Set(picked.flatMap(({ severity }) => (severity === undefined ? [] : [severity]))),
      kinds: new Set(picked.flatMap(({ sectionKind }) => (sectionKind === undefined ? [] : [sectionKind]))),
    });
  }
}

function withPicked(item: Choice, parts: Parts): Choice {
  const { severities, kinds } = parts.outline.filter;
  const isPicked =
    (item.severity !== undefined && severities.has(item.severity)) ||
    (item.sectionKind !== undefined && kinds.has(item.sectionKind));
  return { ...item, picked: isPicked };
}

function howMany(number: number | undefined): string {
  return number === undefined ? 'none listed yet' : `${number} listed`;
}
