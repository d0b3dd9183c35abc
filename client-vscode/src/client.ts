/**
 * The connection to the server: found and started once, restarted one at a time, and asked through `request`.
 *
 * A server that died is started again, three times within as many minutes; then a person is told why, with the last
 * lines it wrote.
 */

import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  WorkDoneProgress,
  WorkDoneProgressCancelNotification,
  type LanguageClientOptions,
} from 'vscode-languageclient/node';

import { NoServerError, type Launch } from './server/locate';
import { middleware, type ServerProgress } from './server/middleware';
import { lastLine } from './server/processes';
import { SingleFlight } from './server/singleFlight';
import { findLaunch, showStartFailure, spawnServer, type LaunchOptions } from './server/start';
import {
  OUTLINE_CHANGED,
  RequestError,
  requestErrorOf,
  type Method,
  type OutlineChangedParams,
  type Params,
  type Requester,
  type RequestOptions,
  type Requests,
} from './protocol';

export type ConnectionState = 'stopped' | 'starting' | 'running' | 'failed';

/** What the connection needs from the extension. */
export interface ConnectionOptions extends LaunchOptions {
  readonly serverSettings: () => Record<string, unknown>;
  /** What is added to the server's environment: the model's key. */
  readonly environment: () => Promise<Record<string, string>>;
}

const RESTARTS = 3;
const RESTARTS_WITHIN_MS = 180_000;
const STOP_MS = 2_000;
const SETTINGS_WITHIN_MS = 2_000;
/** How long a stopped summary may take to answer with what was found: a model's call may be under way. */
const STOPPED_WITHIN_MS = 15_000;

export class ServerConnection implements Requester, vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<ConnectionState>();
  private readonly outlineChanged = new vscode.EventEmitter<OutlineChangedParams>();
  private readonly serverProgress = new vscode.EventEmitter<ServerProgress>();
  readonly onDidChangeState = this.stateChanged.event;
  readonly onOutlineChanged = this.outlineChanged.event;
  readonly onServerProgress = this.serverProgress.event;

  /** What the server said of itself when it began: how it was started, or why it was not. */
  launch: Launch | undefined;
  failure = '';

  private state: ConnectionState = 'stopped';
  private client: LanguageClient | undefined;
  private readonly starts = new SingleFlight(() => this.startOnce());
  private readonly deaths: number[] = [];
  private readonly lastLines: string[] = [];
  private isDisposed = false;
  private setup: AbortController | undefined;
  private settingsAsked: () => void = () => undefined;

  constructor(private readonly options: ConnectionOptions) {}

  get currentState(): ConnectionState {
    return this.state;
  }

  /** Start the server unless it runs or is being started. Never throws: see the state. */
  async start(): Promise<void> {
    if (this.state !== 'running') {
      await (this.starts.current ?? this.starts.run());
    }
  }

  /** Stop the server and start it anew. Those who ask meanwhile get the same restart. */
  async restart(): Promise<void> {
    this.deaths.length = 0;
    this.setup?.abort();
    await this.starts.run();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      try {
        await client.dispose(STOP_MS);
      } catch (error) {
        this.options.log.debug(`The server did not stop in time: ${String(error)}`);
      }
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.setup?.abort();
    void this.stop();
    for (const emitter of [this.stateChanged, this.outlineChanged, this.serverProgress]) {
      emitter.dispose();
    }
  }

  private setState(state: ConnectionState): void {
    if (state !== this.state) {
      this.state = state;
      this.stateChanged.fire(state);
    }
  }

  private async startOnce(): Promise<void> {
    const { log } = this.options;
    if (this.isDisposed) {
      return;
    }
    this.setState('starting');
    await this.stop();
    this.setup = new AbortController();
    try {
      this.launch = await findLaunch(this.options, this.setup);
      const client = this.createClient(this.launch);
      this.client = client;
      client.onNotification(OUTLINE_CHANGED, (params: OutlineChangedParams) => this.outlineChanged.fire(params));
      await client.start();
      this.failure = '';
      this.setState('running');
    } catch (error) {
      await this.stop();
      this.fail(error);
    }
    log.debug(`The server is ${this.state}`);
  }

  private fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const reason = lastLine(this.lastLines.join('\n'));
    this.failure =
      error instanceof NoServerError
        ? message
        : `Milepost's server did not start: ${[message, reason].filter((part) => part !== '').join(' · ')}`;
    this.setState('failed');
    showStartFailure(this.options.log, this.failure, error, () => this.restart());
  }

  private createClient(launch: Launch): LanguageClient {
    const { log, serverSettings } = this.options;
    this.lastLines.length = 0;
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: middleware({
        serverSettings: () => {
          // Resolved after the answer has gone out.
          setTimeout(this.settingsAsked, 0);
          return serverSettings();
        },
        onServerProgress: (progress) => this.serverProgress.fire(progress),
      }),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.onDeath();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
    return new LanguageClient('milepost', 'Milepost', () => this.spawn(launch), options);
  }

  private async spawn(launch: Launch): Promise<ChildProcess> {
    return spawnServer(launch, await this.options.environment(), this.options.log, this.lastLines);
  }

  /** The server is gone without having been asked to go. */
  private onDeath(): void {
    const { log } = this.options;
    if (this.isDisposed || this.state !== 'running') {
      return; // a failing start is told by the start
    }
    const now = Date.now();
    this.deaths.push(now);
    const recent = this.deaths.filter((when) => now - when < RESTARTS_WITHIN_MS);
    this.setState('stopped');
    if (recent.length <= RESTARTS) {
      log.warn(`The server died; it is started again (${recent.length} of ${RESTARTS})`);
      void this.starts.run();
      return;
    }
    this.failure =
      `Milepost's server died ${recent.length} times in a short while. ${lastLine(this.lastLines.join('\n'))}`.trim();
    this.setState('failed');
    showStartFailure(log, this.failure, undefined, () => this.restart());
  }

  /** Ask the server. Starts it where it is not running. Rejects with a RequestError. */
  async request<M extends Method>(
    method: M,
    params: Params<M>,
    options: RequestOptions = {},
  ): Promise<Requests[M]['result']> {
    const client = await this.running();
    const { signal, onProgress } = options;
    if (signal?.aborted) {
      throw new RequestError('The request was cancelled.', 'cancelled');
    }
    const source = new vscode.CancellationTokenSource();
    const workDoneToken = onProgress ? randomUUID() : undefined;
    const cancel = (): void => {
      if (workDoneToken === undefined || options.answersWhenStopped !== true) {
        source.cancel();
        return;
      }
      void client.sendNotification(WorkDoneProgressCancelNotification.type, { token: workDoneToken });
      // Where the work had not begun, nothing is there to be stopped.
      setTimeout(() => source.cancel(), STOPPED_WITHIN_MS).unref();
    };
    const progress =
      onProgress && workDoneToken !== undefined
        ? client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
            if (value.kind !== 'end') {
              onProgress({ message: value.message ?? '', percentage: value.percentage });
            }
          })
        : undefined;
    signal?.addEventListener('abort', cancel);
    try {
      const sent = workDoneToken === undefined ? params : { ...params, workDoneToken };
      return await client.sendRequest<Requests[M]['result']>(method, sent, source.token);
    } catch (error) {
      throw this.state === 'running' ? requestErrorOf(error) : new RequestError('The server has ended.', 'stopped');
    } finally {
      signal?.removeEventListener('abort', cancel);
      progress?.dispose();
      source.dispose();
    }
  }

  private async running(): Promise<LanguageClient> {
    if (this.state === 'stopped' || this.state === 'starting') {
      await this.start();
    }
    if (this.client === undefined || this.state !== 'running') {
      throw new RequestError(this.failure || "Milepost's server is not running.", 'stopped');
    }
    return this.client;
  }

  /** Have the server read its settings again: something has changed that is no setting of the editor. */
  async refreshSettings(): Promise<void> {
    if (this.client === undefined || this.state !== 'running') {
      return;
    }
    const asked = new Promise<void>((resolve) => (this.settingsAsked = resolve));
    await this.client.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    // What is sent after this finds the new settings: the server asks for them before it reads on.
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, SETTINGS_WITHIN_MS))]);
  }

  /** End something that the server shows of its own accord. */
  cancelProgress(token: string | number): void {
    if (this.client !== undefined && this.state === 'running') {
      void this.client.sendNotification(WorkDoneProgressCancelNotification.type, { token });
    }
  }
}
