/**
 * The GradFlow extension: starts the language server for Python files and gives it what only the editor knows,
 * which is the selected Python environment, whether the workspace is trusted, and the user's settings.
 *
 * What is shown in the text (diagnostics, hovers, lenses, hints, actions) comes from the server as it is. This side
 * adds palette commands, a notification with Cancel while a probe runs, and a status item.
 */
import * as vscode from "vscode";

import { registerCommands } from "./commands";
import { PythonEnvironments } from "./environments";
import { RunProgress } from "./progress";
import { Server } from "./server";
import { Settings } from "./settings";
import { StatusItem } from "./status";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("GradFlow", { log: true });
  const environments = await PythonEnvironments.find(log);
  const settings = new Settings(context, environments);
  const status = new StatusItem();
  const progress = new RunProgress(status);
  server = new Server(settings, environments, progress, status, log);
  const refresh = (): Promise<void> | undefined => server?.refresh();

  context.subscriptions.push(
    log,
    environments,
    status,
    progress,
    ...registerCommands(server, log),
    environments.onDidChange(refresh),
    vscode.workspace.onDidGrantWorkspaceTrust(refresh),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("gradflow")) {
        void refresh();
      }
    }),
  );
  await refresh();
}

/** Called by the editor when it closes: the server gets time to end what it has started. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
