/** The item in the editor's language status: which server runs, and whether a probe is running. */
import * as vscode from "vscode";

export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;

  constructor() {
    this.item = vscode.languages.createLanguageStatusItem("gradflow", { language: "python" });
    this.item.name = "GradFlow";
    this.item.text = "GradFlow";
    this.item.command = { command: "gradflow.client.showLog", title: "Show Log" };
  }

  /** The server is being started. */
  starting(): void {
    this.show("Starting", vscode.LanguageStatusSeverity.Information, true);
  }

  /** The server runs; `version` is what it says of itself. */
  ready(version: string | undefined): void {
    this.show(version ? `Version ${version}` : "Ready", vscode.LanguageStatusSeverity.Information, false);
  }

  /** There is no server, and `reason` is what the user can do about it. */
  failed(reason: string): void {
    this.show(reason, vscode.LanguageStatusSeverity.Error, false);
  }

  /** Whether at least one probe runs. */
  running(busy: boolean): void {
    this.item.busy = busy;
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(detail: string, severity: vscode.LanguageStatusSeverity, busy: boolean): void {
    this.item.detail = detail;
    this.item.severity = severity;
    this.item.busy = busy;
  }
}
