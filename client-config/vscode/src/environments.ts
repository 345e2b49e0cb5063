/**
 * Which Python the user selected in the editor.
 *
 * Two extensions can know: Python Environments and Python, both from Microsoft and both optional. The first that
 * answers is asked. With neither, the language server looks for an environment by itself.
 */
import * as vscode from "vscode";

/** What is used of the API of `ms-python.vscode-python-envs`. */
interface EnvironmentsApi {
  getEnvironment(scope: vscode.Uri | undefined): Promise<SelectedEnvironment | undefined>;
  onDidChangeEnvironment: vscode.Event<unknown>;
}

interface SelectedEnvironment {
  readonly error?: string;
  readonly execInfo?: { readonly run: { readonly executable: string; readonly args?: string[] } };
}

/** What is used of the API of `ms-python.python`. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: { readonly path: string }): Promise<ResolvedEnvironment | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

interface ResolvedEnvironment {
  readonly executable: { readonly uri?: vscode.Uri };
}

/** What starts a Python: its path, and the arguments that it needs to be one. */
export type PythonCommand = readonly [string, ...string[]];

/** The Python that is selected for a file or folder, or nothing where none is. */
type Select = (scope: vscode.Uri | undefined) => Promise<PythonCommand | undefined>;

export class PythonEnvironments implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when another environment was selected, for any folder. */
  readonly onDidChange = this.changed.event;
  private subscription?: vscode.Disposable;
  private select: Select = async () => undefined;

  private constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Find whichever Python extension is installed and enabled. */
  static async find(log: vscode.LogOutputChannel): Promise<PythonEnvironments> {
    const environments = new PythonEnvironments(log);
    if (!(await environments.usePythonEnvironments()) && !(await environments.usePython())) {
      log.info("No Python extension is installed: the language server looks for an environment itself.");
    }
    return environments;
  }

  /** The Python selected for `scope`, a file or folder. */
  async interpreter(scope: vscode.Uri | undefined): Promise<PythonCommand | undefined> {
    try {
      return await this.select(scope);
    } catch (error) {
      this.log.warn(`The selected Python environment could not be read: ${error}`);
      return undefined;
    }
  }

  dispose(): void {
    this.subscription?.dispose();
    this.changed.dispose();
  }

  private async usePythonEnvironments(): Promise<boolean> {
    // It exports nothing while the user has switched it off in favour of the older extension.
    const api = await this.exportsOf<EnvironmentsApi>("ms-python.vscode-python-envs");
    if (!api?.getEnvironment) {
      return false;
    }
    this.select = async (scope) => {
      // A global answer is slow to find, and says nothing about this workspace.
      const folder = scope ?? vscode.workspace.workspaceFolders?.[0]?.uri;
      const environment = folder && (await api.getEnvironment(folder));
      const run = environment?.error ? undefined : environment?.execInfo?.run;
      return run && [run.executable, ...(run.args ?? [])];
    };
    this.subscription = api.onDidChangeEnvironment(() => this.changed.fire());
    return true;
  }

  private async usePython(): Promise<boolean> {
    const api = await this.exportsOf<PythonApi>("ms-python.python");
    if (!api?.environments) {
      return false;
    }
    const { environments } = api;
    this.select = async (scope) => {
      const selected = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(scope));
      const python = selected?.executable.uri?.fsPath;
      return python === undefined ? undefined : [python];
    };
    this.subscription = environments.onDidChangeActiveEnvironmentPath(() => this.changed.fire());
    return true;
  }

  private async exportsOf<Api>(extensionId: string): Promise<Api | undefined> {
    const extension = vscode.extensions.getExtension<Api>(extensionId);
    if (!extension) {
      return undefined;
    }
    try {
      return await extension.activate();
    } catch (error) {
      this.log.warn(`${extensionId} could not be started: ${error}`);
      return undefined;
    }
  }
}
