/** Finding and starting the server from within the editor: its settings, what a first start shows, and how failures are told. */

import { spawn, type ChildProcess } from 'node:child_process';
import * as os from 'node:os';
import * as vscode from 'vscode';

import { showError, type ErrorAction, type Log } from '../log';
import { readSettings } from '../settings';
import { makeEnvironment } from './environment';
import { locateServer, NoServerError, type Launch } from './locate';
import { run } from './processes';

const UV_HELP = 'https://docs.astral.sh/uv/getting-started/installation/';
/** Only what takes a while is worth a notification: the first start fetches what the server needs. */
const SHOW_SETUP_AFTER_MS = 3_000;
const KEPT_LINES = 20;

/** Where to look, beside the settings. */
export interface LaunchOptions {
  readonly log: Log;
  readonly wheel: string | undefined;
  readonly storage: string;
}

/** How to start the server. Throws a NoServerError; `abort` ends the search, also at a person's wish. */
export async function findLaunch({ log, wheel, storage }: LaunchOptions, abort: AbortController): Promise<Launch> {
  const { server } = readSettings();
  let shown: (() => void) | undefined;
  try {
    return await locateServer({
      isTrusted: vscode.workspace.isTrusted,
      serverCommand: server.command,
      uvSetting: server.uv,
      pythonSetting: server.python,
      wheel,
      storage,
      platform: process.platform,
      home: os.homedir(),
      run,
      makeEnvironment,
      log: (message) => log.info(message),
      onSetup: (what) => (shown ??= showSetup(what, () => abort.abort())),
      signal: abort.signal,
    });
  } finally {
    shown?.();
  }
}

function showSetup(what: string, cancel: () => void): () => void {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  const title = `Milepost: ${what} (only the first time)`;
  const timer = setTimeout(() => {
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (_, token) => {
        token.onCancellationRequested(cancel);
        return done;
      },
    );
  }, SHOW_SETUP_AFTER_MS);
  return () => {
    clearTimeout(timer);
    end();
  };
}

/** The server's process. `lastLines` is given what it wrote last, to explain its death. */
export function spawnServer(
  launch: Launch,
  environment: Record<string, string>,
  log: Log,
  lastLines: string[],
): ChildProcess {
  const child = spawn(launch.command, [...launch.args, 'serve'], {
    env: { ...process.env, ...environment },
    windowsHide: true,
  });
  child.stderr.on('data', (data: Buffer) => {
    const lines = data.toString().split(/\r?\n/);
    lastLines.push(...lines.filter((line) => line.trim() !== ''));
    lastLines.splice(0, Math.max(0, lastLines.length - KEPT_LINES));
  });
  child.on('exit', (code, signal) => log.info(`The server ended (${signal ?? `code ${code ?? 'unknown'}`})`));
  return child;
}

/** Tell a person why the server does not run, with what they can do about it. */
export function showStartFailure(log: Log, message: string, error: unknown, restart: () => unknown): void {
  const actions: ErrorAction[] = [{ title: 'Restart', run: restart }];
  if (error instanceof NoServerError && error.advice === 'install') {
    actions.unshift({ title: 'Install uv…', run: () => vscode.env.openExternal(vscode.Uri.parse(UV_HELP)) });
  } else if (error instanceof NoServerError && error.advice === 'setting') {
    actions.unshift({
      title: 'Open Setting',
      run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'milepost.server.command'),
    });
  }
  showError(log, message, ...actions);
}
