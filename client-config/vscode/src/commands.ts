/**
 * The palette's commands.
 *
 * The server's own commands (`gradflow.run` …) are registered by the language client under the server's ids, for the
 * whole editor; so these here have ids of their own. What can be run or inserted in a file is the server's to say: a
 * command takes the code action that the server offers there.
 */
import * as vscode from "vscode";

import { Server } from "./server";

const RUN_PROBE = "source.runProbe";
const INSERT_PROBE = "refactor.insertProbe";

export function registerCommands(server: Server, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const ask = (command: string, argument: object = {}): Thenable<unknown> =>
    server.running ? vscode.commands.executeCommand(command, argument) : offerLog(log);
  const take = (kind: string, otherwise: string): Thenable<void> =>
    server.running ? takeAction(kind, otherwise) : offerLog(log);
  const commands: Record<string, () => unknown> = {
    run: () => take(RUN_PROBE, "This file has no probe. “GradFlow: Insert Probe for a Model Class” writes one."),
    insertProbe: () => take(INSERT_PROBE, "This file has no model class to write a probe for."),
    showReport: () => ask("gradflow.showReport", { uri: vscode.window.activeTextEditor?.document.uri.toString() }),
    runAll: () => ask("gradflow.runAll"),
    cancel: () => ask("gradflow.cancel"),
    clear: () => ask("gradflow.clear"),
    restartWorker: () => ask("gradflow.restartWorker"),
    restartServer: () => server.restart(),
    showLog: () => log.show(),
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`gradflow.client.${name}`, run));
}

/** Take the action of this kind that is offered at the cursor, else elsewhere in the file; ask where there are several. */
async function takeAction(kind: string, otherwise: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const { document, selection } = editor;
  const everything = new vscode.Range(0, 0, document.lineCount, 0);
  const here = await actions(document, selection, kind);
  const offered = here.length > 0 ? here : await actions(document, everything, kind);
  const action = offered.length > 1 ? await pick(offered) : offered[0];
  if (offered.length === 0) {
    void vscode.window.showInformationMessage(otherwise);
  }
  if (action?.edit) {
    await vscode.workspace.applyEdit(action.edit);
  }
  if (action?.command) {
    await vscode.commands.executeCommand(action.command.command, ...(action.command.arguments ?? []));
  }
}

async function actions(document: vscode.TextDocument, range: vscode.Range, kind: string): Promise<vscode.CodeAction[]> {
  return vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, range, kind);
}

async function pick(offered: vscode.CodeAction[]): Promise<vscode.CodeAction | undefined> {
  const items = offered.map((action) => ({ label: action.title, action }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "Which one?" }))?.action;
}

async function offerLog(log: vscode.LogOutputChannel): Promise<void> {
  const show = "Show Log";
  if ((await vscode.window.showErrorMessage("GradFlow's language server is not running.", show)) === show) {
    log.show();
  }
}
