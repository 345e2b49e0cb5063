/** Which program is the language server: the one in the settings, in the selected environment, or on the PATH. */
import { execFile } from "node:child_process";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

import { PythonCommand, PythonEnvironments } from "./environments";
import { Settings } from "./settings";

/** How the server is started. Two that are equal start the same server. */
export interface Launch {
  readonly command: string;
  readonly args: string[];
  /** Where it was found, for the log. */
  readonly why: string;
}

const SERVE = ["server", "--stdio"];

/** Find the language server. The program may turn out not to exist; starting it tells. */
export async function findServer(settings: Settings, environments: PythonEnvironments): Promise<Launch> {
  const named = settings.serverCommand();
  if (named !== undefined) {
    const [command, ...args] = typeof named === "string" ? [named] : named;
    return { command: inWorkspace(command), args: [...args, ...SERVE], why: "the setting gradflow.server.command" };
  }
  // An environment inside an untrusted folder may be part of what is not trusted.
  const python = vscode.workspace.isTrusted ? await environments.interpreter(undefined) : undefined;
  if (python !== undefined && (await hasServer(python))) {
    const [command, ...args] = python;
    return { command, args: [...args, "-P", "-m", "gradflow_lsp", ...SERVE], why: "the selected Python environment" };
  }
  return { command: "gradflow-lsp", args: SERVE, why: "the PATH" };
}

/** A relative path starts at the first workspace folder; a bare name is looked up on the PATH. */
function inWorkspace(command: string): string {
  const expanded = command.replace(/^~(?=[\\/])/, os.homedir());
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return folder && /[\\/]/.test(expanded) ? path.resolve(folder, expanded) : expanded;
}

function hasServer([command, ...args]: PythonCommand): Promise<boolean> {
  const look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('gradflow_lsp') is None)";
  return new Promise((resolve) => {
    // -P keeps the current folder off sys.path, so that no file of the workspace is taken for the server.
    execFile(command, [...args, "-P", "-c", look], { timeout: 15_000 }, (error) => resolve(error === null));
  });
}
