/** The environment in the extension's storage that the server runs in where there is a Python but no uv. */

import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';

import { requirement, type MakeEnvironment, type Surroundings } from './locate';
import { lastLine } from './processes';

const STEP_MS = 300_000;
const PREFIX = 'environment-';

/**
 * Make the environment, or find it made. It is named by the wheel's content and the interpreter, made beside and renamed
 * at the end, so that one that is there is complete, also where two windows make it at once. Older ones are removed.
 */
export const makeEnvironment: MakeEnvironment = async (python, surroundings) => {
  const wheel = surroundings.wheel ?? '';
  const digest = createHash('sha256').update(await readFile(wheel)).update(python).digest('hex').slice(0, 12);
  const folder = path.join(surroundings.storage, `${PREFIX}${digest}`);
  if (existsSync(interpreterIn(folder, surroundings))) {
    return interpreterIn(folder, surroundings);
  }
  surroundings.onSetup('Setting up the server with Python');
  await mkdir(surroundings.storage, { recursive: true });
  const making = `${folder}.${randomUUID().slice(0, 8)}`;
  try {
    await create(python, making, surroundings);
    await install(making, wheel, surroundings);
    await rename(making, folder).catch((error: unknown) => {
      // Another window was faster.
      if (!existsSync(folder)) {
        throw error;
      }
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  await removeOthers(surroundings.storage, path.basename(folder));
  return interpreterIn(folder, surroundings);
};

async function create(python: string, folder: string, surroundings: Surroundings): Promise<void> {
  const made = await step(surroundings, python, ['-m', 'venv', folder]);
  if (made !== '') {
    throw new Error(
      `Python at ${python} cannot make an environment (on Debian and Ubuntu: install the package python3-venv, or install uv)`,
    );
  }
}

async function install(folder: string, wheel: string, surroundings: Surroundings): Promise<void> {
  const interpreter = interpreterIn(folder, surroundings);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'];
  const failure = await step(surroundings, interpreter, [...pip, requirement(wheel)]);
  if (failure !== '') {
    throw new Error(`pip could not install the server (${failure})`);
  }
  await writeFile(path.join(folder, 'milepost-wheel.txt'), `${path.basename(wheel)}\n`);
}

/** Run one step; gives the last line of what went wrong, or nothing. */
async function step(surroundings: Surroundings, command: string, args: readonly string[]): Promise<string> {
  surroundings.log(`> ${command} ${args.join(' ')}`);
  const { signal } = surroundings;
  const answer = await surroundings.run(command, args, { timeoutMs: STEP_MS, ...(signal ? { signal } : {}) });
  for (const line of `${answer.stdout}\n${answer.stderr}`.split(/\r?\n/).filter((text) => text.trim() !== '')) {
    surroundings.log(`  ${line}`);
  }
  if (answer.code === 0) {
    return '';
  }
  return answer.failure || lastLine(answer.stderr) || lastLine(answer.stdout) || `code ${answer.code ?? 'unknown'}`;
}

function interpreterIn(folder: string, surroundings: Surroundings): string {
  return surroundings.platform === 'win32'
    ? path.join(folder, 'Scripts', 'python.exe')
    : path.join(folder, 'bin', 'python');
}

async function removeOthers(storage: string, kept: string): Promise<void> {
  for (const name of await readdir(storage)) {
    // One that is being made has a further suffix and is left to who makes it.
    if (/^environment-[0-9a-f]{12}$/.test(name) && name !== kept) {
      await rm(path.join(storage, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
