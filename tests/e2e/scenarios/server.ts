/** The server: dying, not found, not trusted. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { processesBelow } from '../harness/codeServer.ts';
import { scenario, temporaryFolder } from '../harness/suite.ts';

scenario('the server is killed, and comes back', { files: ['postgresql.log'] }, async ({ workbench, code }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines');
  const serving = (): number[] =>
    processesBelow(code.processId)
      .filter(({ command }) => command.includes('milepost') && command.endsWith('serve'))
      .map(({ pid }) => pid);
  const before = serving();
  assert.equal(before.length, 1);
  process.kill(before[0] ?? 0, 'SIGKILL');
  await workbench.until(async () => serving().some((pid) => !before.includes(pid)), 'another server', 20_000);
  await workbench.command('Milepost: Refresh Outline');
  await workbench.unfold('2026-11-30 12:21:39');
  await workbench.seesRow('deadlock detected');
});

scenario(
  'a wrong command',
  {
    files: ['postgresql.log'],
    server: { machine: { 'milepost.server.command': ['/nowhere/milepost'] } },
  },
  async ({ workbench, picture }) => {
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.seesToast('milepost.server.command does not start Milepost: not found');
    await workbench.outline.locator('text=server is not running').waitFor();
    await picture('error');
    await workbench.pressToast('milepost.server.command', 'Show Logs');
    // code-server shows no log (it lacks the library that writes it); its channel is chosen all the same.
    const channel = workbench.page.locator('.part.panel select, .part.panel .monaco-select-box');
    await workbench.until(async () => (await channel.allInnerTexts()).join().includes('Milepost'), 'the log’s channel');
  },
);

/** A PATH with the shell's tools and no Python. */
function withoutPython(): NodeJS.ProcessEnv {
  const bin = temporaryFolder('path');
  for (const tool of [
    'sh',
    'bash',
    'cat',
    'ls',
    'ps',
    'sed',
    'grep',
    'uname',
    'env',
    'dirname',
    'basename',
    'readlink',
    'which',
    'rm',
    'mkdir',
    'id',
  ]) {
    symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
  }
  return {
    ...process.env,
    PATH: bin,
    HOME: temporaryFolder('home'),
  };
}

scenario(
  'neither Python nor uv',
  { files: ['postgresql.log'], server: { env: withoutPython() } },
  async ({ workbench }) => {
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.seesToast('Milepost needs Python 3.10 or newer, or uv, and found neither', 30_000);
    await workbench.outline.locator('text=server is not running').waitFor();
    assert.match(await workbench.status(), /Milepost/);
  },
);

scenario(
  'a workspace that is not trusted',
  { files: ['postgresql.log'], server: { asksForTrust: true } },
  async ({ workbench, folder }) => {
    // Commands that a workspace brings along, each of which would leave a trace.
    const trace = join(folder, 'was-run');
    const evil = join(folder, 'evil.sh');
    writeFileSync(evil, `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
    mkdirSync(join(folder, '.vscode'));
    const settings = { 'milepost.server.command': [evil], 'milepost.server.uv': evil, 'milepost.server.python': evil };
    writeFileSync(join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
    await workbench.page.reload();
    await workbench.page.locator('.part.statusbar', { hasText: 'Restricted Mode' }).waitFor({ timeout: 60_000 });
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.seesMessage('712 lines', 240_000);
    await workbench.seesServer(/running, version .* by (uv|Python)/);
    assert.ok(!existsSync(trace));
  },
);
