import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { after, test } from 'node:test';

import { makeEnvironment } from '../server/environment';
import type { Surroundings } from '../server/locate';
import { lastLine, run, type Finished } from '../server/processes';

const FOLDER = mkdtempSync(path.join(tmpdir(), 'milepost-environment-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

const DONE: Finished = { code: 0, stdout: '', stderr: '', failure: '' };

let made = 0;

/** A machine whose `venv` makes a folder with an interpreter in it, and whose `pip` answers so. */
function surroundings(pip: Finished, venv: Finished = DONE): { value: Surroundings; ran: string[] } {
  const place = path.join(FOLDER, `${made++}`);
  mkdirSync(place);
  const wheel = path.join(place, 'milepost-0.1.0-py3-none-any.whl');
  writeFileSync(wheel, 'the wheel');
  const ran: string[] = [];
  const value: Surroundings = {
    isTrusted: true,
    serverCommand: [],
    uvSetting: '',
    pythonSetting: '',
    wheel,
    storage: path.join(place, 'storage'),
    platform: 'linux',
    home: place,
    run: (command, args) => {
      ran.push([command, ...args].join(' '));
      if (args[1] === 'venv') {
        const bin = path.join(args[2] ?? '', 'bin');
        mkdirSync(bin, { recursive: true });
        writeFileSync(path.join(bin, 'python'), '');
        return Promise.resolve(venv);
      }
      return Promise.resolve(pip);
    },
    makeEnvironment,
    log: () => undefined,
    onSetup: () => undefined,
  };
  return { value, ran };
}

test('an environment is made once, complete or not at all', async () => {
  const { value, ran } = surroundings(DONE);
  const interpreter = await makeEnvironment('/usr/bin/python3', value);
  assert.ok(existsSync(interpreter));
  assert.equal(ran.length, 2);
  assert.equal(await makeEnvironment('/usr/bin/python3', value), interpreter);
  assert.equal(ran.length, 2);
  assert.equal(readdirSync(value.storage).length, 1);
});

test('another wheel gets another environment, and the old one goes', async () => {
  const { value } = surroundings(DONE);
  const first = await makeEnvironment('/usr/bin/python3', value);
  writeFileSync(value.wheel ?? '', 'another wheel');
  const second = await makeEnvironment('/usr/bin/python3', value);
  assert.notEqual(first, second);
  assert.deepEqual(readdirSync(value.storage), [path.basename(path.dirname(path.dirname(second)))]);
});

test('where pip fails nothing is left behind, and its last line is told', async () => {
  const { value } = surroundings({ code: 1, stdout: '', stderr: 'Looking\nERROR: no network\n', failure: '' });
  await assert.rejects(
    makeEnvironment('/usr/bin/python3', value),
    /pip could not install the server \(ERROR: no network\)/,
  );
  assert.deepEqual(readdirSync(value.storage), []);
});

test('a Python without venv is told how to get it', async () => {
  const { value } = surroundings(DONE, { code: 1, stdout: 'ensurepip is not available', stderr: '', failure: '' });
  await assert.rejects(makeEnvironment('/usr/bin/python3', value), /install the package python3-venv, or install uv/);
});

test('two windows at once end up with one environment', async () => {
  const { value } = surroundings(DONE);
  const [one, other] = await Promise.all([
    makeEnvironment('/usr/bin/python3', value),
    makeEnvironment('/usr/bin/python3', value),
  ]);
  assert.equal(one, other);
  assert.equal(readdirSync(value.storage).length, 1);
});

test('a program that is not there, fails, prints, or does not end', async () => {
  assert.equal((await run('/nowhere/program', [], { timeoutMs: 5_000 })).failure, 'not found');
  const failed = await run(process.execPath, ['-e', 'console.error("one\\ntwo"); process.exit(3)'], {
    timeoutMs: 20_000,
  });
  assert.deepEqual([failed.code, lastLine(failed.stderr), failed.failure], [3, 'two', '']);
  const printed = await run(process.execPath, ['-e', 'console.log("x".repeat(100000))'], { timeoutMs: 20_000 });
  assert.equal(printed.stdout.length, 20_000);
  const began = Date.now();
  const slow = await run(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { timeoutMs: 1_500 });
  assert.match(slow.failure, /no end after/);
  assert.ok(Date.now() - began < 15_000);
});

test('what is cancelled ends at once', async () => {
  const abort = new AbortController();
  const running = run(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], {
    timeoutMs: 60_000,
    signal: abort.signal,
  });
  setTimeout(() => abort.abort(), 200);
  assert.equal((await running).failure, 'cancelled');
});
