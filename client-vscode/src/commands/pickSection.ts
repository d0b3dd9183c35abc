/** A list of all sections to search in: grouped, with icon, range and digest; a pasted anchor works too. */

import * as vscode from 'vscode';

import { parsePlace, type Place } from '../anchors';
import { nameOf } from '../files';
import { targetOf } from '../navigation';
import { isMerged, nodesOf, walk, type SectionNode } from '../outline/nodes';
import { iconOf, labelOf, rangeOf } from '../outline/presentation';
import { requestErrorOf } from '../protocol';
import { wantedFile, type Parts } from './parts';
import { goToPlace } from './navigate';

interface SectionItem extends vscode.QuickPickItem {
  readonly node?: SectionNode;
  readonly place?: Place;
}

/** Some thousand sections: more than a person scrolls through, and quick to search in. */
const LIST_BYTES = 1_000_000;

export async function pickSection(parts: Parts): Promise<void> {
  const uri = wantedFile();
  if (uri === undefined) {
    return;
  }
  const pick = vscode.window.createQuickPick<SectionItem>();
  const abort = new AbortController();
  pick.title = `Sections of ${nameOf(uri)}`;
  pick.placeholder = 'Search sections, or paste path:START-END';
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  let sections: SectionItem[] = [];
  const show = (): void => {
    const place = parsePlace(pick.value);
    pick.items = place === undefined ? sections : [placeItem(place, pick.value), ...sections];
  };
  pick.onDidChangeValue(show);
  pick.onDidAccept(async () => {
    const [chosen] = pick.selectedItems;
    pick.hide();
    try {
      if (chosen?.place !== undefined) {
        await goToPlace(parts, chosen.place);
      } else if (chosen?.node !== undefined) {
        await parts.navigator.goTo(uri, targetOf(chosen.node.section));
      }
    } catch (error) {
      void vscode.window.showErrorMessage(requestErrorOf(error).message);
    }
  });
  pick.onDidHide(() => {
    abort.abort();
    pick.dispose();
  });
  pick.show();
  try {
    const reply = await parts.server.request(
      'milepost/outline',
      { uri: uri.toString(), maxBytes: LIST_BYTES },
      { signal: abort.signal },
    );
    sections = items(nodesOfAll(uri.toString(), reply.sections));
    if (sections.length === 0) {
      pick.placeholder = 'This file has no sections. Paste path:START-END to go there.';
    }
    show();
    const line = parts.navigator.currentLine(uri).line;
    const here = sections.findLast((item) => item.node !== undefined && item.node.section.startLine <= line);
    if (here !== undefined && pick.value === '') {
      pick.activeItems = [here];
    }
  } catch (error) {
    if (!abort.signal.aborted) {
      pick.placeholder = requestErrorOf(error).message;
    }
  } finally {
    pick.busy = false;
  }
}

/** All sections of a reply, those too whose parents hold more than was listed. */
function nodesOfAll(uri: string, sections: Parameters<typeof nodesOf>[1]): SectionNode[] {
  const nodes = nodesOf(
    uri,
    sections.map(function complete(section): (typeof sections)[number] {
      const { more, ...rest } = section;
      return more === undefined ? section : { ...rest, children: section.children.map(complete) };
    }),
    undefined,
  );
  return [...walk(nodes)].filter((node) => !isMerged(node.section));
}

function items(nodes: readonly SectionNode[]): SectionItem[] {
  const made: SectionItem[] = [];
  for (const node of nodes) {
    const { section } = node;
    if (node.parent === undefined && node.children !== undefined && node.children.length > 0) {
      made.push({ label: labelOf(section), kind: vscode.QuickPickItemKind.Separator });
    }
    made.push({
      label: labelOf(section),
      description: rangeOf(section),
      iconPath: new vscode.ThemeIcon(iconOf(section).id),
      node,
      ...(section.digest === '' ? {} : { detail: section.digest }),
    });
  }
  return made;
}

function placeItem(place: Place, typed: string): SectionItem {
  const range =
    place.kind === 'bytes'
      ? `byte ${place.offset.toLocaleString('en-US')}`
      : place.start === place.end
        ? `line ${place.start.toLocaleString('en-US')}`
        : `lines ${place.start.toLocaleString('en-US')}–${place.end.toLocaleString('en-US')}`;
  return {
    label: `$(arrow-right) Go to ${range}${place.path === undefined ? '' : ` of ${place.path}`}`,
    description: typed.trim(),
    alwaysShow: true,
    place,
  };
}
