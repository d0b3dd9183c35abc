/** Search in a file of any size: hits in a list, each with its line and section, more on demand. */

import * as vscode from 'vscode';

import { nameOf } from '../files';
import { clip, count, counted } from '../format';
import type { FindReply, Quote } from '../protocol';
import { register, wantedFile, withNotification, type Parts } from './parts';

interface HitItem extends vscode.QuickPickItem {
  readonly hit?: Quote;
  readonly isMore?: boolean;
}

interface Search {
  readonly pattern: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
}

/** Enough for a few hundred hits a page. */
const PAGE_BYTES = 64_000;

export function registerFinding(parts: Parts): void {
  let last: Search = { pattern: '', regex: false, caseSensitive: false };
  register(parts, {
    'milepost.findInFile': async () => {
      const uri = wantedFile();
      if (uri === undefined) {
        return;
      }
      const search = await askForPattern(nameOf(uri), last);
      if (search !== undefined) {
        last = search;
        await find(parts, uri, search);
      }
    },
  });
}

/** An input box with two switches, as the editor's own search has them. */
function askForPattern(name: string, last: Search): Promise<Search | undefined> {
  return new Promise((resolve) => {
    const input = vscode.window.createInputBox();
    let { regex, caseSensitive } = last;
    let result: Search | undefined;
    input.title = `Find in ${name}`;
    input.placeholder = 'Text to look for';
    input.value = last.pattern;
    const show = (): void => {
      const on = [regex ? 'regular expression' : 'plain text', caseSensitive ? 'case-sensitive' : 'any case'];
      input.prompt = `Press Enter to search: ${on.join(', ')}`;
      input.buttons = [
        {
          iconPath: new vscode.ThemeIcon('case-sensitive'),
          tooltip: caseSensitive ? 'Matches case (click for any case)' : 'Match case',
        },
        {
          iconPath: new vscode.ThemeIcon('regex'),
          tooltip: regex ? 'Regular expression (click for plain text)' : 'Use regular expression',
        },
      ];
    };
    input.onDidTriggerButton((button) => {
      if (button === input.buttons[0]) {
        caseSensitive = !caseSensitive;
      } else {
        regex = !regex;
      }
      show();
    });
    input.onDidAccept(() => {
      if (input.value !== '') {
        result = { pattern: input.value, regex, caseSensitive };
        input.hide();
      }
    });
    input.onDidHide(() => {
      input.dispose();
      resolve(result);
    });
    show();
    input.show();
  });
}

async function find(parts: Parts, uri: vscode.Uri, search: Search): Promise<void> {
  const page = (cursor?: string): Promise<FindReply> =>
    withNotification(`Milepost: searching ${nameOf(uri)}`, (signal, report) =>
      parts.server.request(
        'milepost/find',
        { uri: uri.toString(), ...search, maxBytes: PAGE_BYTES, ...(cursor === undefined ? {} : { cursor }) },
        { signal, onProgress: ({ message, percentage }) => report(message, percentage) },
      ),
    );
  let reply = await page();
  if (reply.hits.length === 0) {
    void vscode.window.showInformationMessage(`${nameOf(uri)} holds no “${clip(search.pattern, 60)}”.`);
    return;
  }
  const hits = [...reply.hits];
  const pick = vscode.window.createQuickPick<HitItem>();
  const show = (): void => {
    const more: HitItem[] =
      reply.next === null ? [] : [{ label: '$(ellipsis) Find more…', isMore: true, alwaysShow: true }];
    pick.items = [...hits.map(hitItem), ...more];
    pick.title = `${counted(hits.length, 'hit')}${reply.next === null ? '' : ' so far'} in ${nameOf(uri)}`;
  };
  pick.placeholder = 'Enter goes to the hit; type to narrow the list';
  pick.matchOnDescription = true;
  show();
  pick.onDidAccept(async () => {
    const [chosen] = pick.selectedItems;
    if (chosen?.isMore === true && reply.next !== null) {
      pick.busy = true;
      const first = hits.length;
      reply = await page(reply.next);
      hits.push(...reply.hits);
      pick.busy = false;
      show();
      const next = pick.items[first];
      pick.activeItems = next === undefined ? [] : [next];
      pick.show();
      return;
    }
    pick.hide();
    if (chosen?.hit !== undefined) {
      const { hit } = chosen;
      const isInside = hit.startColumn !== undefined;
      await parts.navigator.goTo(uri, {
        startLine: hit.startLine,
        endLine: hit.endLine,
        startColumn: hit.startColumn,
        endColumn: hit.endColumn,
        bytes: isInside && (hit.startColumn ?? 0) > LONG_COLUMN ? around(hit) : undefined,
      });
    }
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

/** Behind so many columns a line is one of those that only bytes can be read of. */
const LONG_COLUMN = 100_000;
const CONTEXT_BYTES = 2_000;

function around(hit: Quote): { offset: number; length: number } {
  const offset = Math.max(0, hit.startByte - CONTEXT_BYTES);
  return { offset, length: hit.endByte - offset + CONTEXT_BYTES };
}

function hitItem(hit: Quote): HitItem {
  return { label: clip(hit.text, 160) || '(blank line)', description: `line ${count(hit.startLine)}`, hit };
}
