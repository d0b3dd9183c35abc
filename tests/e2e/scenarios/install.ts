/** The packaged extension in a clean profile: with uv alone, with Python alone, and in an older VS Code. */

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../harness/codeServer.ts';
import { scenario, temporaryFolder, THIS_SERVER, type Scene } from '../harness/suite.ts';

/** The first start fetches what the server needs. */
const FIRST_START_MS = 240_000;

const TOOLS = [
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
];

/** The environment of a machine that has these programs and the usual tools. */
function machine(programs: Record<string, string>, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const bin = temporaryFolder('path');
  for (const tool of TOOLS) {
    symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
  }
  for (const [name, target] of Object.entries(programs)) {
    symlinkSync(target, join(bin, name));
  }
  const { PYTHONPATH: _, ...env } = process.env;
  return { ...env, PATH: bin, HOME: temporaryFolder('home'), ...more };
}

/** The Python that a machine would have on its PATH: not the environment that the tests run in. */
const PYTHON = process.env.MILEPOST_E2E_PYTHON ?? '/usr/bin/python3';

/** uv takes the certificates of the machine, as Python does, where a registry is reached through a proxy. */
const UV = { UV_PYTHON: PYTHON, UV_PYTHON_DOWNLOADS: 'never', UV_SYSTEM_CERTS: '1', UV_NATIVE_TLS: '1' };

async function smoke({ workbench }: Scene): Promise<void> {
  await workbench.sidebar();
  await workbench.openFile('postgresql.log');
  await workbench.seesMessage('712 lines', FIRST_START_MS);
  await workbench.unfold('2026-11-30 12:21:39');
  await workbench.clickRow('deadlock detected');
  await workbench.seesCursorAt(206);
  await workbench.command('Milepost: Read Range');
  await workbench.answer('300-310');
  await workbench.seesWindow('Lines 300–310 of 712');
  await workbench.command('Milepost: Ask About File');
  await workbench.answer('Why was there a deadlock?');
  await (await workbench.summary(30_000)).locator('figure', { hasText: 'deadlock detected' }).first().waitFor();
}

scenario(
  'clean profile with Python alone',
  { files: ['postgresql.log'], server: { env: machine({ python3: PYTHON }) } },
  async (scene) => {
    await smoke(scene);
    await scene.workbench.seesServer('by Python');
  },
);

scenario(
  'clean profile with uv alone',
  {
    files: ['postgresql.log'],
    // uv brings a Python of its own where there is none; without a network for that it is told of one.
    server: {
      env: machine({ uv: join(ROOT, 'tools', 'bin', 'uv') }, UV),
    },
  },
  async (scene) => {
    await smoke(scene);
    await scene.workbench.seesServer('by uv');
  },
);

scenario(
  'older VS Code',
  { files: ['postgresql.log'], server: { version: 'code-server-old', machine: THIS_SERVER } },
  async (scene) => {
    await smoke(scene);
  },
);
