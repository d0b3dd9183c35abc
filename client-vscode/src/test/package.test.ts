/** package.json and the sources say the same: commands, and settings of this client. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

import { SERVER_COMMANDS } from '../protocol';

const ROOT = process.env['MILEPOST_CLIENT'] ?? '.';

interface Manifest {
  contributes: {
    commands: { command: string; title: string }[];
    menus: Record<string, { command: string }[]>;
    keybindings: { command: string }[];
    viewsWelcome: { contents: string }[];
  };
}

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Manifest;
const declared = manifest.contributes.commands.map(({ command }) => command);

function sources(): string {
  const names = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.startsWith('test') && !name.includes('generated'))
    .map((name) => readFileSync(path.join(ROOT, 'src', name), 'utf8'))
    .join('\n');
}

test('every command that is declared is registered, and the other way round', () => {
  const registered = [...sources().matchAll(/^ {4}'(milepost\.\w+)': /gm)].map((match) => match[1] ?? '');
  assert.deepEqual([...declared].sort(), [...registered].sort());
});

test('no command has an id of the server’s: the client library registers those itself', () => {
  for (const command of [...SERVER_COMMANDS, 'milepost.clearCache']) {
    assert.ok(!declared.includes(command), command);
  }
});

test('menus, keys and welcome texts name commands that there are', () => {
  const { menus, keybindings, viewsWelcome } = manifest.contributes;
  const named = [
    ...Object.values(menus)
      .flat()
      .map(({ command }) => command),
    ...keybindings.map(({ command }) => command),
    ...viewsWelcome.flatMap(({ contents }) =>
      [...contents.matchAll(/command:(milepost\.\w+)/g)].map((match) => match[1] ?? ''),
    ),
  ];
  for (const command of named) {
    assert.ok(declared.includes(command), command);
  }
});

test('every command has a title, and no two the same but for those of trees and links', () => {
  const titles = manifest.contributes.commands.map(({ title }) => title);
  assert.ok(titles.every((title) => /^[A-Z]/.test(title)));
});
