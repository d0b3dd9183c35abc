/** Short-lived programs: run to their end, with a time limit, and what they printed. */

import { spawn } from 'node:child_process';

export interface Finished {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it could not be run to its end; empty where it could. */
  readonly failure: string;
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

export type Run = (command: string, args: readonly string[], options: RunOptions) => Promise<Finished>;

const KEPT_CHARACTERS = 20_000;

/** Run a program without a shell. Never throws: what went wrong is in the result. */
export const run: Run = (command, args, options) =>
  new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    let failure = '';
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: options.env ?? process.env,
      windowsHide: true,
      // Its own group, so that a time limit ends what it has started too.
      detached: process.platform !== 'win32',
    });
    const end = (reason: string): void => {
      failure = reason;
      killTree(child.pid);
    };
    const timer = setTimeout(() => end(`no end after ${Math.round(options.timeoutMs / 1000)} s`), options.timeoutMs);
    const onAbort = (): void => end('cancelled');
    options.signal?.addEventListener('abort', onAbort);
    child.stdout.on('data', (data: Buffer) => (stdout = (stdout + data.toString()).slice(-KEPT_CHARACTERS)));
    child.stderr.on('data', (data: Buffer) => (stderr = (stderr + data.toString()).slice(-KEPT_CHARACTERS)));
    const finish = (code: number | null): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      resolve({ code: code ?? undefined, stdout, stderr, failure });
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      failure = error.code === 'ENOENT' ? 'not found' : error.message;
      finish(null);
    });
    child.on('close', (code) => finish(code));
  });

function killTree(pid: number | undefined): void {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The last line that says something: what a person is told of a program that failed. */
export function lastLine(text: string): string {
  return (
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .at(-1) ?? ''
  );
}
