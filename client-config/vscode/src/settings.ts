/**
 * The settings as the language server gets them.
 *
 * Only what the user really set is sent: a default sent along would beat what the project says in `pyproject.toml`.
 */
import * as vscode from "vscode";

import { PythonEnvironments } from "./environments";

const SECTION = "gradflow";

/** Settings of this extension itself; all others that package.json declares are the server's. */
const OWN = ["server.command", "trace.server"];

export type Command = string | string[];

export class Settings {
  private readonly names: string[];

  constructor(
    context: vscode.ExtensionContext,
    private readonly environments: PythonEnvironments,
  ) {
    const declared: object = context.extension.packageJSON.contributes.configuration.properties;
    this.names = Object.keys(declared)
      .map((name) => name.slice(SECTION.length + 1))
      .filter((name) => !OWN.includes(name));
  }

  /** The program that the user named as the language server, if any. */
  serverCommand(): Command | undefined {
    return vscode.workspace.getConfiguration(SECTION).get<Command | null>("server.command") || undefined;
  }

  /** Everything the server may know about `scope`, a file or a folder; all folders when there is none. */
  async forServer(scope: vscode.Uri | undefined): Promise<Record<string, unknown>> {
    const configuration = vscode.workspace.getConfiguration(SECTION, scope);
    const settings: Record<string, unknown> = {};
    for (const name of this.names) {
      const value = configuration.get(name);
      if (value !== null && isSet(configuration.inspect(name))) {
        settings[name] = value;
      }
    }
    if (!vscode.workspace.isTrusted) {
      settings["run"] = "onCommand"; // also where the project's own file says "on save"
    }
    const interpreter = await this.environments.interpreter(scope);
    return { ...settings, client: { images: true, ...(interpreter && { interpreter: [...interpreter] }) } };
  }
}

function isSet(found: ReturnType<vscode.WorkspaceConfiguration["inspect"]>): boolean {
  return [
    found?.globalValue,
    found?.workspaceValue,
    found?.workspaceFolderValue,
    found?.globalLanguageValue,
    found?.workspaceLanguageValue,
    found?.workspaceFolderLanguageValue,
  ].some((value) => value !== undefined);
}
