import assert from 'node:assert/strict';
import { test } from 'node:test';

import { locateServer, NoServerError, requirement, type Surroundings } from '../server/locate';
import type { Finished } from '../server/processes';
import { SingleFlight } from '../server/singleFlight';

const NOTHING: Finished = { code: undefined, stdout: '', stderr: '', failure: 'not found' };
const says = (stdout: string): Finished => ({ code: 0, stdout, stderr: '', failure: '' });
const fails = (stderr: string): Finished => ({ code: 1, stdout: '', stderr, failure: '' });

const WHEEL = '/ext/server/milepost-0.1.0-py3-none-any.whl';

interface Machine {
  readonly surroundings: Surroundings;
  readonly log: string[];
  readonly ran: string[];
}

/** A machine on which these programs answer so; all others are not there. */
function machine(programs: Record<string, Finished>, more: Partial<Surroundings> = {}): Machine {
  const log: string[] = [];
  const ran: string[] = [];
  const surroundings: Surroundings = {
    isTrusted: true,
    serverCommand: [],
    uvSetting: '',
    pythonSetting: '',
    wheel: WHEEL,
    storage: '/storage',
    platform: 'linux',
    home: '/home/me',
    run: async (command, args) => {
      ran.push([command, ...args].join(' '));
      const known = Object.entries(programs).find(([start]) =>
        `${[command, ...args].join(' ')} `.startsWith(`${start} `),
      );
      return Promise.resolve(known?.[1] ?? NOTHING);
    },
    makeEnvironment: () => Promise.resolve('/storage/environment/bin/python'),
    log: (message) => log.push(message),
    onSetup: () => undefined,
    ...more,
  };
  return { surroundings, log, ran };
}

const PYTHON = says('3.11\n/usr/bin/python3.11\n');
const MILEPOST = says('milepost 0.1.0\n');

test('the setting comes first, and alone', async () => {
  const { surroundings, ran } = machine({ '/opt/milepost': MILEPOST }, { serverCommand: ['/opt/milepost', '-v'] });
  const launch = await locateServer(surroundings);
  assert.deepEqual(launch, { source: 'setting', command: '/opt/milepost', args: ['-v'], version: '0.1.0' });
  assert.deepEqual(ran, ['/opt/milepost -v --version']);
});

test('a setting that does not start is an error with its reason, and nothing else is tried', async () => {
  const { surroundings } = machine({ uv: says('uv 0.5') }, { serverCommand: ['/opt/milepost'] });
  await assert.rejects(locateServer(surroundings), (error: NoServerError) => {
    assert.equal(error.advice, 'setting');
    assert.match(error.message, /milepost\.server\.command does not start Milepost: not found/);
    return true;
  });
});

test('in a workspace that is not trusted the settings are not used', async () => {
  const { surroundings, log, ran } = machine(
    { python3: PYTHON, '/storage/environment/bin/python': MILEPOST },
    { isTrusted: false, serverCommand: ['/evil'], pythonSetting: '/evil/python', uvSetting: '/evil/uv' },
  );
  assert.equal((await locateServer(surroundings)).source, 'environment');
  assert.ok(!ran.some((command) => command.includes('evil')));
  assert.match(log.join('\n'), /not trusted/);
});

test('uv runs the wheel, with exact symbols of source code', async () => {
  const { surroundings } = machine({ 'uv --version': says('uv 0.5'), 'uv tool run': MILEPOST });
  const launch = await locateServer(surroundings);
  assert.deepEqual([launch.source, launch.command], ['uv', 'uv']);
  assert.deepEqual(launch.args, ['tool', 'run', '--from', requirement(WHEEL), 'python', '-m', 'milepost']);
  assert.equal(requirement('/a b/m.whl'), 'milepost[code] @ file:///a%20b/m.whl');
});

test('uv is found where it installs itself', async () => {
  const place = '/home/me/.local/bin/uv';
  const { surroundings } = machine({ [`${place} --version`]: says('uv 0.5'), [`${place} tool`]: MILEPOST });
  assert.equal((await locateServer(surroundings)).command, place);
});

test('where uv fails, an environment is made by a Python that is new enough', async () => {
  const { surroundings, log } = machine({
    'uv --version': says('uv 0.5'),
    'uv tool': fails('error: no network'),
    python3: says('3.9\n/usr/bin/python3.9\n'),
    'python3.12': PYTHON,
    '/storage/environment/bin/python': MILEPOST,
  });
  const launch = await locateServer(surroundings);
  assert.deepEqual(
    [launch.source, launch.command, ...launch.args],
    ['environment', '/storage/environment/bin/python', '-m', 'milepost'],
  );
  assert.match(log.join('\n'), /3\.9 is older than 3\.10/);
});

test('milepost on PATH is the last', async () => {
  const { surroundings } = machine({ milepost: MILEPOST });
  assert.equal((await locateServer(surroundings)).source, 'path');
});

test('a program of the same name is not taken', async () => {
  const { surroundings } = machine({ milepost: says('mile-post-office 3') });
  await assert.rejects(locateServer(surroundings));
});

test('without anything a person is told what to install', async () => {
  const { surroundings } = machine({});
  await assert.rejects(locateServer(surroundings), (error: NoServerError) => {
    assert.equal(error.advice, 'install');
    assert.equal(
      error.message,
      'Milepost needs Python 3.10 or newer, or uv, and found neither. Install one of them, then restart the server.',
    );
    return true;
  });
});

test('where a Python is there and cannot be used, the reason is told', async () => {
  const { surroundings } = machine(
    { python3: PYTHON },
    { makeEnvironment: () => Promise.reject(new Error('Python cannot make an environment')) },
  );
  await assert.rejects(locateServer(surroundings), (error: NoServerError) => {
    assert.equal(error.advice, 'logs');
    assert.match(error.message, /Python cannot make an environment/);
    return true;
  });
});

test('on Windows the launcher is asked for the interpreter behind it', async () => {
  const { surroundings, ran } = machine(
    { 'py -3 -c': says('3.12\r\nC:\\Python312\\python.exe\r\n'), '/storage/environment/bin/python': MILEPOST },
    { platform: 'win32', home: 'C:\\Users\\me' },
  );
  assert.equal((await locateServer(surroundings)).source, 'environment');
  assert.ok(ran.includes('C:\\Users\\me\\.local\\bin\\uv.exe --version'));
});

test('while one start runs, at most one more waits', async () => {
  let runs = 0;
  const ends: (() => void)[] = [];
  const flight = new SingleFlight(() => {
    runs += 1;
    return new Promise((resolve) => ends.push(resolve));
  });
  const first = flight.run();
  const others = [flight.run(), flight.run(), flight.run()];
  assert.equal(runs, 1);
  ends[0]?.();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(runs, 2);
  ends[1]?.();
  await Promise.all(others);
  assert.equal(flight.current, undefined);
});

test('a failed start does not hold up the next', async () => {
  let fails_ = true;
  const flight = new SingleFlight(() => (fails_ ? Promise.reject(new Error('no')) : Promise.resolve()));
  await assert.rejects(flight.run());
  fails_ = false;
  await flight.run();
});
