// A client made of Microsoft's own protocol packages. Every message that the server sends is looked at before it is
// handled: one that the specification does not allow is kept in `breaches`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import protocol from "vscode-languageserver-protocol/node";

const {
  ApplyWorkspaceEditRequest,
  CodeAction,
  CodeLens,
  Command,
  ConfigurationRequest,
  Diagnostic,
  DocumentDiagnosticReportKind,
  Hover,
  InlayHint,
  Message,
  ProgressToken,
  RegistrationRequest,
  ShowDocumentRequest,
  StreamMessageReader,
  StreamMessageWriter,
  URI,
  WorkDoneProgressCreateRequest,
  WorkspaceEdit,
  createProtocolConnection,
} = protocol;

const all = (is) => (value) => Array.isArray(value) && value.every(is);
const nothing = (value) => value === null || value === undefined;
const text = (value) => typeof value === "string" && value !== "";
const either =
  (...kinds) =>
  (value) =>
    kinds.some((is) => is(value));
const message = (params) =>
  Number.isInteger(params.type) && params.type >= 1 && params.type <= 5 && text(params.message);
const isReport = (report) =>
  report.kind === DocumentDiagnosticReportKind.Full
    ? all(Diagnostic.is)(report.items)
    : report.kind === DocumentDiagnosticReportKind.Unchanged && text(report.resultId);

const RESULTS = {
  initialize: (result) => typeof result.capabilities === "object" && text(result.serverInfo.name),
  shutdown: (result) => result === null,
  "textDocument/hover": either(nothing, Hover.is),
  "textDocument/codeLens": all((lens) => CodeLens.is(lens) && Command.is(lens.command)),
  "textDocument/codeAction": all(either(CodeAction.is, Command.is)),
  "textDocument/inlayHint": all(InlayHint.is),
  "textDocument/diagnostic": isReport,
  "workspace/diagnostic": (result) => all((item) => URI.is(item.uri) && isReport(item))(result.items),
  "workspace/executeCommand": () => true,
};

const PROGRESS = {
  begin: (value) => text(value.title),
  report: () => true,
  end: () => true,
};

const FROM_SERVER = {
  "textDocument/publishDiagnostics": (params) => URI.is(params.uri) && all(Diagnostic.is)(params.diagnostics),
  "$/progress": (params) => ProgressToken.is(params.token) && PROGRESS[params.value.kind]?.(params.value),
  "window/showMessage": message,
  "window/logMessage": message,
  "window/workDoneProgress/create": (params) => ProgressToken.is(params.token),
  "window/showDocument": (params) => URI.is(params.uri),
  "workspace/applyEdit": (params) => WorkspaceEdit.is(params.edit),
  "workspace/configuration": (params) => all((item) => text(item.section))(params.items),
  "workspace/codeLens/refresh": nothing,
  "workspace/inlayHint/refresh": nothing,
  "workspace/diagnostic/refresh": nothing,
  "client/registerCapability": (params) => all((one) => text(one.id) && text(one.method))(params.registrations),
};

export const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: true, showDocument: { support: true } },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceEdit: { documentChanges: true },
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
  },
  textDocument: {
    hover: { contentFormat: ["markdown", "plaintext"] },
    publishDiagnostics: { relatedInformation: true },
    codeAction: { isPreferredSupport: true, codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } } },
  },
};

export class Client {
  constructor() {
    this.process = spawn(process.env.PYTHON ?? "python3", ["-m", "gradflow_lsp", "server", "--stdio"], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.stderr = "";
    this.process.stderr.on("data", (data) => (this.stderr += data));
    this.ended = once(this.process, "exit").then(([status]) => status);
    this.breaches = [];
    this.said = [];
    this.waiting = [];
    this.asked = new Map();
    const reader = new StreamMessageReader(this.process.stdout);
    const listen = reader.listen.bind(reader);
    reader.listen = (callback) =>
      listen((said) => {
        this.check(said);
        callback(said);
        this.wake();
      });
    reader.onError((error) => this.breaches.push(`unreadable: ${error}`)); // framing, or JSON with a bare NaN
    const writer = new StreamMessageWriter(this.process.stdin);
    const write = writer.write.bind(writer);
    writer.write = (sent) => {
      if (Message.isRequest(sent)) this.asked.set(sent.id, sent.method);
      return write(sent);
    };
    this.connection = createProtocolConnection(reader, writer);
    this.diagnostics = new Map();
    this.progress = new Map();
    this.edits = [];
    this.connection.onRequest(RegistrationRequest.type, () => {});
    this.connection.onRequest(ConfigurationRequest.type, (params) => params.items.map(() => ({})));
    this.connection.onRequest(ShowDocumentRequest.type, () => ({ success: true }));
    this.connection.onRequest(ApplyWorkspaceEditRequest.type, () => ({ applied: true }));
    this.connection.onRequest(WorkDoneProgressCreateRequest.type, ({ token }) => {
      this.progress.set(token, []);
      this.wake();
    });
    for (const feature of ["codeLens", "inlayHint"])
      this.connection.onRequest(`workspace/${feature}/refresh`, () => null);
    this.connection.listen();
  }

  check(said) {
    this.said.push(said);
    const breach = this.breachIn(said);
    if (breach) this.breaches.push(`${breach}: ${JSON.stringify(said)}`);
    else if (said.method === "textDocument/publishDiagnostics") this.diagnostics.set(said.params.uri, said.params);
    else if (said.method === "$/progress") this.progress.get(said.params.token).push(said.params.value);
    else if (said.method === "workspace/applyEdit") this.edits.push(said.params.edit);
  }

  breachIn(said) {
    if (said.jsonrpc !== "2.0") return "no JSON-RPC 2.0";
    if (Message.isResponse(said)) {
      if (said.id === null) return said.error ? null : "an answer to nobody";
      const method = this.asked.get(said.id);
      if (!method) return "an answer that nobody waits for";
      this.asked.delete(said.id);
      if (said.error) return Number.isInteger(said.error.code) && text(said.error.message) ? null : "no error";
      if (!("result" in said)) return "neither a result nor an error";
      return RESULTS[method]?.(said.result) ? null : `no result of ${method}`;
    }
    if (said.method === "$/progress" && !this.progress.has(said.params.token)) return "progress before it was created";
    return FROM_SERVER[said.method]?.(said.params) ? null : "no message of a server";
  }

  /** Wait until `fact()` holds, looking again after each message. */
  until(fact) {
    const value = fact();
    return value ? Promise.resolve(value) : new Promise((resolve) => this.waiting.push([fact, resolve]));
  }

  wake() {
    const waiting = this.waiting;
    this.waiting = [];
    for (const [fact, resolve] of waiting) {
      const value = fact();
      if (value) resolve(value);
      else this.waiting.push([fact, resolve]);
    }
  }

  /** Send a request of any kind, also a wrong one; resolves to its result, or to `{error: code}`. `rest` is its parameters and a token that cancels it. */
  ask(method, ...rest) {
    return this.connection.sendRequest(method, ...rest).catch((error) => ({ error: error.code }));
  }

  tell(method, params) {
    return this.connection.sendNotification(method, params);
  }

  command(name, argument) {
    return this.ask("workspace/executeCommand", { command: `gradflow.${name}`, arguments: argument ? [argument] : [] });
  }

  /** Say `initialize` and, unless told not to, `initialized`; then the server begins to ask questions of its own. */
  async initialize(folder = null, { initialized = true } = {}) {
    const params = {
      processId: process.pid,
      rootUri: null,
      capabilities: CAPABILITIES,
      workspaceFolders: folder && [{ uri: folder, name: "folder" }],
      initializationOptions: { interpreter: process.env.PYTHON },
    };
    const result = await this.ask("initialize", params);
    if (initialized) this.tell("initialized", {});
    return result;
  }

  open(uri, content) {
    this.tell("textDocument/didOpen", { textDocument: { uri, languageId: "python", version: 1, text: content } });
  }

  /** End the server as an editor does; resolves to its exit status. */
  async end() {
    await this.ask("shutdown");
    this.tell("exit");
    return this.ended;
  }
}
