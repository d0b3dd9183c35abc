/** The log channel, and errors a person can act on. */

import * as vscode from 'vscode';

export type Log = vscode.LogOutputChannel;

export function createLog(): Log {
  return vscode.window.createOutputChannel('Milepost', { log: true });
}

/** A button under an error, and what it does. */
export interface ErrorAction {
  readonly title: string;
  readonly run: () => unknown;
}

/** Log an error and show it, with "Show Logs" as its last button. Does not wait for the person. */
export function showError(log: Log, message: string, ...actions: ErrorAction[]): void {
  log.error(message);
  const buttons = [...actions, { title: 'Show Logs', run: () => log.show() }];
  void vscode.window.showErrorMessage(message, ...buttons).then((button) => button?.run());
}

/** Show a warning with buttons. Does not wait for the person. */
export function showWarning(log: Log, message: string, ...actions: ErrorAction[]): void {
  log.warn(message);
  void vscode.window.showWarningMessage(message, ...actions).then((button) => button?.run());
}

export function showInformation(message: string, ...actions: ErrorAction[]): void {
  void vscode.window.showInformationMessage(message, ...actions).then((button) => button?.run());
}
