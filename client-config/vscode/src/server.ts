/** The life of the language server's process: started, restarted when its command changes, told about settings. */
import * as vscode from "vscode";
import {
  DidChangeConfigurationNotification,
  LanguageClient,
  LanguageClientOptions,
  RevealOutputChannelOn,
  State,
  WorkDoneProgressCancelNotification,
} from "vscode-languageclient/node";

import { PythonEnvironments } from "./environments";
import { findServer, Launch } from "./launch";
import { middleware } from "./middleware";
import { RunProgress } from "./progress";
import { Settings } from "./settings";
import { StatusItem } from "./status";

/** A client that leaves it to this extension to say, once, that the server did not start. */
class Client extends LanguageClient {
  private started = false;

  override async start(): Promise<void> {
    await super.start();
    this.started = true;
  }

  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    super.error(message, data, this.started && showNotification);
  }
}

export class Server {
  private client?: Client;
  private launch?: Launch;
  private work: Promise<void> = Promise.resolve();
  private waiting?: Promise<void>;

  constructor(
    private readonly settings: Settings,
    private readonly environments: PythonEnvironments,
    private readonly progress: RunProgress,
    private readonly status: StatusItem,
    private readonly log: vscode.LogOutputChannel,
  ) {
    progress.onDidCancel((token) => {
      void this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
    });
  }

  get running(): boolean {
    return this.client?.state === State.Running;
  }

  /** Bring the server up to date with settings and environment. Calls that come together are one. */
  refresh(): Promise<void> {
    return this.enqueue(false);
  }

  /** Stop the server and start it again. */
  restart(): Promise<void> {
    this.launch = undefined;
    return this.enqueue(true);
  }

  /** One refresh at a time, and at most one more that waits: it will see the latest settings anyway. */
  private enqueue(fresh: boolean): Promise<void> {
    if (this.waiting && !fresh) {
      return this.waiting;
    }
    this.waiting = this.work = this.work.then(() => {
      this.waiting = undefined;
      return this.update().catch((error) => this.log.error(String(error)));
    });
    return this.work;
  }

  private async update(): Promise<void> {
    const launch = await findServer(this.settings, this.environments);
    if (this.running && this.launch?.command === launch.command && String(this.launch.args) === String(launch.args)) {
      // The content says nothing: the server asks back for what it needs.
      await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
      return;
    }
    await this.stop();
    await this.start(launch);
  }

  private async start(launch: Launch): Promise<void> {
    this.log.info(`Starting ${[launch.command, ...launch.args].join(" ")} (found through ${launch.why})`);
    const client = new Client("gradflow", "GradFlow", launch, await this.options());
    client.onDidChangeState(({ newState }) => this.show(client, newState));
    this.client = client;
    this.launch = launch;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`The language server did not start: ${error}`);
      this.status.failed("The language server did not start");
      void this.offerHelp();
    }
  }

  private show(client: Client, state: State): void {
    if (state === State.Starting) {
      this.status.starting();
    } else if (state === State.Running) {
      this.status.ready(client.initializeResult?.serverInfo?.version);
    } else {
      this.progress.clear(); // also after a crash, when the client starts the server again by itself
    }
  }

  /** Stop the server, and wait until it has ended. */
  async stop(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client?.needsStop()) {
      await client.stop().catch((error) => this.log.warn(`The language server did not stop in time: ${error}`));
    }
    await client?.dispose();
  }

  private async options(): Promise<LanguageClientOptions> {
    return {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "untitled", language: "python" },
      ],
      initializationOptions: await this.settings.forServer(undefined),
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: middleware(this.settings, this.progress),
    };
  }

  private async offerHelp(): Promise<void> {
    const copy = "Copy Install Command";
    const configure = "Open Settings";
    const show = "Show Log";
    const message =
      "GradFlow could not start its language server. Install it with “pip install gradflow-lsp”, or name its program in the settings.";
    const choice = await vscode.window.showErrorMessage(message, copy, configure, show);
    if (choice === copy) {
      await vscode.env.clipboard.writeText("pip install gradflow-lsp");
    } else if (choice === configure) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "gradflow.server.command");
    } else if (choice === show) {
      this.log.show();
    }
  }
}
