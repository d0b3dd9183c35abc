/** What the commands work with, and how they are registered. */

import * as vscode from 'vscode';

import type { ServerConnection } from '../client';
import type { CopiedAnchors } from '../copiedAnchors';
import { activeFile } from '../files';
import { showError, type Log } from '../log';
import type { Navigator } from '../navigation';
import { requestErrorOf } from '../protocol';
import type { ApiKeys, Consent } from '../summaries/consent';
import type { SummaryPanels } from '../summaries/panel';
import type { Runner } from '../summaries/runner';
import type { Runs } from '../summaries/runs';
import type { AnswersView } from '../views/answersView';
import type { OutlineSession } from '../views/session';
import type { OutlineView } from '../views/outlineView';
import type { RangeWindows } from '../window/windows';

/** The parts of the extension. */
export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly server: ServerConnection;
  readonly session: OutlineSession;
  readonly outline: OutlineView;
  readonly windows: RangeWindows;
  readonly navigator: Navigator;
  readonly anchors: CopiedAnchors;
  readonly runs: Runs;
  readonly runner: Runner;
  readonly answers: AnswersView;
  readonly panels: SummaryPanels;
  readonly consent: Consent;
  readonly keys: ApiKeys;
}

/** A command's work. Its arguments come from menus, trees, links and keybindings: they are checked, not trusted. */
export type Command = (...values: unknown[]) => unknown;

/** Register commands. An error becomes a message with "Show Logs"; what a person cancelled becomes nothing. */
export function register(parts: Parts, commands: Record<string, Command>): void {
  for (const [id, command] of Object.entries(commands)) {
    parts.context.subscriptions.push(
      vscode.commands.registerCommand(id, async (...values: unknown[]) => {
        try {
          return await command(...values);
        } catch (error) {
          const { kind, message } = requestErrorOf(error);
          if (kind === 'internal') {
            parts.log.error(error instanceof Error ? error : String(error));
          }
          if (kind !== 'cancelled') {
            showError(parts.log, message);
          }
          return undefined;
        }
      }),
    );
  }
}

/** The file of the active tab; where there is none, a person is told. */
export function wantedFile(): vscode.Uri | undefined {
  const uri = activeFile();
  if (uri === undefined) {
    void vscode.window.showInformationMessage('Open a file first: Milepost works on the file of the active tab.');
  }
  return uri;
}

/** Do something that may take a while, with a notification that can be cancelled. */
export async function withNotification<T>(
  title: string,
  work: (signal: AbortSignal, report: (message: string, percentage?: number) => void) => Promise<T>,
): Promise<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      let reported = 0;
      return work(abort.signal, (message, percentage) => {
        const increment = percentage === undefined ? undefined : Math.max(0, percentage - reported);
        reported += increment ?? 0;
        progress.report(increment === undefined ? { message } : { message, increment });
      });
    },
  );
}

/** The same in the status bar: for what is mostly quick. */
export async function inStatusBar<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    work(new AbortController().signal),
  );
}
