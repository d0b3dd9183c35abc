/** What is changed of the messages between the editor and the server. */

import * as vscode from 'vscode';
import type { ConfigurationParams, Middleware } from 'vscode-languageclient/node';

import { readSettings, SECTION } from '../settings';

/** Work that the server shows of its own accord. `title` is given with every report. */
export interface ServerProgress {
  readonly token: string | number;
  readonly title: string;
  readonly message: string;
  readonly percentage: number | undefined;
  readonly ended: boolean;
}

export interface MiddlewareOptions {
  readonly serverSettings: () => Record<string, unknown>;
  readonly onServerProgress: (progress: ServerProgress) => void;
}

/** The scans that the sidebar shows by itself: no second progress for them in the window. */
export const OUTLINING = 'Outlining ';

export function middleware(options: MiddlewareOptions): Middleware {
  const titles = new Map<string | number, string>();
  return {
    workspace: {
      configuration: async (params: ConfigurationParams, token, next) => {
        const answers: unknown = await next(params, token);
        const values: unknown[] = Array.isArray(answers) ? answers : [];
        return params.items.map((item, index) => (item.section === SECTION ? options.serverSettings() : values[index]));
      },
    },
    handleWorkDoneProgress: (token, params, next) => {
      if (params.kind === 'begin') {
        titles.set(token, params.title);
      }
      const title = titles.get(token) ?? '';
      if (title.startsWith(OUTLINING)) {
        options.onServerProgress({
          token,
          title,
          message: params.message ?? '',
          percentage: params.kind === 'end' ? undefined : params.percentage,
          ended: params.kind === 'end',
        });
      }
      if (params.kind === 'end') {
        titles.delete(token);
      }
      if (params.kind !== 'begin' || !title.startsWith(OUTLINING)) {
        next(token, params);
      }
    },
    provideDocumentSymbols: (document, token, next) => (isOffered(document) ? next(document, token) : []),
    provideFoldingRanges: (document, context, token, next) =>
      isOffered(document) ? next(document, context, token) : [],
    provideCodeLenses: (document, token, next) => (isOffered(document) ? next(document, token) : []),
    provideHover: (document, position, token, next) =>
      isOffered(document) ? next(document, position, token) : undefined,
    resolveCodeLens: async (lens, token, next) => {
      const resolved = await next(lens, token);
      if (resolved?.command?.command === 'milepost.read') {
        // The server's command gives the text to whoever asks; here a click shows it.
        resolved.command = { ...resolved.command, command: 'milepost.openLens', tooltip: 'Open this range' };
      }
      return resolved;
    },
  };
}

/** Languages that have an outline of their own are left to it. */
function isOffered(document: vscode.TextDocument): boolean {
  return !readSettings().view.disabledLanguages.includes(document.languageId);
}
