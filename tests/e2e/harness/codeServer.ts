/** A code-server of its own folders: VS Code's workbench in a browser, with a real extension host. */

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = process.env.MILEPOST_E2E_ROOT ?? '';
export const PYTHON = process.env.MILEPOST_PYTHON ?? 'python3';
export const CHECKOUT = join(import.meta.dirname, '..', '..', '..');
export const VSIX = join(CHECKOUT, 'client-vscode', 'milepost.vsix');

/** The settings of a quiet workbench. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
  'editor.minimap.enabled': false,
};

export interface CodeServerOptions {
  /** Beside the quiet ones. */
  readonly settings?: Record<string, unknown>;
  /** Settings of the machine: those of milepost.server and milepost.model. */
  readonly machine?: Record<string, unknown>;
  /** The environment; without it this process's own. */
  readonly env?: NodeJS.ProcessEnv;
  /** Which of the installed code-servers. */
  readonly version?: 'code-server' | 'code-server-old';
  /** Without the extension: what to compare with. */
  readonly bare?: boolean;
  /** Ask before a folder is trusted, as a desktop does. */
  readonly asksForTrust?: boolean;
}

/** Those that run: none may outlive the tests, however these end. */
const running = new Set<number>();
process.on('exit', () => running.forEach(killGroup));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => process.exit(1));
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

export class CodeServer {
  readonly url: string;
  readonly data: string;
  readonly #process: ChildProcess;
  /** What each file of settings holds when a scenario begins. */
  readonly #settings: ReadonlyMap<string, string>;

  private constructor(url: string, data: string, process: ChildProcess, settings: ReadonlyMap<string, string>) {
    this.url = url;
    this.data = data;
    this.#process = process;
    this.#settings = settings;
  }

  /** Start one on a port of its own, with the packaged extension installed into a clean profile. */
  static async start(options: CodeServerOptions = {}): Promise<CodeServer> {
    const version = options.version ?? 'code-server';
    const data = mkdtempSync(join(tmpdir(), 'milepost-e2e-'));
    const extensions = join(data, 'extensions');
    mkdirSync(join(data, 'User'), { recursive: true });
    const trust = options.asksForTrust === true ? { 'security.workspace.trust.startupPrompt': 'never' } : {};
    const settings = {
      ...QUIET,
      'security.workspace.trust.enabled': options.asksForTrust === true,
      ...trust,
      ...options.settings,
    };
    // What names programs on this machine and addresses reached from it is no user setting on a remote.
    mkdirSync(join(data, 'Machine'));
    const files = new Map([
      [join(data, 'User', 'settings.json'), JSON.stringify(settings, undefined, 2)],
      [join(data, 'Machine', 'settings.json'), JSON.stringify(options.machine ?? {}, undefined, 2)],
    ]);
    files.forEach((text, file) => writeFileSync(file, text));
    const node = version === 'code-server' ? join(ROOT, 'node24', 'bin', 'node') : join(ROOT, 'node20', 'bin', 'node');
    const entry = join(ROOT, version, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
    const folders = ['--user-data-dir', data, '--extensions-dir', extensions];
    if (options.bare !== true) {
      await promisify(execFile)(node, [entry, ...folders, '--install-extension', VSIX, '--force'], { timeout: 60_000 });
    }
    const port = await freePort();
    const args = [entry, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry'];
    args.push('--disable-update-check', '--disable-getting-started-override');
    if (version === 'code-server') {
      args.push('--reconnection-grace-time', '3');
    }
    if (options.asksForTrust !== true) {
      args.push('--disable-workspace-trust');
    }
    args.push('--config', join(data, 'config.yaml'), ...folders);
    // VSCODE_CLI: the extension host has this environment, and not what a login shell makes of it.
    const process_ = spawn(node, args, {
      detached: true,
      stdio: 'ignore',
      env: { ...(options.env ?? process.env), VSCODE_CLI: '1' },
    });
    const server = new CodeServer(`http://127.0.0.1:${port}`, data, process_, files);
    running.add(server.processId);
    await server.#untilHealthy();
    return server;
  }

  async #untilHealthy(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      try {
        if ((await fetch(`${this.url}/healthz`)).ok) {
          return;
        }
      } catch {
        // not yet
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('code-server did not start');
  }

  /** Undo what a scenario before has set. */
  restoreSettings(): void {
    this.#settings.forEach((text, file) => {
      if (readFileSync(file, 'utf8') !== text) {
        writeFileSync(file, text);
      }
    });
  }

  /** Change the machine's settings while it runs. */
  set(settings: Record<string, unknown>): void {
    const file = join(this.data, 'Machine', 'settings.json');
    const now = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...now, ...settings }, undefined, 2));
  }

  /** The extension host of the page that is open, and all that it has started. */
  hostProcesses(): number[] {
    const all = processesBelow(this.processId);
    const hosts = all.filter(({ command }) => command.includes('--type=extensionHost')).map(({ pid }) => pid);
    return [...hosts, ...hosts.flatMap((pid) => processesBelow(pid).map((child) => child.pid))];
  }

  get processId(): number {
    return this.#process.pid ?? 0;
  }

  async stop(): Promise<void> {
    try {
      process.kill(-this.processId, 'SIGTERM');
    } catch {
      // it has ended
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    killGroup(this.processId);
    running.delete(this.processId);
    rmSync(this.data, {
      recursive: true,
      force: true,
      maxRetries: 5,
      retryDelay: 200,
    });
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** The processes below another, with their command lines: `{ pid, command }`. */
export function processesBelow(root: number): { pid: number; command: string }[] {
  const parents = new Map<number, number>();
  const commands = new Map<number, string>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
      commands.set(Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim());
    } catch {
      // it has ended
    }
  }
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) {
      if (at === root) {
        return true;
      }
    }
    return false;
  };
  return [...parents.keys()].filter(isBelow).map((pid) => ({ pid, command: commands.get(pid) ?? '' }));
}
