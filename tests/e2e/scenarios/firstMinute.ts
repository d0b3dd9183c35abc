/** What a person meets first: the walkthrough, the settings, the menu behind the status bar. */

import assert from 'node:assert/strict';

import { scenario } from '../harness/suite.ts';

scenario('walkthrough', { files: ['postgresql.log'] }, async ({ workbench }) => {
  const { page } = workbench;
  await workbench.command('Welcome: Open Walkthrough');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Get started with Milepost' }).first().click();
  const steps = page.locator('.getting-started-step');
  await steps.filter({ hasText: 'See the outline of a file' }).waitFor({ timeout: 30_000 });
  assert.equal(await steps.count(), 4);
  await page.waitForTimeout(1_000);
});

scenario('settings', { files: ['postgresql.log'] }, async ({ workbench }) => {
  const { page } = workbench;
  await workbench.openFile('postgresql.log');
  await workbench.command('Preferences: Open Settings (UI)');
  const search = page.locator('.settings-editor .suggest-input-container');
  await search.click();
  await page.keyboard.insertText('@ext:milepost.milepost ');
  await page.locator('.setting-item-contents', { hasText: 'Follow Cursor' }).first().waitFor({ timeout: 30_000 });
});

scenario('the menu behind the status bar', { files: ['postgresql.log'] }, async ({ workbench }) => {
  const { page } = workbench;
  await workbench.openFile('postgresql.log');
  await workbench.seesServer(/running, version/);
  await page.locator('[id$="milepost.status"]').click();
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: 'Choose Model' }).waitFor();
  assert.match((await rows.allInnerTexts()).join('\n'), /Choose Model….*\n?.*offline/);
});
