/** The pictures of the extension's README: taken anew with `MILEPOST_E2E_PICTURES=1 bash run.sh -t picture`. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { CHECKOUT } from '../harness/codeServer.ts';
import { scenario, THIS_SERVER } from '../harness/suite.ts';
import type { Workbench } from '../harness/workbench.ts';

const FOLDER = join(CHECKOUT, 'client-vscode', 'images');
const DARK = {
  machine: THIS_SERVER,
  settings: { 'workbench.colorTheme': 'Dark Modern', 'milepost.rangeWindow.lines': 1000, 'breadcrumbs.enabled': false },
};

/** The sidebar as wide as a person makes it who reads in it. */
async function widen({ page }: Workbench): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 });
  const sidebar = await page.locator('.part.sidebar').boundingBox();
  const edge = (sidebar?.x ?? 0) + (sidebar?.width ?? 0);
  await page.mouse.move(edge + 1, 400);
  await page.mouse.down();
  await page.mouse.move(edge + 150, 400, { steps: 10 });
  await page.mouse.up();
}

async function take({ page }: Workbench, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.mouse.move(1100, 640);
  await page.waitForTimeout(2_500);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}

if (process.env.MILEPOST_E2E_PICTURES !== undefined) {
  scenario('picture of a log', { files: ['hadoop-300mb.log'], server: DARK }, async ({ workbench }) => {
    await workbench.sidebar();
    await widen(workbench);
    await workbench.openFile('hadoop-300mb.log');
    await workbench.seesMessage('1,563,044 lines', 60_000);
    const segment = (await workbench.rows())[3];
    await workbench.unfold(segment?.label ?? '');
    await workbench.until(async () => (await workbench.rows()).some(({ level }) => level === 2), 'incidents');
    const inner = (await workbench.rows()).filter(({ level }) => level === 2);
    await workbench.clickRow(inner[1]?.label ?? '');
    await workbench.seesWindow('Lines');
    await take(workbench, 'log');
  });

  scenario('picture of an answer', { files: ['postgresql.log'], server: DARK }, async ({ workbench }) => {
    await workbench.sidebar();
    await widen(workbench);
    await workbench.openFile('postgresql.log');
    await workbench.seesMessage('712 lines');
    await workbench.command('Milepost: Ask About File');
    await workbench.answer('Why was there a deadlock?');
    await workbench.summary();
    await take(workbench, 'answer');
  });

  scenario('picture of sections', { files: ['postgresql.log'], server: DARK }, async ({ workbench }) => {
    await workbench.sidebar();
    await widen(workbench);
    await workbench.openFile('postgresql.log');
    await workbench.seesMessage('712 lines');
    await workbench.command('Milepost: Go to Section');
    const item = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'deadlock detected' }).first();
    await workbench.page.locator('.quick-input-widget input.input').fill('de');
    await item.waitFor();
    await take(workbench, 'sections');
  });
}
