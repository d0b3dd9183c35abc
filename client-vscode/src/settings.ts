/** The settings: those of this client, typed; and those for the server, as far as somebody has set them. */

import * as vscode from 'vscode';

export const SECTION = 'milepost';

/** The settings that only this client reads. The other groups are the server's; a contract test holds both to package.json. */
export interface ClientSettings {
  readonly server: { readonly command: readonly string[]; readonly uv: string; readonly python: string };
  readonly view: {
    readonly followCursor: boolean;
    readonly autoRefreshBytes: number;
    readonly disabledLanguages: readonly string[];
  };
  readonly rangeWindow: { readonly aboveBytes: number; readonly lines: number };
}

export const CLIENT_GROUPS = ['server', 'view', 'rangeWindow', 'trace'] as const;

export function readSettings(): ClientSettings {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const read = <T>(name: string, otherwise: T): T => settings.get<T>(name) ?? otherwise;
  return {
    server: {
      command: read<string[]>('server.command', []),
      uv: read('server.uv', '').trim(),
      python: read('server.python', '').trim(),
    },
    view: {
      followCursor: read('view.followCursor', true),
      autoRefreshBytes: read('view.autoRefreshBytes', 50_000_000),
      disabledLanguages: read<string[]>('view.disabledLanguages', []),
    },
    rangeWindow: {
      aboveBytes: read('rangeWindow.aboveBytes', 256_000_000),
      lines: Math.max(1, read('rangeWindow.lines', 1000)),
    },
  };
}

/** The names in package.json that the server knows: all but this client's own groups. */
export function serverSettingNames(configuration: unknown): string[] {
  const groups = Array.isArray(configuration) ? configuration : [configuration];
  const names = groups.flatMap((group: unknown) =>
    typeof group === 'object' && group !== null && 'properties' in group && typeof group.properties === 'object'
      ? Object.keys(group.properties ?? {})
      : [],
  );
  return names
    .map((name) => name.replace(`${SECTION}.`, ''))
    .filter((name) => !(CLIENT_GROUPS as readonly string[]).includes(name.split('.')[0] ?? ''));
}

/**
 * What a person has set of the server's settings, by dotted name. Defaults are left out: they are the server's own, and
 * sent from here they would overrule the user's and the workspace's `.milepost.toml`.
 */
export function explicitServerSettings(names: readonly string[]): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const explicit: Record<string, unknown> = {};
  for (const name of names) {
    const known = settings.inspect(name);
    const value: unknown = known?.workspaceFolderValue ?? known?.workspaceValue ?? known?.globalValue;
    if (value !== undefined && value !== null) {
      explicit[name] = value;
    }
  }
  return explicit;
}

/** From this size on the editor asks before it opens a file: on remotes from 10 MB, on the web 50, on a desktop 1,024. */
export function confirmationBytes(): number {
  const megabytes = vscode.workspace.getConfiguration('workbench').get<number>('editorLargeFileConfirmation');
  if (megabytes !== undefined && megabytes > 0) {
    return megabytes * 1024 * 1024;
  }
  const isWeb = vscode.env.uiKind === vscode.UIKind.Web;
  return (vscode.env.remoteName !== undefined ? 10 : isWeb ? 50 : 1024) * 1024 * 1024;
}
