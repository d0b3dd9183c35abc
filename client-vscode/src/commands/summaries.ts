/** Summaries and questions, and the model that reads. */

import * as vscode from 'vscode';

import { formatAnchor } from '../anchors';
import { nameOf } from '../files';
import { bytes, clip, count } from '../format';
import { showInformation } from '../log';
import { labelOf } from '../outline/presentation';
import type { Section } from '../protocol';
import { hostOf, summarizerName } from '../status';
import { markdownOf, titleOf } from '../summaries/document';
import { describeReading, type Run, type Scope } from '../summaries/runs';
import { asSection } from './nodes';
import { goToPlace } from './navigate';
import { register, wantedFile, type Parts } from './parts';

export function registerSummaries(parts: Parts): void {
  const { runner, runs, answers } = parts;
  const finished = async (run: Run | undefined): Promise<void> => {
    if (run !== undefined) {
      parts.panels.show(run);
      await answers.reveal(run);
    }
  };
  register(parts, {
    'milepost.summarizeFile': async () => {
      const uri = wantedFile();
      await finished(uri && (await runner.run({ uri, question: '', scope: {} })));
    },
    'milepost.summarizeSection': async (value) => {
      const wanted = await wantedScope(parts, value);
      await finished(wanted && (await runner.run({ ...wanted, question: '' })));
    },
    'milepost.askFile': async (file, text) => {
      const uri = typeof file === 'string' ? vscode.Uri.parse(file) : wantedFile();
      const question = uri && (typeof text === 'string' ? text : await askForQuestion(nameOf(uri)));
      await finished(uri && question ? await runner.run({ uri, question, scope: {} }) : undefined);
    },
    'milepost.askSection': async (value) => {
      const wanted = await wantedScope(parts, value);
      const question = wanted && (await askForQuestion(wanted.scope.section?.title ?? nameOf(wanted.uri)));
      await finished(wanted && question ? await runner.run({ ...wanted, question }) : undefined);
    },
    'milepost.resume': async (value) =>
      finished(await runner.resume(runOf(parts, value) ?? (await pickResumable(parts)))),
    'milepost.cancel': () => {
      const number = runner.cancelAll();
      vscode.window.setStatusBarMessage(
        number === 0 ? 'Milepost: nothing is under way.' : 'Milepost: stopping…',
        3_000,
      );
    },
    'milepost.showRun': (value) => {
      const run = runOf(parts, value);
      if (run !== undefined) {
        parts.panels.show(run);
      }
    },
    'milepost.showLastRun': () => {
      const [last] = runs.all();
      if (last === undefined) {
        showInformation('Nothing was summarized or asked in this workspace yet.', {
          title: 'Summarize File',
          run: () => vscode.commands.executeCommand('milepost.summarizeFile'),
        });
      } else {
        parts.panels.show(last);
      }
    },
    'milepost.openMarkdown': async (value) => {
      const run = runOf(parts, value) ?? runs.all()[0];
      if (run !== undefined) {
        const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: markdownOf(run) });
        await vscode.window.showTextDocument(document);
      }
    },
    'milepost.openDump': async (value) => {
      if (typeof value === 'string') {
        await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(value));
      }
    },
    'milepost.openPlace': (value) => openPlace(parts, value),
    'milepost.removeAnswer': async (value) => {
      const run = runOf(parts, value);
      if (run !== undefined) {
        await runs.remove(run.id);
      }
    },
    'milepost.clearAnswers': () => runs.clear(),
    'milepost.copyQuote': async (value) => {
      if (typeof value === 'object' && value !== null && 'quote' in value && 'run' in value) {
        const { run, quote } = value as { run: Run; quote: { startLine: number; endLine: number } };
        const text = formatAnchor(run.path, quote.startLine, quote.endLine);
        await vscode.env.clipboard.writeText(text);
        vscode.window.setStatusBarMessage(`$(check) Copied ${text}`, 4_000);
      }
    },
    'milepost.chooseModel': () => chooseModel(),
    'milepost.setApiKey': () => setApiKey(parts),
    'milepost.toggleDebugDump': async () => {
      const settings = vscode.workspace.getConfiguration('milepost.debug');
      const isOn = settings.get<boolean>('dump') !== true;
      await settings.update('dump', isOn, vscode.ConfigurationTarget.Global);
      void vscode.window.showInformationMessage(
        isOn
          ? 'From now on each run with a model writes its requests and replies to a file; “Show Last Run” links to it.'
          : 'Runs are no longer written to files.',
      );
    },
    'milepost.emptyCache': async () => {
      const removed = await vscode.commands.executeCommand<{ count: number; bytes: number }>('milepost.clearCache');
      void vscode.window.showInformationMessage(
        removed.count === 0
          ? 'The cache is empty.'
          : `The cache is cleared: ${count(removed.count)} replies, ${bytes(removed.bytes)}.`,
      );
    },
    'milepost.forgetHosts': async () => {
      await parts.consent.forgetAll();
      await parts.server.refreshSettings();
      void vscode.window.showInformationMessage('Milepost asks again before text goes to any host.');
    },
  });
}

function runOf(parts: Parts, value: unknown): Run | undefined {
  if (typeof value === 'string') {
    return parts.runs.get(value);
  }
  return typeof value === 'object' && value !== null && 'run' in value ? (value.run as Run) : undefined;
}

/** The section of the tree that was meant, or what is selected in the editor, or the section that the cursor is in. */
async function wantedScope(parts: Parts, value: unknown): Promise<{ uri: vscode.Uri; scope: Scope } | undefined> {
  const node = asSection(value);
  if (node !== undefined) {
    return { uri: vscode.Uri.parse(node.uri), scope: scopeOf(node.section) };
  }
  const editor = vscode.window.activeTextEditor;
  const selected = parts.navigator.selectedLines();
  if (editor !== undefined && selected !== undefined && !editor.selection.isEmpty) {
    return { uri: selected.uri, scope: { lines: { start: selected.start, end: selected.end } } };
  }
  const uri = wantedFile();
  if (uri === undefined) {
    return undefined;
  }
  const { line, column } = parts.navigator.currentLine(uri);
  const model = await parts.session.loaded(uri);
  const [marked] = parts.outline.view.selection;
  const here = line > 0 ? await model.locate(line, column) : marked?.kind === 'section' ? marked : undefined;
  return { uri, scope: here === undefined ? {} : scopeOf(here.section) };
}

function scopeOf(section: Section): Scope {
  return { section: { id: section.id, title: labelOf(section) } };
}

function askForQuestion(of: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: `Ask About ${clip(of, 60)}`,
    prompt: `The answer quotes the lines that prove it (${summarizerName()})`,
    placeHolder: 'Why did the build fail?',
  });
}

async function pickResumable(parts: Parts): Promise<Run | undefined> {
  const file = wantedFile()?.toString();
  const resumable = parts.runs.all().filter((run) => run.reply.cursor !== '');
  const mine = resumable.filter((run) => run.file === file);
  if (mine.length === 1 || resumable.length < 2) {
    return mine[0] ?? resumable[0];
  }
  const picked = await vscode.window.showQuickPick(
    resumable.map((run) => ({ label: titleOf(run), description: run.path, detail: describeReading(run), run })),
    { title: 'Go On With' },
  );
  return picked?.run;
}

/** A link of an answer or summary. Where its text has moved since, it is found again. */
async function openPlace(parts: Parts, value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null || !('file' in value) || typeof value.file !== 'string') {
    return;
  }
  const { file, start, end, hash } = value as { file: string; start: unknown; end: unknown; hash?: unknown };
  if (typeof start !== 'number' || typeof end !== 'number') {
    return;
  }
  if (typeof hash === 'string') {
    await parts.anchors.add(file, start, end, hash);
  }
  await goToPlace(parts, { kind: 'lines', path: vscode.Uri.parse(file).fsPath, start, end });
}

interface ModelItem extends vscode.QuickPickItem {
  readonly baseUrl: string;
}

const ENDPOINTS: ModelItem[] = [
  { label: '$(circle-slash) Offline', description: 'No model: nothing leaves this machine', baseUrl: '' },
  { label: '', kind: vscode.QuickPickItemKind.Separator, baseUrl: '' },
  { label: '$(vm) Ollama', description: 'http://localhost:11434/v1', baseUrl: 'http://localhost:11434/v1' },
  { label: '$(vm) LM Studio', description: 'http://localhost:1234/v1', baseUrl: 'http://localhost:1234/v1' },
  { label: '$(vm) llama.cpp', description: 'http://localhost:8080/v1', baseUrl: 'http://localhost:8080/v1' },
  { label: '$(vm) vLLM', description: 'http://localhost:8000/v1', baseUrl: 'http://localhost:8000/v1' },
  { label: '$(cloud) OpenAI', description: 'https://api.openai.com/v1', baseUrl: 'https://api.openai.com/v1' },
  { label: '$(globe) Another endpoint…', description: 'Any that is compatible with OpenAI’s', baseUrl: '?' },
];

async function chooseModel(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('milepost.model');
  const current = settings.get<string>('baseUrl') ?? '';
  const picked = await vscode.window.showQuickPick(ENDPOINTS, {
    title: `Summarize With (now: ${summarizerName()})`,
    placeHolder: 'Where the model is served',
  });
  if (picked === undefined) {
    return;
  }
  const baseUrl =
    picked.baseUrl !== '?'
      ? picked.baseUrl
      : await vscode.window.showInputBox({
          title: 'Address of the Endpoint',
          placeHolder: 'https://models.example.com/v1',
          value: current,
          validateInput: (text) =>
            /^https?:\/\/[^@\s]+$/.test(text) && hostOf(text) !== undefined
              ? undefined
              : 'Write an http:// or https:// address without a name or password in it.',
        });
  if (baseUrl === undefined) {
    return;
  }
  const target = vscode.ConfigurationTarget.Global;
  if (baseUrl === '') {
    await settings.update('baseUrl', undefined, target);
    return;
  }
  const name = await vscode.window.showInputBox({
    title: 'Name of the Model',
    prompt: `As ${hostOf(baseUrl) ?? baseUrl} calls it`,
    value: settings.get<string>('name') ?? '',
  });
  if (name !== undefined) {
    await settings.update('baseUrl', baseUrl, target);
    await settings.update('name', name.trim() === '' ? undefined : name.trim(), target);
  }
}

async function setApiKey(parts: Parts): Promise<void> {
  const host = hostOf(vscode.workspace.getConfiguration('milepost.model').get<string>('baseUrl') ?? '');
  if (host === undefined) {
    showInformation('Choose a model first: the key is kept for its host alone.', {
      title: 'Choose Model…',
      run: () => vscode.commands.executeCommand('milepost.chooseModel'),
    });
    return;
  }
  const key = await vscode.window.showInputBox({
    title: `API Key for ${host}`,
    prompt: 'Kept in the editor’s secret store, and given to Milepost’s own server only. Empty removes it.',
    password: true,
  });
  if (key !== undefined) {
    await parts.keys.set(host, key.trim());
    await parts.server.restart();
    vscode.window.setStatusBarMessage(
      `$(key) The key for ${host} is ${key.trim() === '' ? 'removed' : 'kept'}.`,
      4_000,
    );
  }
}
