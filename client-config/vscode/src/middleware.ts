/** Where this extension steps between the editor and the server: progress, trust, reports and settings. */
import * as vscode from "vscode";
import { Middleware, ResponseError } from "vscode-languageclient/node";

import { RunProgress } from "./progress";
import { Settings } from "./settings";

/** Commands of the server that run the user's code. */
const RUNS_CODE = ["gradflow.run", "gradflow.runAll"];
/** It tries the probe first, and inserts it untried where that is not wanted. */
const INSERTS_PROBE = "gradflow.insertProbe";

export function middleware(settings: Settings, progress: RunProgress): Middleware {
  return {
    handleWorkDoneProgress: (token, report, showByDefault) => {
      progress.handle(token, report, () => showByDefault(token, report));
    },
    executeCommand: async (command, args, send) => {
      if (RUNS_CODE.includes(command) && !vscode.workspace.isTrusted) {
        void refuseUntrusted();
        return undefined;
      }
      if (command === INSERTS_PROBE && !vscode.workspace.isTrusted) {
        return send(command, [{ ...args[0], verify: false }]);
      }
      return send(command, args);
    },
    window: {
      showDocument: async (params, showByDefault) => {
        if (params.uri.endsWith(".md")) {
          // A report is for people: shown as it is meant to look, not as its source.
          await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(params.uri));
          return { success: true };
        }
        const result = await showByDefault(params, new vscode.CancellationTokenSource().token);
        return result instanceof ResponseError ? { success: false } : result;
      },
    },
    workspace: {
      // Every change of a setting comes through `Server.refresh`, which tells the server itself.
      didChangeConfiguration: async () => {},
      configuration: async (params, token, answerByDefault) => {
        const answers = await answerByDefault(params, token);
        if (!Array.isArray(answers)) {
          return answers;
        }
        return Promise.all(
          params.items.map(({ section, scopeUri }, i) =>
            section === "gradflow"
              ? settings.forServer(scopeUri === undefined ? undefined : vscode.Uri.parse(scopeUri))
              : answers[i],
          ),
        );
      },
    },
  };
}

async function refuseUntrusted(): Promise<void> {
  const manage = "Manage Workspace Trust";
  const message = "A probe runs the code of this workspace, and the workspace is not trusted yet. Nothing was run.";
  if ((await vscode.window.showWarningMessage(message, manage)) === manage) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}
