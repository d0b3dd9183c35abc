/**
 * Finds a way to start the server, in this order:
 *
 * 1. the setting `milepost.server.command`, in a trusted workspace only; where it is set, nothing else is tried;
 * 2. `uv tool run` from the wheel inside the extension; uv from its setting, from PATH, or from where it installs itself;
 * 3. an environment in the extension's storage, made from the wheel by a Python of 3.10 or newer;
 * 4. `milepost` on PATH.
 *
 * Each is probed with `--version`; what won and why others did not is logged. Nothing here knows VS Code.
 */

import * as path from 'node:path';
import { pathToFileURL } from 'node:url';

import { lastLine, type Finished, type Run } from './processes';

/** How to start Milepost: `command ...args serve`. `source` says which of the four ways it is. */
export interface Launch {
  readonly source: 'setting' | 'uv' | 'environment' | 'path';
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

/** What the search depends on. */
export interface Surroundings {
  readonly isTrusted: boolean;
  readonly serverCommand: readonly string[];
  readonly uvSetting: string;
  readonly pythonSetting: string;
  /** The wheel in the extension; undefined in a checkout that was not packaged. */
  readonly wheel: string | undefined;
  readonly storage: string;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly run: Run;
  readonly makeEnvironment: MakeEnvironment;
  readonly log: (message: string) => void;
  /** Told before something that takes a while the first time. */
  readonly onSetup: (what: string) => void;
  readonly signal?: AbortSignal;
}

/** Makes, or finds made, the environment in the storage; gives its interpreter. Throws an Error with one sentence. */
export type MakeEnvironment = (python: string, surroundings: Surroundings) => Promise<string>;

/** No way to start the server. The message tells a person what to do. */
export class NoServerError extends Error {
  constructor(
    message: string,
    readonly advice: 'install' | 'setting' | 'logs',
  ) {
    super(message);
  }
}

const PROBE_MS = 20_000;
/** The first `uv tool run` downloads what the server needs. */
const FIRST_RUN_MS = 300_000;

export const MINIMUM_PYTHON = '3.10';

export async function locateServer(surroundings: Surroundings): Promise<Launch> {
  const { log } = surroundings;
  if (surroundings.serverCommand.length > 0) {
    if (surroundings.isTrusted) {
      return fromSetting(surroundings);
    }
    log('milepost.server.command is not used: the workspace is not trusted');
  }
  const failures: string[] = [];
  const ways = [fromUv, fromEnvironment, fromPath];
  for (const way of ways) {
    const found = await way(surroundings, failures);
    throwIfAborted(surroundings.signal);
    if (found !== undefined) {
      log(`Server: ${found.command} ${found.args.join(' ')} (${found.source}, version ${found.version})`);
      return found;
    }
  }
  if (failures.length > 0) {
    throw new NoServerError(`Milepost's server could not be set up: ${failures.join('; ')}.`, 'logs');
  }
  throw new NoServerError(
    `Milepost needs Python ${MINIMUM_PYTHON} or newer, or uv, and found neither. Install one of them, then restart the server.`,
    'install',
  );
}

async function fromSetting(surroundings: Surroundings): Promise<Launch> {
  const [command, ...args] = surroundings.serverCommand;
  const found = command === undefined ? undefined : await probe('setting', expand(command, surroundings), args, surroundings);
  if (found === undefined || typeof found === 'string') {
    throw new NoServerError(
      `The command in the setting milepost.server.command does not start Milepost: ${found ?? 'it is empty'}.`,
      'setting',
    );
  }
  surroundings.log(`Server: ${found.command} ${found.args.join(' ')} (setting, version ${found.version})`);
  return found;
}

async function fromUv(surroundings: Surroundings, failures: string[]): Promise<Launch | undefined> {
  const { wheel, log } = surroundings;
  if (wheel === undefined) {
    log('uv is not tried: this build of the extension carries no wheel');
    return undefined;
  }
  for (const uv of uvPlaces(surroundings)) {
    const version = await surroundings.run(uv, ['--version'], { timeoutMs: PROBE_MS, ...signalOf(surroundings) });
    if (version.code !== 0) {
      log(`uv at ${uv}: ${reasonOf(version)}`);
      continue;
    }
    log(`uv at ${uv}: ${version.stdout.trim()}`);
    surroundings.onSetup('Setting up the server with uv');
    // Not the script `milepost`: uv's needs the program `realpath`, which not every machine has.
    const args = ['tool', 'run', '--from', requirement(wheel), 'python', '-m', 'milepost'];
    const found = await probe('uv', uv, args, surroundings, FIRST_RUN_MS);
    if (typeof found === 'string') {
      failures.push(`uv: ${found}`);
      return undefined;
    }
    return found;
  }
  return undefined;
}

async function fromEnvironment(surroundings: Surroundings, failures: string[]): Promise<Launch | undefined> {
  if (surroundings.wheel === undefined) {
    return undefined;
  }
  const python = await findPython(surroundings);
  if (python === undefined) {
    return undefined;
  }
  try {
    const interpreter = await surroundings.makeEnvironment(python, surroundings);
    const found = await probe('environment', interpreter, ['-m', 'milepost'], surroundings, FIRST_RUN_MS);
    if (typeof found !== 'string') {
      return found;
    }
    failures.push(`${python}: ${found}`);
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  }
  return undefined;
}

async function fromPath(surroundings: Surroundings): Promise<Launch | undefined> {
  const found = await probe('path', 'milepost', [], surroundings);
  if (typeof found === 'string') {
    surroundings.log(`milepost on PATH: ${found}`);
    return undefined;
  }
  return found;
}

/** The first Python that is new enough. */
export async function findPython(surroundings: Surroundings): Promise<string | undefined> {
  const { log } = surroundings;
  for (const [command, ...args] of pythonPlaces(surroundings)) {
    const shown = [command, ...args].join(' ');
    // Printed by itself: the launcher `py -3` is asked for the interpreter behind it.
    const answer = await surroundings.run(
      command,
      [...args, '-c', 'import sys; print("%d.%d" % sys.version_info[:2]); print(sys.executable)'],
      { timeoutMs: PROBE_MS, ...signalOf(surroundings) },
    );
    const [version, executable] = answer.stdout.trim().split(/\r?\n/);
    if (answer.code !== 0 || version === undefined || executable === undefined) {
      log(`Python at ${shown}: ${reasonOf(answer)}`);
    } else if (!isAtLeast(version, MINIMUM_PYTHON)) {
      log(`Python at ${shown}: ${version} is older than ${MINIMUM_PYTHON}`);
    } else {
      log(`Python at ${shown}: ${version}, ${executable}`);
      return executable;
    }
  }
  return undefined;
}

async function probe(
  source: Launch['source'],
  command: string,
  args: readonly string[],
  surroundings: Surroundings,
  timeoutMs = PROBE_MS,
): Promise<Launch | string> {
  const answer = await surroundings.run(command, [...args, '--version'], { timeoutMs, ...signalOf(surroundings) });
  const version = /\bmilepost\b\D*(\d+\.\d+\S*)/i.exec(answer.stdout)?.[1];
  if (answer.code === 0 && version !== undefined) {
    return { source, command, args, version };
  }
  for (const line of answer.stderr.split(/\r?\n/).filter((text) => text.trim() !== '')) {
    surroundings.log(`  ${line}`);
  }
  return answer.code === 0 ? 'it is another program of that name' : reasonOf(answer);
}

function reasonOf(answer: Finished): string {
  return answer.failure || lastLine(answer.stderr) || `it ended with code ${answer.code ?? 'unknown'}`;
}

function uvPlaces(surroundings: Surroundings): string[] {
  if (surroundings.uvSetting !== '' && surroundings.isTrusted) {
    return [expand(surroundings.uvSetting, surroundings)];
  }
  const { home, platform } = surroundings;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const name = platform === 'win32' ? 'uv.exe' : 'uv';
  const places = ['uv', paths.join(home, '.local', 'bin', name), paths.join(home, '.cargo', 'bin', name)];
  if (platform === 'darwin') {
    places.push('/opt/homebrew/bin/uv');
  }
  if (platform !== 'win32') {
    places.push('/usr/local/bin/uv');
  }
  return places;
}

function pythonPlaces(surroundings: Surroundings): [string, ...string[]][] {
  if (surroundings.pythonSetting !== '' && surroundings.isTrusted) {
    return [[expand(surroundings.pythonSetting, surroundings)]];
  }
  const places: [string, ...string[]][] = [['python3'], ['python']];
  if (surroundings.platform === 'win32') {
    return [['py', '-3'], ...places];
  }
  return [...places, ['python3.13'], ['python3.12'], ['python3.11'], ['python3.10']];
}

function expand(command: string, surroundings: Surroundings): string {
  return command.startsWith('~/') ? path.join(surroundings.home, command.slice(2)) : command;
}

/** The wheel as a requirement that uv and pip take, with the extra that brings exact symbols of source code. */
export function requirement(wheel: string): string {
  return `milepost[code] @ ${pathToFileURL(wheel).href}`;
}

function isAtLeast(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = minimum.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function signalOf(surroundings: Surroundings): { signal?: AbortSignal } {
  return surroundings.signal ? { signal: surroundings.signal } : {};
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new NoServerError('The start of the server was cancelled.', 'logs');
  }
}
