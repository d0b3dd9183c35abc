/**
 * The outline of the file that a person looks at: loads it while the sidebar shows, follows changes, and stops on leaving.
 */

import * as vscode from 'vscode';

import type { ServerConnection } from '../client';
import { activeFile, isInFront, isOpen, nameOf } from '../files';
import { OutlineModel } from '../outline/model';
import { OUTLINING, type ServerProgress } from '../server/middleware';
import type { OutlineChangedParams } from '../protocol';
import { readSettings } from '../settings';

const REMEMBERED = 12;

export class OutlineSession implements vscode.Disposable {
  /** The outline that the sidebar shows; undefined where no file is looked at. */
  current: OutlineModel | undefined;

  /** How far the server is with the file that is shown; undefined where it does not work on it. */
  progress: ServerProgress | undefined;

  private readonly models = new Map<string, OutlineModel>();
  /** Files whose outline is no longer the latest: asked for again when they are shown. */
  private readonly outdated = new Set<string>();
  private readonly loads = new Map<string, { abort: AbortController; done: Promise<void> }>();
  private readonly running = new Map<string | number, ServerProgress>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly progressed = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[];
  private isVisible = false;
  /** There is another outline to show, or none. */
  readonly onDidChange = this.changed.event;
  /** Something is under way, has come further, or has ended; the outline is still the same. */
  readonly onDidProgress = this.progressed.event;

  constructor(private readonly server: ServerConnection) {
    this.subscriptions = [
      this.changed,
      this.progressed,
      vscode.window.tabGroups.onDidChangeTabs(() => this.follow()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.follow()),
      vscode.workspace.onDidRenameFiles(({ files }) => files.forEach(({ oldUri }) => this.forget(oldUri.toString()))),
      server.onOutlineChanged((params) => this.onOutlineChanged(params)),
      server.onServerProgress((progress) => this.onProgress(progress)),
      server.onDidChangeState((state) => this.onState(state)),
    ];
    this.follow();
  }

  dispose(): void {
    for (const { abort } of this.loads.values()) {
      abort.abort();
    }
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Only what is seen is scanned: the file may be huge, and on a slow network. */
  setVisible(isVisible: boolean): void {
    this.isVisible = isVisible;
    this.follow();
    if (isVisible) {
      this.loadIfWanted();
    }
  }

  modelOf(uri: string): OutlineModel | undefined {
    return this.models.get(uri);
  }

  /** The outline of a file, loaded. Throws a RequestError where there is none. */
  async loaded(uri: vscode.Uri): Promise<OutlineModel> {
    const model = this.ensure(uri);
    if (model.reply === undefined || this.outdated.has(model.uri)) {
      await this.load(model);
    }
    if (model.error !== undefined) {
      throw model.error;
    }
    return model;
  }

  /** Ask for the outline of the shown file again. */
  async refresh(): Promise<void> {
    if (this.current !== undefined) {
      await this.load(this.current);
    }
  }

  private ensure(uri: vscode.Uri): OutlineModel {
    const key = uri.toString();
    const known = this.models.get(key) ?? new OutlineModel(key, this.server);
    // The last used are the last to go.
    this.models.delete(key);
    this.models.set(key, known);
    for (const old of this.models.keys()) {
      if (this.models.size <= REMEMBERED) {
        break;
      }
      this.forget(old);
    }
    return known;
  }

  private forget(key: string): void {
    this.stop(key);
    this.models.delete(key);
    this.outdated.delete(key);
  }

  /** Show the outline of the active tab. A tab that is no file (settings, a summary) leaves what was shown. */
  private follow(): void {
    const uri = activeFile();
    const shown = this.current;
    if (uri === undefined) {
      if (shown !== undefined && !isOpen(vscode.Uri.parse(shown.uri))) {
        this.leave(shown);
        this.current = undefined;
        this.changed.fire();
      }
      return;
    }
    if (shown?.uri === uri.toString()) {
      return;
    }
    if (shown !== undefined) {
      this.leave(shown);
    }
    this.current = this.ensure(uri);
    this.progress = this.progressOf(this.current);
    this.changed.fire();
    this.loadIfWanted();
  }

  private leave(model: OutlineModel): void {
    if (isInFront(vscode.Uri.parse(model.uri))) {
      return;
    }
    this.stop(model.uri);
    const progress = this.progressOf(model);
    if (progress !== undefined) {
      // The scan goes on behind a provisional outline until it is told to stop.
      this.server.cancelProgress(progress.token);
      this.outdated.add(model.uri);
    }
  }

  private stop(key: string): void {
    this.loads.get(key)?.abort.abort();
    this.loads.delete(key);
  }

  private loadIfWanted(): void {
    const model = this.current;
    if (model === undefined || !this.isVisible || this.loads.has(model.uri)) {
      return;
    }
    if (model.phase === 'none' || model.phase === 'failed' || this.outdated.has(model.uri)) {
      void this.load(model);
    }
  }

  private load(model: OutlineModel): Promise<void> {
    this.stop(model.uri);
    const abort = new AbortController();
    this.outdated.delete(model.uri);
    const done = model.load(abort.signal).then(() => {
      if (this.loads.get(model.uri)?.abort === abort) {
        this.loads.delete(model.uri);
      }
      if (model === this.current) {
        this.changed.fire();
      }
    });
    this.loads.set(model.uri, { abort, done });
    if (model === this.current) {
      this.progressed.fire();
    }
    return done;
  }

  /** Whether the shown file is being asked about. */
  get isLoading(): boolean {
    return this.current !== undefined && this.loads.has(this.current.uri);
  }

  private onOutlineChanged(params: OutlineChangedParams): void {
    const model = this.models.get(params.uri);
    if (model === undefined) {
      return;
    }
    if (params.reason === 'digests') {
      model.addDigests(params.digests ?? []);
      if (model === this.current) {
        this.changed.fire();
      }
      return;
    }
    this.outdated.add(model.uri);
    const isEdited = vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.toString() === model.uri);
    const isSmall = params.totalBytes <= readSettings().view.autoRefreshBytes;
    if (params.reason === 'changed' && !isSmall && !isEdited) {
      // A large file that became another one is scanned again when somebody wants it.
      model.isStale = true;
      this.outdated.delete(model.uri);
      if (model === this.current) {
        this.changed.fire();
      }
      return;
    }
    if (model === this.current && this.isVisible) {
      void this.load(model);
    }
  }

  private onProgress(progress: ServerProgress): void {
    if (progress.ended) {
      this.running.delete(progress.token);
    } else {
      this.running.set(progress.token, progress);
    }
    const now = this.current && this.progressOf(this.current);
    if (now !== this.progress) {
      this.progress = now;
      this.progressed.fire();
    }
  }

  /** The server says the name of the file and not its URI. */
  private progressOf(model: OutlineModel): ServerProgress | undefined {
    const title = OUTLINING + nameOf(vscode.Uri.parse(model.uri));
    return [...this.running.values()].find((one) => one.title === title);
  }

  private onState(state: string): void {
    if (state !== 'running') {
      this.running.clear();
      this.progress = undefined;
    } else {
      // A new server knows nothing of the files that the old one watched.
      for (const key of this.models.keys()) {
        this.outdated.add(key);
      }
      this.loadIfWanted();
    }
    this.changed.fire();
  }
}
