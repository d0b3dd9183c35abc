/** Scenarios: each opens a folder of its own in the workbench, and leaves a screenshot of what a person saw at its end. */

import { after, before, test } from 'node:test';
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';

import { CodeServer, PYTHON, ROOT, type CodeServerOptions } from './codeServer.ts';
import { Workbench } from './workbench.ts';

const ARTIFACTS = process.env.MILEPOST_E2E_ARTIFACTS ?? join(tmpdir(), 'milepost-e2e-artifacts');
const FILES = join(ROOT, 'files');

/** The server of this checkout: scenarios that are about installing it leave this out. */
export const THIS_SERVER = {
  'milepost.server.command': [PYTHON, '-m', 'milepost'],
};

export interface Scene {
  readonly workbench: Workbench;
  readonly code: CodeServer;
  /** The folder that is open: a scenario may change what is in it. */
  readonly folder: string;
  /** Keep what is seen now, beside the picture at the end. */
  readonly picture: (name: string) => Promise<void>;
}

export interface ScenarioOptions {
  /** The files in the folder, by their names in `make_files.py`; `name=other` calls one otherwise. */
  readonly files: readonly string[];
  readonly server?: CodeServerOptions;
}

/** Scenarios begin within so many seconds, or are skipped. */
const SECONDS = Number(process.env.MILEPOST_E2E_SECONDS ?? 'Infinity');

let context: BrowserContext | undefined;
const servers = new Map<string, CodeServer>();
const folders: string[] = [];
let number = 0;

before(async () => {
  mkdirSync(ARTIFACTS, { recursive: true });
  context = await chromium.launchPersistentContext(temporaryFolder('chromium'), {
    executablePath: process.env.MILEPOST_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    viewport: { width: 1360, height: 850 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
});

after(async () => {
  await context?.close();
  for (const server of servers.values()) {
    await server.stop();
  }
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});

/** A new folder, which is gone when all is done. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `milepost-${name}-`));
  folders.push(folder);
  return folder;
}

/** The server for some options: started at the first scenario that wants it. */
async function serverFor(options: CodeServerOptions): Promise<CodeServer> {
  const key = JSON.stringify(options);
  const known = servers.get(key);
  if (known !== undefined) {
    return known;
  }
  const started = await CodeServer.start(options);
  servers.set(key, started);
  return started;
}

/**
 * One scenario. What fails is played once more in a new folder, since a workbench on a busy machine can be late; the
 * report and a picture tell of the first try, so that one that often needs two is seen.
 */
export function scenario(name: string, options: ScenarioOptions, play: (scene: Scene) => Promise<void>): void {
  test(name, { timeout: 600_000 }, async (t) => {
    if (process.uptime() > SECONDS) {
      t.skip(`no time is left: ${SECONDS} s have passed`);
      return;
    }
    number += 1;
    const prefix = join(
      ARTIFACTS,
      `${String(number).padStart(2, '0')}-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
    );
    try {
      await playOnce(prefix, options, play, 'FIRST-TRY-FAILED');
    } catch (error) {
      t.diagnostic(`the first try failed: ${error instanceof Error ? error.message : String(error)}`);
      await playOnce(prefix, options, play, 'FAILED');
    }
  });
}

async function playOnce(
  prefix: string,
  options: ScenarioOptions,
  play: (scene: Scene) => Promise<void>,
  mark: string,
): Promise<void> {
  const code = await serverFor(options.server ?? { machine: THIS_SERVER });
  code.restoreSettings();
  const folder = temporaryFolder('files');
  for (const file of options.files) {
    const [target = '', source = target] = file.split('=');
    provide(join(FILES, source), join(folder, target));
  }
  const page = await (context as BrowserContext).newPage();
  try {
    const workbench = await Workbench.open(page, code.url, folder, options.server ?? {});
    await play({
      workbench,
      code,
      folder,
      picture: async (what) => void (await page.screenshot({ path: `${prefix}-${what}.png` })),
    });
    await page.screenshot({ path: `${prefix}.png` });
  } catch (error) {
    await page.screenshot({ path: `${prefix}-${mark}.png` }).catch(() => undefined);
    throw error;
  } finally {
    await page.close();
  }
}

/** A file of its own where it is small, since the scenario may change it; a link where it is big. */
function provide(source: string, target: string): void {
  try {
    if (/\d{2,}mb/.test(source)) {
      linkSync(source, target);
      return;
    }
  } catch {
    // another file system
  }
  copyFileSync(source, target);
}
