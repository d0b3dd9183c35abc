/** Summaries and questions: offline, and through a model on this machine. */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { ModelServer } from '../harness/modelServer.ts';
import { scenario, THIS_SERVER } from '../harness/suite.ts';

const model = new ModelServer();
before(() => model.start());
after(() => model.stop());

scenario('summarize offline', { files: ['hadoop-30mb.log'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('hadoop-30mb.log');
  await workbench.command('Milepost: Summarize File');
  const page = await workbench.summary(120_000);
  await workbench.seesMessage('30 MB');
  const text = await page.locator('main').innerText();
  assert.match(text, /Summary of hadoop-30mb\.log/);
  assert.match(text, /offline · all \d+ chunks read/);
});

scenario('ask offline, and follow a quote', { files: ['postgresql.log'] }, async ({ workbench, picture }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.command('Milepost: Ask About File');
  await workbench.answer('Why was there a deadlock?');
  const page = await workbench.summary();
  await page.locator('figure', { hasText: 'deadlock detected' }).first().waitFor();
  await picture('answer');
  await page.locator('figcaption a', { hasText: 'postgresql.log:206' }).first().click();
  await workbench.seesCursorAt(206);
  await workbench.answers.locator('.monaco-list-row', { hasText: 'Why was there a deadlock?' }).waitFor();
  const quote = workbench.answers.locator('.monaco-list-row', { hasText: 'postgresql.log:206' }).first();
  await quote.waitFor();
  await workbench.focusEditor();
  await workbench.page.keyboard.press('Control+Home');
  await workbench.seesCursorAt(1);
  await quote.click();
  await workbench.seesCursorAt(206);
});

scenario('a small file is given as it is', { files: ['service.log'] }, async ({ workbench }) => {
  await workbench.openFile('service.log');
  await workbench.command('Milepost: Summarize File');
  const page = await workbench.summary();
  await page.locator('pre').first().waitFor();
  assert.match(await page.locator('main').innerText(), /The file is small/);
});

scenario('summarize a section', { files: ['postgresql.log'] }, async ({ workbench }) => {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.rowMenu('2026-11-30 12:21:48', 'Ask About Section');
  await workbench.answer('What happened?');
  const page = await workbench.summary();
  assert.match(await page.locator('h1').innerText(), /What happened\?/);
});

scenario('consent refused', { files: ['postgresql.log'] }, async ({ workbench, code, picture }) => {
  code.set({
    ...THIS_SERVER,
    'milepost.model.baseUrl': model.baseUrl,
    'milepost.model.name': 'tiny',
  });
  await workbench.openFile('postgresql.log');
  await workbench.until(async () => (await workbench.status()).includes('Milepost'), 'the server');
  await workbench.page.waitForTimeout(2_000);
  await workbench.command('Milepost: Ask About File');
  await workbench.answer('Why was there a deadlock?');
  const dialog = workbench.page.locator('.monaco-dialog-box', {
    hasText: model.host,
  });
  await dialog.waitFor({ timeout: 30_000 });
  await picture('dialog');
  assert.match(await dialog.innerText(), /About \d.*text from postgresql\.log would go to 127\.0\.0\.1/);
  await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
  await workbench.seesToast('Nothing was sent');
  assert.equal(model.calls.length, 0);
});

scenario(
  'summarize through a model on this machine',
  { files: ['postgresql.log'] },
  async ({ workbench, code, picture }) => {
    code.set({
      ...THIS_SERVER,
      'milepost.model.baseUrl': model.baseUrl,
      'milepost.model.name': 'tiny',
    });
    await workbench.sidebar();
    await workbench.openFile('postgresql.log');
    await workbench.page.waitForTimeout(2_000);
    await workbench.command('Milepost: Set API Key');
    await workbench.answer('sk-test-1234');
    await workbench.page.waitForTimeout(2_000);
    await workbench.seesMessage('712 lines');
    await workbench.command('Milepost: Ask About File');
    await workbench.answer('Why was there a deadlock?');
    const dialog = workbench.page.locator('.monaco-dialog-box', {
      hasText: model.host,
    });
    await dialog.waitFor({ timeout: 30_000 });
    await dialog.locator('.monaco-button', { hasText: 'Send to' }).click();
    const page = await workbench.summary(60_000);
    await picture('answer');
    const text = await page.locator('main').innerText();
    assert.match(text, /Two transactions waited for each other\./);
    assert.match(text, /tiny/);
    assert.equal(await page.locator('img').count(), 0, 'what a model says stays text');
    assert.equal(model.calls[0]?.authorization, 'Bearer sk-test-1234');
    await workbench.command('Milepost: Summarize Section');
    await workbench.until(
      async () => (await (await workbench.summary()).locator('h1').innerText()).includes('Summary of'),
      'the summary',
      60_000,
    );
  },
);

scenario('cancel, and go on later', { files: ['catalog.json'] }, async ({ workbench, code, picture }) => {
  code.set({ ...THIS_SERVER, 'milepost.model.baseUrl': model.baseUrl, 'milepost.model.name': 'tiny' });
  model.delayMs = 1_000;
  await workbench.sidebar();
  await workbench.openFile('catalog.json');
  await workbench.seesMessage('json');
  await workbench.command('Milepost: Summarize File');
  // Played alone, nobody has allowed the host yet.
  const allow = workbench.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Send to' });
  await allow.click({ timeout: 5_000 }).catch(() => undefined);
  await workbench.seesToast(/chunk \d+ of \d+/, 60_000);
  await picture('progress');
  await workbench.pressToast(/summarizing/, 'Cancel');
  const page = await workbench.summary(60_000);
  await page.locator('.notice').waitFor();
  assert.match(await page.locator('.facts').first().innerText(), /[1-9] of \d+ chunks read/);
  await picture('stopped');
  model.delayMs = 0;
  await page.locator('.notice a', { hasText: 'Go on' }).click();
  await workbench.until(
    async () => /all \d+ chunks read/.test(await (await workbench.summary()).locator('main').innerText()),
    'the whole summary',
    120_000,
  );
  code.set(THIS_SERVER);
});
