/** Whether the server runs, is busy, and what it summarizes with: in the status bar and beside the language. */

import * as vscode from 'vscode';

import type { ServerConnection } from './client';
import { bytes } from './format';
import type { OutlineSession } from './views/session';

export class Status implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly language: vscode.LanguageStatusItem;
  private readonly subscriptions: { dispose(): unknown }[];
  /** What a summary or question says of how far it is; empty while there is none. */
  private running = '';

  constructor(
    private readonly server: ServerConnection,
    private readonly session: OutlineSession,
  ) {
    this.item = vscode.window.createStatusBarItem('milepost.status', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'Milepost';
    this.item.command = 'milepost.showMenu';
    this.language = vscode.languages.createLanguageStatusItem('milepost.status', [
      { scheme: 'file' },
      { scheme: 'milepost' },
    ]);
    this.language.name = 'Milepost';
    this.subscriptions = [
      this.item,
      this.language,
      server.onDidChangeState(() => this.update()),
      session.onDidChange(() => this.update()),
      session.onDidProgress(() => this.update()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('milepost.model')) {
          this.update();
        }
      }),
    ];
    this.update();
    this.item.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  setRunning(text: string): void {
    this.running = text;
    this.update();
  }

  private update(): void {
    const { server, session } = this;
    const state = server.currentState;
    const percentage = session.progress?.percentage;
    const model = session.current?.reply;
    const summarizer = summarizerName();
    this.item.backgroundColor =
      state === 'failed' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.language.busy = false;
    this.language.severity = vscode.LanguageStatusSeverity.Information;
    this.language.command = { command: 'milepost.showMenu', title: 'Menu' };
    if (state === 'failed') {
      this.item.text = '$(warning) Milepost';
      this.language.severity = vscode.LanguageStatusSeverity.Error;
      this.language.text = 'Milepost is not running';
      this.language.detail = server.failure;
      this.language.command = { command: 'milepost.restartServer', title: 'Restart' };
    } else if (state === 'starting') {
      this.item.text = '$(loading~spin) Milepost';
      this.language.busy = true;
      this.language.text = 'Milepost is starting';
      this.language.detail = '';
    } else if (this.running !== '') {
      this.item.text = `$(sync~spin) Milepost: ${this.running}`;
      this.language.busy = true;
      this.language.text = 'Milepost';
      this.language.detail = this.running;
    } else if (session.isLoading || session.progress !== undefined) {
      this.item.text = `$(sync~spin) Milepost${percentage === undefined ? '' : ` ${percentage} %`}`;
      this.language.busy = true;
      this.language.text = 'Milepost';
      this.language.detail = 'Scanning';
    } else {
      this.item.text = '$(milestone) Milepost';
      this.language.text = 'Milepost';
      this.language.detail = [summarizer, ...(model ? [model.format, bytes(model.totalBytes)] : [])].join(' · ');
    }
    this.item.tooltip = this.tooltip(summarizer);
    this.item.accessibilityInformation = { label: `Milepost, ${state}, ${summarizer}` };
  }

  private tooltip(summarizer: string): vscode.MarkdownString {
    const { server } = this;
    const lines = ['**Milepost**', ''];
    if (server.currentState === 'failed') {
      lines.push(server.failure, '');
    } else if (server.launch !== undefined) {
      lines.push(`Server ${server.launch.version}, ${server.currentState}`, '');
    }
    lines.push(`Summaries: ${summarizer}`);
    return new vscode.MarkdownString(lines.join('\n'));
  }
}

/** `offline`, or the model and its host. */
export function summarizerName(): string {
  const settings = vscode.workspace.getConfiguration('milepost.model');
  const host = hostOf(settings.get<string>('baseUrl') ?? '');
  return host === undefined ? 'offline' : `${settings.get<string>('name')?.trim() ?? ''} at ${host}`.trim();
}

/** The host of an endpoint, with its port; undefined where none is set. */
export function hostOf(baseUrl: string): string | undefined {
  try {
    return new URL(baseUrl).host || undefined;
  } catch {
    return undefined;
  }
}
