/**
 * A notification with a Cancel button for as long as a probe runs.
 *
 * By itself the editor puts a server's progress into the status bar, where nobody finds how to cancel it. So the
 * server's reports pass through here, and pressing Cancel tells the server to end that run.
 */
import * as vscode from "vscode";
import type {
  ProgressToken,
  WorkDoneProgressBegin,
  WorkDoneProgressEnd,
  WorkDoneProgressReport,
} from "vscode-languageclient/node";

import { StatusItem } from "./status";

type Report = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

/** Milliseconds before a notification appears: most runs are over by then, and would only make the screen flicker. */
const PATIENCE = 400;

export class RunProgress implements vscode.Disposable {
  private readonly runs = new Map<ProgressToken, Run>();
  private readonly cancelled = new vscode.EventEmitter<ProgressToken>();
  /** Fires when the user pressed Cancel. */
  readonly onDidCancel = this.cancelled.event;

  constructor(private readonly status: StatusItem) {}

  /** Show one report of the server; `showByDefault` is what the editor would do with it. */
  handle(token: ProgressToken, report: Report, showByDefault: () => void): void {
    const run = this.runs.get(token);
    if (report.kind === "begin" && report.cancellable) {
      this.runs.set(token, new Run(report, () => this.cancelled.fire(token)));
    } else if (!run) {
      showByDefault();
    } else if (report.kind === "end") {
      run.end();
      this.runs.delete(token);
    } else {
      run.report(report.message);
    }
    this.status.running(this.runs.size > 0);
  }

  /** Close every notification: the server that reported is gone. */
  clear(): void {
    this.runs.forEach((run) => run.end());
    this.runs.clear();
    this.status.running(false);
  }

  dispose(): void {
    this.clear();
    this.cancelled.dispose();
  }
}

/** One run: what the server last said of it, and its notification once that is shown. */
class Run {
  private message: string | undefined;
  private notification?: vscode.Progress<{ message?: string }>;
  private readonly timer: NodeJS.Timeout;
  private readonly ended: Promise<void>;
  /** End the run, and close its notification. */
  end = (): void => {};

  constructor(begin: WorkDoneProgressBegin, cancel: () => void) {
    this.message = begin.message;
    this.timer = setTimeout(() => this.show(begin.title, cancel), PATIENCE);
    this.ended = new Promise((resolve) => {
      this.end = () => {
        clearTimeout(this.timer);
        resolve();
      };
    });
  }

  /** Say what the run is doing now. */
  report(message: string | undefined): void {
    this.message = message;
    this.notification?.report({ message });
  }

  private show(title: string, cancel: () => void): void {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    void vscode.window.withProgress(options, (notification, cancellation) => {
      cancellation.onCancellationRequested(cancel);
      this.notification = notification;
      notification.report({ message: this.message });
      return this.ended;
    });
  }
}
