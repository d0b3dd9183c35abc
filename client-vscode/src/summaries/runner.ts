/** Runs summaries and questions: agreed to, shown while they go on, kept, and gone on with. */

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';

import type { ServerConnection } from '../client';
import { nameOf, shownPath } from '../files';
import { clip } from '../format';
import { RequestError, requestErrorOf, type AskReply, type Quote, type SummarizeReply } from '../protocol';
import type { Log } from '../log';
import type { Status } from '../status';
import type { Consent } from './consent';
import type { Run, Runs, Scope } from './runs';

/** What is asked: an empty question is a summary. */
export interface Asked {
  readonly uri: vscode.Uri;
  readonly question: string;
  readonly scope: Scope;
  readonly cursor?: string;
}

type Reply = SummarizeReply | AskReply;

const REPLY_BYTES = 200_000;

export class Runner implements vscode.Disposable {
  private readonly underWay = new Map<AbortController, string>();

  constructor(
    private readonly server: ServerConnection,
    private readonly runs: Runs,
    private readonly consent: Consent,
    private readonly status: Status,
    private readonly log: Log,
  ) {}

  dispose(): void {
    this.cancelAll();
  }

  /** Stop all that is under way; what was found is kept. Gives how many there were. */
  cancelAll(): number {
    const count = this.underWay.size;
    for (const abort of this.underWay.keys()) {
      abort.abort();
    }
    return count;
  }

  /** Run it to its end, or until a person stops it. Undefined where they did not agree to what is sent. */
  async run(asked: Asked): Promise<Run | undefined> {
    const name = nameOf(asked.uri);
    if (!(await this.isAgreed(asked))) {
      void vscode.window.showInformationMessage(`Nothing was sent, and ${name} was not read.`);
      return undefined;
    }
    const verb = asked.question === '' ? 'summarizing' : 'reading';
    const reply = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `Milepost: ${verb} ${name}`, cancellable: true },
      (progress, token) => this.request(asked, progress, token),
    );
    const run: Run = {
      id: randomUUID(),
      when: Date.now(),
      file: asked.uri.toString(),
      path: shownPath(asked.uri),
      question: asked.question,
      scope: asked.scope,
      reply,
      hashes: await this.hashesOf(asked.uri, reply.answer?.quotes ?? []),
    };
    await this.runs.add(run);
    return run;
  }

  private async request(
    asked: Asked,
    progress: vscode.Progress<{ message?: string; increment?: number }>,
    token: vscode.CancellationToken,
  ): Promise<Reply> {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    this.underWay.set(abort, nameOf(asked.uri));
    let reported = 0;
    this.status.setRunning('reading');
    try {
      return await this.send(asked, {}, abort.signal, (message, percentage) => {
        const increment = Math.max(0, (percentage ?? 0) - reported);
        reported += increment;
        progress.report({ message, increment });
        this.status.setRunning(/^chunk [\d,]+ of [\d,]+/.exec(message)?.[0] ?? 'reading');
      });
    } finally {
      this.underWay.delete(abort);
      this.status.setRunning(this.underWay.size === 0 ? '' : 'reading');
    }
  }

  private send(
    asked: Asked,
    more: { estimateOnly?: boolean },
    signal?: AbortSignal,
    onProgress?: (message: string, percentage: number | undefined) => void,
  ): Promise<Reply> {
    const { scope, question, cursor } = asked;
    const params = {
      uri: asked.uri.toString(),
      maxBytes: REPLY_BYTES,
      ...(scope.section === undefined ? {} : { section: scope.section.id }),
      ...(scope.lines === undefined ? {} : { startLine: scope.lines.start, endLine: scope.lines.end }),
      ...(cursor === undefined ? {} : { cursor }),
      ...more,
    };
    const options = {
      answersWhenStopped: true,
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined
        ? {}
        : {
            onProgress: ({ message, percentage }: { message: string; percentage: number | undefined }) =>
              onProgress(message, percentage),
          }),
    };
    return question === ''
      ? this.server.request('milepost/summarize', params, options)
      : this.server.request('milepost/ask', { ...params, question }, options);
  }

  /** Without an endpoint nothing leaves the machine, and nobody has to be asked. */
  private async isAgreed(asked: Asked): Promise<boolean> {
    const baseUrl = vscode.workspace.getConfiguration('milepost.model').get<string>('baseUrl') ?? '';
    if (baseUrl === '') {
      return true;
    }
    const reply = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: 'Milepost' },
      () => this.send(asked, { estimateOnly: true }),
    );
    const { estimate } = reply;
    if (estimate === undefined || estimate.allowed) {
      return true;
    }
    if (!(await this.consent.ask(estimate, nameOf(asked.uri)))) {
      return false;
    }
    await this.server.refreshSettings();
    return true;
  }

  /** What stands now where the quotes are. */
  private async hashesOf(uri: vscode.Uri, quotes: readonly Quote[]): Promise<(string | null)[]> {
    const hashes: (string | null)[] = [];
    for (const { startLine, endLine } of quotes.slice(0, MAX_HASHES)) {
      try {
        const anchor = { startLine, endLine };
        const reply = await this.server.request('milepost/resolveAnchor', { uri: uri.toString(), anchor });
        hashes.push(reply.anchor.headHash ?? null);
      } catch (error) {
        this.log.debug(`No hash for line ${startLine}: ${requestErrorOf(error).message}`);
        hashes.push(null);
      }
    }
    return hashes;
  }

  /** Go on where a run stopped. Throws where there is nothing to go on with. */
  async resume(run: Run | undefined): Promise<Run | undefined> {
    if (run === undefined || run.reply.cursor === '') {
      throw new RequestError('There is no summary or answer that stopped before the end of its file.', 'not_found');
    }
    this.log.info(`Going on with ${run.question === '' ? 'the summary' : clip(run.question, 80)} of ${run.path}`);
    const { question, scope, reply } = run;
    return this.run({ uri: vscode.Uri.parse(run.file), question, scope, cursor: reply.cursor });
  }
}

const MAX_HASHES = 12;
