/** Going to places: sections, anchors, incidents, ranges. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { scenario, THIS_SERVER } from '../harness/suite.ts';

const LINES_OF_50 = {
  machine: THIS_SERVER,
  settings: { 'milepost.rangeWindow.lines': 50 },
};

scenario('go to a section by its name', { files: ['postgresql.log'] }, async ({ workbench, picture }) => {
  await workbench.openFile('postgresql.log');
  await workbench.command('Milepost: Go to Section');
  await workbench.page
    .locator('.quick-input-list .monaco-list-row', {
      hasText: 'starting PostgreSQL',
    })
    .first()
    .waitFor();
  await workbench.page.locator('.quick-input-widget input.input').fill('deadl');
  await workbench.page
    .locator('.quick-input-list .monaco-list-row', {
      hasText: 'deadlock detected',
    })
    .first()
    .waitFor();
  await picture('list');
  await workbench.page.keyboard.press('Enter');
  await workbench.seesCursorAt(206);
});

scenario(
  'copy an anchor, and go back by pasting it',
  { files: ['postgresql.log', 'cities.csv'] },
  async ({ workbench, picture }) => {
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.unfold('2026-11-30 12:21:39');
    await workbench.rowMenu('deadlock detected', 'Copy Anchor');
    await workbench.until(
      async () => (await workbench.clipboard()) === 'postgresql.log:206-213',
      'the anchor in the clipboard',
    );
    await workbench.openFile('cities.csv');
    await workbench.command('Milepost: Go to Anchor');
    await workbench.seesInput('postgresql.log:206-213');
    await picture('paste');
    await workbench.page.keyboard.press('Enter');
    await workbench.seesCursorAt(206);
  },
);

scenario(
  'an anchor is found again after the file has changed',
  { files: ['postgresql.log'] },
  async ({ workbench, folder }) => {
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.unfold('2026-11-30 12:21:39');
    await workbench.rowMenu('deadlock detected', 'Copy Anchor');
    await workbench.until(
      async () => (await workbench.clipboard()) === 'postgresql.log:206-213',
      'the anchor in the clipboard',
    );
    await workbench.page.waitForTimeout(1_000);
    const file = join(folder, 'postgresql.log');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [...lines.slice(0, 100), ...lines.slice(0, 3), ...lines.slice(100)].join('\n'));
    await workbench.seesMessage('715 lines', 20_000);
    await workbench.command('Milepost: Go to Anchor');
    await workbench.seesInput('postgresql.log:206-213');
    await workbench.page.keyboard.press('Enter');
    await workbench.seesCursorAt(209);
  },
);

scenario('copy as Markdown', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.unfold('2026-11-30 12:21:39');
  await workbench.rowMenu('deadlock detected', 'Copy as Markdown');
  await workbench.until(
    async () => (await workbench.clipboard()).startsWith('**deadlock detected** (`postgresql.log:206-213`)'),
    'Markdown',
  );
  assert.match(
    await workbench.clipboard(),
    /```\n2026-11-30 12:21:42\.688 UTC \[13612\] postgres@shop ERROR: {2}deadlock detected\n/,
  );
});

scenario('from incident to incident', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.openFile('postgresql.log');
  await workbench.focusEditor();
  await workbench.page.keyboard.press('Control+G');
  await workbench.answer(':200');
  await workbench.seesCursorAt(200);
  await workbench.command('Milepost: Go to Next Incident');
  await workbench.seesCursorAt(206);
  await workbench.command('Milepost: Go to Next Incident');
  await workbench.seesCursorAt(221);
  await workbench.command('Milepost: Go to Previous Incident');
  await workbench.seesCursorAt(206);
});

scenario(
  'page through ranges to the end of the file',
  { files: ['postgresql.log'], server: LINES_OF_50 },
  async ({ workbench, picture }) => {
    await workbench.openFile('postgresql.log');
    await workbench.command('Milepost: Read Range');
    await workbench.answer('600-620');
    await workbench.seesWindow('Lines 600–620');
    await workbench.lens('Next 50 lines').click();
    await workbench.seesWindow('Lines 621–670 of 712');
    await picture('middle');
    await workbench.command('Milepost: Next Lines');
    await workbench.seesWindow('Lines 671–712 of 712');
    assert.equal(await workbench.lens('Next').count(), 0);
    await workbench.page.keyboard.press('Control+End');
    await workbench.seesLine('database system is shut down');
    await workbench.seesNumber(712);
    assert.equal((await workbench.drawnNumbers()).at(-1), 712);
    await workbench.page.keyboard.press('Control+Home');
    await workbench.lens('Previous 50 lines').click();
    await workbench.seesWindow('Lines 621–670');
  },
);

scenario('sections and their lenses inside a range', { files: ['hadoop-30mb.log'] }, async ({ workbench, picture }) => {
  await workbench.sidebar();
  await workbench.openFile('hadoop-30mb.log');
  await workbench.seesMessage('30 MB', 120_000);
  const first = (await workbench.rows())[0];
  await workbench.unfold(first?.label ?? '');
  await workbench.until(async () => (await workbench.rows()).some(({ level }) => level === 2), 'sections inside');
  const inner = (await workbench.rows()).find(({ level }) => level === 2);
  await workbench.clickRow(inner?.label ?? '');
  await workbench.seesWindow('Lines');
  await workbench.lens(/Next 1,000 lines/).waitFor();
  await workbench.until(
    async () => (await workbench.page.locator('.codelens-decoration a:visible').count()) >= 5,
    'lenses of sections',
    20_000,
  );
  await picture('lenses');
  await workbench.command('Explorer: Focus on Outline View');
  await workbench.page.locator('.outline-tree .monaco-list-row').first().waitFor();
});

scenario(
  'from the range into the file, with its own line numbers',
  { files: ['postgresql.log'] },
  async ({ workbench }) => {
    await workbench.openFile('postgresql.log');
    await workbench.until(async () => (await workbench.lineNumbers()).length >= 5, 'line numbers');
    await workbench.command('Milepost: Read Range');
    await workbench.answer('300-310');
    await workbench.seesWindow('Lines 300–310 of 712');
    await workbench.seesNumber(300);
    await workbench.seesNumber(310);
    assert.deepEqual(await workbench.lineNumbers(), [], 'the window draws its own');
    await workbench.lens('Open in file').click();
    await workbench.seesCursorAt(300);
    await workbench.until(
      async () => (await workbench.lineNumbers()).includes('300'),
      'the editor’s own numbers again',
    );
  },
);

scenario('bytes', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.openFile('postgresql.log');
  await workbench.command('Milepost: Read Range');
  await workbench.answer('@26616:200');
  await workbench.seesWindow('from byte 26,616 on, line 206');
  await workbench.seesLine('deadlock detected');
});

scenario('find in a file of 60 MB', { files: ['hadoop-60mb.log'] }, async ({ workbench, picture }) => {
  await workbench.openFile('hadoop-60mb.log');
  await workbench.placeholder.waitFor();
  await workbench.command('Milepost: Find in File');
  await workbench.answer('Error writing History Event');
  const hit = workbench.page
    .locator('.quick-input-list .monaco-list-row', {
      hasText: 'Error writing History Event',
    })
    .first();
  await hit.waitFor({ timeout: 120_000 });
  await picture('hits');
  await hit.click();
  await workbench.seesWindow('Line ');
  await workbench.seesLine('Error writing History Event');
});

scenario('a click on a lens opens its range', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.openFile('postgresql.log');
  await workbench.lens('1 fatal, 11 errors').click();
  await workbench.seesWindow('Lines 1–252 of 712');
});
