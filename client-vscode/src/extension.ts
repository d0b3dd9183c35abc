/** The extension: what it is made of, and in which order it comes to life. */

import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';

import { ServerConnection } from './client';
import { registerCopying } from './commands/copy';
import { registerFinding } from './commands/find';
import { registerNavigation } from './commands/navigate';
import { registerOutline } from './commands/outline';
import type { Parts } from './commands/parts';
import { registerServer } from './commands/server';
import { registerSummaries } from './commands/summaries';
import { CopiedAnchors } from './copiedAnchors';
import { hasFile } from './files';
import { createLog } from './log';
import { Navigator } from './navigation';
import { explicitServerSettings, serverSettingNames } from './settings';
import { hostOf, Status } from './status';
import { ApiKeys, Consent } from './summaries/consent';
import { SummaryPanels } from './summaries/panel';
import { Runner } from './summaries/runner';
import { Runs } from './summaries/runs';
import { AnswersView } from './views/answersView';
import { FollowCursor } from './views/followCursor';
import { OutlineView } from './views/outlineView';
import { OutlineSession } from './views/session';
import { registerWindowFeatures } from './window/features';
import { LineNumbers } from './window/numbers';
import { RangeWindows } from './window/windows';

export function activate(context: vscode.ExtensionContext): void {
  const log = createLog();
  const { version } = context.extension.packageJSON as { version: string };
  log.info(`Milepost ${version} in VS Code ${vscode.version}`);

  const consent = new Consent(context.globalState);
  const keys = new ApiKeys(context.secrets);
  const server = connect(context, log, consent, keys);
  const session = new OutlineSession(server);
  const windows = new RangeWindows(server, (file) => session.modelOf(file));
  const navigator = new Navigator(windows);
  const outline = new OutlineView(session, server, log);
  const status = new Status(server, session);
  const runs = new Runs(context.workspaceState);
  const answers = new AnswersView(runs);
  const runner = new Runner(server, runs, consent, status, log);
  const panels = new SummaryPanels(vscode.Uri.joinPath(context.extensionUri, 'media'));
  const anchors = new CopiedAnchors(context.workspaceState);
  context.subscriptions.push(log, server, session, windows, navigator, outline, status, answers, runner, panels);
  context.subscriptions.push(
    new FollowCursor(session, outline, navigator),
    new LineNumbers(windows),
    registerWindowFeatures(windows),
    vscode.workspace.onDidChangeConfiguration((event) => void onSettings(event, server)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );

  const parts: Parts = {
    context,
    log,
    server,
    session,
    outline,
    windows,
    navigator,
    anchors,
    runs,
    runner,
    answers,
    panels,
    consent,
    keys,
  };
  registerNavigation(parts);
  registerCopying(parts);
  registerFinding(parts);
  registerOutline(parts);
  registerSummaries(parts);
  registerServer(parts);

  startWithFirstFile(context, server);
}

/** Without a file there is nothing for the server to do: it starts with the first one, or with the first request. */
function startWithFirstFile(context: vscode.ExtensionContext, server: ServerConnection): void {
  if (hasFile()) {
    void server.start();
    return;
  }
  const waiting = vscode.window.tabGroups.onDidChangeTabs(() => {
    if (hasFile()) {
      waiting.dispose();
      void server.start();
    }
  });
  context.subscriptions.push(waiting);
}

function connect(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  consent: Consent,
  keys: ApiKeys,
): ServerConnection {
  const { contributes } = context.extension.packageJSON as { contributes: { configuration: unknown } };
  const names = serverSettingNames(contributes.configuration);
  return new ServerConnection({
    log,
    wheel: bundledWheel(context),
    storage: context.globalStorageUri.fsPath,
    serverSettings: () => {
      const explicit = explicitServerSettings(names);
      const set = explicit['model.allowedHosts'];
      const allowedHosts = [...(Array.isArray(set) ? (set as string[]) : []), ...consent.hosts()];
      return allowedHosts.length === 0 ? explicit : { ...explicit, 'model.allowedHosts': allowedHosts };
    },
    environment: async () => {
      const key = await keys.get(endpointHost() ?? '');
      return key === undefined ? {} : { MILEPOST_API_KEY: key };
    },
  });
}

function endpointHost(): string | undefined {
  return hostOf(vscode.workspace.getConfiguration('milepost.model').get<string>('baseUrl') ?? '');
}

/** The server's wheel that the packaged extension carries; a checkout has none. */
function bundledWheel(context: vscode.ExtensionContext): string | undefined {
  const folder = path.join(context.extensionPath, 'server');
  try {
    const name = readdirSync(folder).find((file) => file.endsWith('.whl'));
    return name === undefined ? undefined : path.join(folder, name);
  } catch {
    return undefined;
  }
}

async function onSettings(event: vscode.ConfigurationChangeEvent, server: ServerConnection): Promise<void> {
  // The key in the server's environment belongs to one host: another host gets another server.
  if (event.affectsConfiguration('milepost.server') || event.affectsConfiguration('milepost.model.baseUrl')) {
    await server.restart();
  }
}

export function deactivate(): void {
  // What was pushed to the subscriptions is disposed of by the editor.
}
