/** The server itself: restart, logs, and the menu behind the status bar's item. */

import * as vscode from 'vscode';

import type { ConnectionState } from '../client';
import type { Launch } from '../server/locate';
import { summarizerName } from '../status';
import { register, type Parts } from './parts';

interface MenuItem extends vscode.QuickPickItem {
  readonly command?: string;
}

export function registerServer(parts: Parts): void {
  register(parts, {
    'milepost.restartServer': () => parts.server.restart(),
    'milepost.showLogs': () => parts.log.show(),
    'milepost.showMenu': async () => {
      const picked = await vscode.window.showQuickPick(menu(parts), { title: 'Milepost' });
      if (picked?.command !== undefined) {
        await vscode.commands.executeCommand(picked.command);
      }
    },
  });
}

const SOURCES: Record<Launch['source'], string> = {
  setting: 'by milepost.server.command',
  uv: 'by uv',
  environment: 'by Python',
  path: 'from PATH',
};

/** `running, version 0.1.0, by uv` */
function describe(state: ConnectionState, launch: Launch | undefined): string {
  return launch === undefined ? state : `${state}, version ${launch.version}, ${SOURCES[launch.source]}`;
}

function menu(parts: Parts): MenuItem[] {
  const { currentState, launch, failure } = parts.server;
  const isFailed = currentState === 'failed';
  const separator = (label: string): MenuItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items: MenuItem[] = isFailed
    ? []
    : [
        { label: '$(list-tree) Go to Section…', command: 'milepost.goToSection' },
        { label: '$(search) Find in File…', command: 'milepost.findInFile' },
        { label: '$(book) Summarize File', command: 'milepost.summarizeFile' },
        { label: '$(comment-discussion) Ask About File…', command: 'milepost.askFile' },
        separator('Model'),
        { label: '$(hubot) Choose Model…', description: summarizerName(), command: 'milepost.chooseModel' },
      ];
  return [
    ...items,
    separator('Server'),
    {
      label: '$(debug-restart) Restart Server',
      description: isFailed ? 'not running' : describe(currentState, launch),
      ...(isFailed ? { detail: failure } : {}),
      command: 'milepost.restartServer',
    },
    { label: '$(output) Show Logs', command: 'milepost.showLogs' },
  ];
}
