/** Shows runs beside the file. The page runs no script and loads nothing; its links are commands of this extension. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

import { escapeHtml, htmlOf, titleOf, type Links } from './document';
import { STYLE } from './style';
import type { Run } from './runs';

/** The commands that a page may name. */
const ALLOWED = [
  'milepost.openPlace',
  'milepost.resume',
  'milepost.askFile',
  'milepost.openMarkdown',
  'milepost.openDump',
];

export class SummaryPanels implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  constructor(private readonly media: vscode.Uri) {}

  dispose(): void {
    for (const panel of this.panels.values()) {
      panel.dispose();
    }
  }

  show(run: Run): void {
    const key = `${run.file}\n${run.question}\n${JSON.stringify(run.scope)}`;
    const panel = this.panels.get(key) ?? this.create(key);
    panel.title = run.question === '' ? titleOf(run) : `Answer: ${run.question}`;
    panel.webview.html = page(run);
    panel.reveal(undefined, true);
  }

  private create(key: string): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      'milepost.summary',
      'Milepost',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: false, enableCommandUris: ALLOWED, localResourceRoots: [], enableFindWidget: true },
    );
    panel.iconPath = {
      light: vscode.Uri.joinPath(this.media, 'milepost-light.svg'),
      dark: vscode.Uri.joinPath(this.media, 'milepost-dark.svg'),
    };
    panel.onDidDispose(() => this.panels.delete(key));
    this.panels.set(key, panel);
    return panel;
  }
}

function page(run: Run): string {
  const nonce = randomBytes(16).toString('hex');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(titleOf(run))}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
${htmlOf(run, links(run))}
</main>
</body>
</html>`;
}

function links(run: Run): Links {
  const address = (command: string, ...values: unknown[]): string =>
    `command:${command}?${encodeURIComponent(JSON.stringify(values))}`;
  return {
    place: (start, end, hash) => address('milepost.openPlace', { file: run.file, start, end, hash }),
    command: (name, argument) => {
      switch (name) {
        case 'resume':
          return address('milepost.resume', argument);
        case 'ask':
          return address('milepost.askFile', ...(JSON.parse(argument) as string[]));
        case 'markdown':
          return address('milepost.openMarkdown', argument);
        case 'dump':
          return address('milepost.openDump', argument);
      }
    },
  };
}
