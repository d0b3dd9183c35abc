/** What a person has agreed to: the hosts that text of their files may be sent to. */

import * as vscode from 'vscode';

import { bytes, counted } from '../format';
import type { Estimate } from '../protocol';

const KEY = 'milepost.allowedHosts';

export class Consent {
  constructor(private readonly memory: vscode.Memento) {}

  hosts(): readonly string[] {
    return this.memory.get<string[]>(KEY) ?? [];
  }

  /** Ask once a host, saying what would go there and how much of it. */
  async ask(estimate: Estimate, name: string): Promise<boolean> {
    const send = `Send to ${estimate.host}`;
    const detail = [
      `About ${bytes(estimate.inputBytes)} of text from ${name} would go to ${estimate.host} ` +
        `in ${counted(estimate.calls, 'call')} (about ${counted(estimate.inputTokens, 'token')}), to be read by ${estimate.model}.`,
      'Passwords, keys and tokens that are recognized are masked before. This is remembered for the host.',
    ].join('\n\n');
    const answer = await vscode.window.showWarningMessage(
      `Send text of this file to ${estimate.host}?`,
      { modal: true, detail },
      send,
    );
    if (answer !== send) {
      return false;
    }
    await this.memory.update(KEY, [...new Set([...this.hosts(), estimate.host])]);
    return true;
  }

  async forgetAll(): Promise<void> {
    await this.memory.update(KEY, undefined);
  }
}

/** The key of the model's endpoint, in the editor's secret store: one a host, so that none goes to another. */
export class ApiKeys {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  get(host: string): Thenable<string | undefined> {
    return this.secrets.get(`milepost.apiKey:${host}`);
  }

  async set(host: string, key: string): Promise<void> {
    const name = `milepost.apiKey:${host}`;
    await (key === '' ? this.secrets.delete(name) : this.secrets.store(name, key));
  }
}
