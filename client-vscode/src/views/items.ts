/** Tree items that both views make. */

import * as vscode from 'vscode';

import type { NoticeNode } from '../outline/nodes';

export function nodeItem(node: NoticeNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.text);
  item.iconPath = new vscode.ThemeIcon(node.icon, new vscode.ThemeColor('list.warningForeground'));
  item.command = { command: node.command.id, title: node.command.title };
  return item;
}
