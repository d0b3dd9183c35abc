/** The sidebar on files of all sorts. */

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { scenario, THIS_SERVER } from '../harness/suite.ts';

/** How long a big file may take on a machine that others use too. */
const BIG_MS = 120_000;

/** The same server, in a workbench that opens large files at once. */
const OPENS_LARGE = {
  machine: THIS_SERVER,
  settings: { 'workbench.editorLargeFileConfirmation': 4096 },
};

scenario('no file', { files: [] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.outline.locator('text=Open a file to see its outline').waitFor();
});

scenario('small log', { files: ['postgresql.log'] }, async ({ workbench, picture }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesRow('2026-11-30 12:21:39');
  await workbench.seesMessage('712 lines');
  await workbench.lens('1 fatal, 11 errors').waitFor();
  await workbench.unfold('2026-11-30 12:21:39');
  await workbench.seesRow('deadlock detected');
  await workbench.clickRow('deadlock detected');
  await workbench.seesCursorAt(206);
  await workbench.seesLine('deadlock detected');
  const row = (await workbench.rows()).find(({ label }) => label === 'deadlock detected');
  assert.match(row?.description ?? '', /^206-213/);
  assert.equal(row?.icon, 'error');
  await workbench.page.mouse.move(700, 500);
  await workbench.row('deadlock detected').locator('.label-name').first().hover();
  const hover = workbench.page.locator('.monaco-hover', { hasText: 'incident, lines 206 to 213' }).last();
  await hover.waitFor();
  await picture('tooltip');
  assert.match(await hover.innerText(), /severity: error/);
});

scenario(
  'large log of 30 MB behind the placeholder',
  { files: ['hadoop-30mb.log'] },
  async ({ workbench, picture }) => {
    await workbench.sidebar();
    await workbench.openFile('hadoop-30mb.log');
    await workbench.placeholder.waitFor();
    await workbench.seesMessage('30 MB', BIG_MS);
    await workbench.seesRow(/2024-01-29/);
    await picture('placeholder');
    const [first] = await workbench.rows();
    await workbench.clickRow(first?.label ?? '');
    await workbench.seesWindow('Lines 1–1,000');
  },
);

scenario(
  'log of 30 MB in the editor, without lenses',
  { files: ['hadoop-30mb.log'], server: OPENS_LARGE },
  async ({ workbench }) => {
    await workbench.sidebar();
    await workbench.openFile('hadoop-30mb.log');
    await workbench.seesMessage('30 MB', BIG_MS);
    const last = await workbench.lastRow();
    await workbench.clickRow(last.label);
    const start = Number(/^\d+/.exec(last.description)?.[0]);
    assert.ok(start > 1000, last.description);
    await workbench.seesCursorAt(start);
    assert.equal(
      await workbench.page.locator('.codelens-decoration a:visible').count(),
      0,
      'the editor draws none here',
    );
    assert.equal(await workbench.windowStatus(), '');
  },
);

scenario(
  'log of 60 MB that extensions see nothing of',
  { files: ['hadoop-60mb.log'], server: OPENS_LARGE },
  async ({ workbench }) => {
    await workbench.sidebar();
    await workbench.openFile('hadoop-60mb.log');
    await workbench.seesMessage('60 MB', BIG_MS);
    const last = await workbench.lastRow();
    await workbench.clickRow(last.label);
    await workbench.seesCursorAt(Number(/^\d+/.exec(last.description)?.[0]), BIG_MS);
  },
);

scenario('log of 300 MB', { files: ['hadoop-300mb.log'] }, async ({ workbench, picture }) => {
  await workbench.sidebar();
  await workbench.openFile('hadoop-300mb.log');
  await workbench.seesRow(/2024-01/, BIG_MS);
  await picture('first');
  await workbench.until(async () => !(await workbench.message()).includes('Provisional'), 'the exact outline', BIG_MS);
  const last = await workbench.lastRow();
  await workbench.clickRow(last.label);
  const start = Number(/^\d+/.exec(last.description)?.[0]);
  await workbench.seesWindow(`Line ${start.toLocaleString('en-US')} `);
});

scenario('JSON', { files: ['catalog.json'] }, async ({ workbench, picture }) => {
  await workbench.sidebar();
  await workbench.openFile('catalog.json');
  await workbench.seesRow('performances');
  await workbench.seesMessage('json');
  await workbench.clickRow('performances');
  await workbench.seesCursorAt(3372);
  await picture('performances');
  await workbench.unfold('events');
  await workbench.seesRow('138586341');
  await workbench.page.waitForTimeout(500);
  await workbench.clickRow('138586625');
  await workbench.seesCursorAt(1218);
  await workbench.page.waitForTimeout(2_000);
  assert.ok((await workbench.rows()).every(({ label }) => label !== ''));
});

scenario('CSV', { files: ['cities.csv'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('cities.csv');
  await workbench.seesRow(/header: Country/);
  await workbench.seesRow(/^records 1–/);
  await workbench
    .row(/^records 1–/)
    .locator('.monaco-tl-twistie')
    .click();
  await workbench.until(async () => (await workbench.rows()).some(({ level }) => level === 2), 'records inside');
  await workbench.seesMessage('csv');
});

scenario('broken JSON', { files: ['broken.json'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('broken.json');
  await workbench.seesRow('1 problem');
  await workbench.unfold('1 problem');
  await workbench
    .row(/^truncated at byte 3000/)
    .locator('.label-name')
    .first()
    .click();
  await workbench.seesCursorAt(322);
});

scenario('binary file', { files: ['program.bin'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('program.bin');
  await workbench.seesMessage('a binary file has no outline');
  assert.match((await workbench.rows())[0]?.description ?? '', /^sha256/);
});

scenario('empty file', { files: ['empty.log'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('empty.log');
  await workbench.seesMessage('The file is empty.');
  assert.deepEqual(await workbench.rows(), []);
});

scenario('line of 10 MB', { files: ['one-line-10mb.json'] }, async ({ workbench, picture }) => {
  await workbench.sidebar();
  await workbench.openFile('one-line-10mb.json');
  await workbench.seesMessage('1 line', BIG_MS);
  await workbench.until(async () => (await workbench.rows()).length > 0, 'sections');
  const [first] = await workbench.rows();
  assert.match(first?.description ?? '', /^@0:/);
  await picture('tree');
  await workbench.rowMenu(first?.label ?? '', 'Open Range');
  await workbench.seesWindow('from byte 0 on, line 1');
  await workbench.command('Next Lines');
  await workbench.seesWindow('from byte 64,000 on, line 1');
});

scenario('file that grows', { files: ['postgresql.log'] }, async ({ workbench, folder }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines');
  const file = join(folder, 'postgresql.log');
  appendFileSync(file, '2026-11-30 13:00:00.000 UTC [1] postgres@shop PANIC:  the disk has gone\n');
  await workbench.seesMessage('713 lines', 20_000);
  await workbench.unfold('2026-11-30 13:00:00');
  await workbench.seesRow('the disk has gone');
});

scenario(
  'file that becomes another one',
  { files: ['postgresql.log', 'service.log'] },
  async ({ workbench, folder }) => {
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.seesMessage('712 lines');
    writeFileSync(join(folder, 'postgresql.log'), readFileSync(join(folder, 'service.log')));
    await workbench.until(async () => !(await workbench.message()).includes('712 lines'), 'the new outline', 20_000);
    await workbench.seesMessage('65 KB');
  },
);

const NO_REFRESH = {
  machine: THIS_SERVER,
  settings: { 'milepost.view.autoRefreshBytes': 0 },
};

scenario(
  'large file that becomes another one is called stale',
  { files: ['postgresql.log', 'service.log'], server: NO_REFRESH },
  async ({ workbench, folder, picture }) => {
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.seesMessage('712 lines');
    writeFileSync(join(folder, 'postgresql.log'), readFileSync(join(folder, 'service.log')));
    await workbench.seesRow('File changed: refresh', 20_000);
    await picture('stale');
    await workbench.clickRow('File changed: refresh');
    await workbench.seesMessage('65 KB');
    assert.equal(await workbench.row('File changed').count(), 0);
  },
);

scenario('renamed file', { files: ['postgresql.log'] }, async ({ workbench, folder }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines');
  renameSync(join(folder, 'postgresql.log'), join(folder, 'database.log'));
  await workbench.openFile('database.log');
  await workbench.seesMessage('712 lines');
  await workbench.seesRow('2026-11-30 12:21:39');
  await workbench.unfold('2026-11-30 12:21:39');
  await workbench.clickRow('deadlock detected');
  await workbench.seesCursorAt(206);
});

scenario('two files in two groups', { files: ['postgresql.log', 'cities.csv'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines');
  await workbench.command('View: Split Editor Right');
  await workbench.openFile('cities.csv');
  await workbench.seesRow(/header: Country/);
  await workbench.page
    .locator('.editor-group-container')
    .first()
    .locator('.tab', { hasText: 'postgresql.log' })
    .click();
  await workbench.seesMessage('712 lines');
  await workbench.seesRow('2026-11-30 12:21:39');
  await workbench.unfold('2026-11-30 12:21:39');
  await workbench.clickRow('deadlock detected');
  await workbench.seesCursorAt(206);
});

scenario('unsaved edits', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines');
  await workbench.focusEditor();
  await workbench.page.keyboard.press('Control+End');
  await workbench.page.keyboard.insertText('2026-11-30 13:30:00.000 UTC [1] postgres@shop PANIC:  written by hand\n');
  await workbench.seesMessage('713 lines', 20_000);
});

scenario('filter by severity', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.unfold('2026-11-30 12:21:39');
  await workbench.seesRow('starting PostgreSQL');
  await workbench.command('Milepost: Filter Outline');
  await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'error' }).first().click();
  await workbench.page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  await workbench.seesMessage('only error');
  await workbench.seesRow('deadlock detected');
  await workbench.until(
    async () => (await workbench.row('starting PostgreSQL').count()) === 0,
    'no line that is no error',
  );
});

scenario('the outline follows the cursor', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines');
  await workbench.focusEditor();
  await workbench.page.keyboard.press('Control+G');
  await workbench.answer(':207');
  await workbench.until(
    async () =>
      (await workbench.outline.locator('.monaco-list-row.selected').innerText()).includes('deadlock detected'),
    'the section marked that the cursor is in',
  );
});

scenario('by keyboard alone', { files: ['postgresql.log'] }, async ({ workbench }) => {
  const { page } = workbench;
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines');
  await workbench.command('Milepost: Focus on Outline View');
  await workbench.outline.locator('.monaco-list:focus-within, .monaco-list.focused').first().waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await workbench.seesRow('deadlock detected');
  await page.keyboard.type('deadlock');
  await page.waitForTimeout(500);
  await page.keyboard.press('Enter');
  await workbench.seesCursorAt(206);
  const spoken = await workbench.row('deadlock detected').getAttribute('aria-label');
  assert.match(spoken ?? '', /error incident, deadlock detected, lines 206 to 213/);
});
