// What the specification asks of a server, tried with the packages that VS Code itself talks through.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import protocol from "vscode-languageserver-protocol/node";
import { CAPABILITIES, Client } from "./client.mjs";

const { CancellationTokenSource, ErrorCodes, LSPErrorCodes, Message } = protocol;

const MODEL = `import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        "𝔾"; h = self.first(x).relu().detach()
        return self.last(h)
`;
const PROBE = `

def gradflow_probe():
    model = Net()
    return model, model(torch.ones(5, 4)).sum()
`;
const ENDLESS = `import time


def gradflow_probe():
    open(__file__ + ".started", "w").close()
    while True:
        time.sleep(0.01)
`;
const WHOLE = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };

let folder;
before(() => (folder = mkdtempSync(path.join(tmpdir(), "gradflow-node-"))));
after(() => rmSync(folder, { recursive: true }));

const write = (name, content) => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return pathToFileURL(file).href;
};
const at = (content, needle) => {
  const head = content.slice(0, content.indexOf(needle)).split("\n");
  return { line: head.length - 1, character: head.at(-1).length }; // JavaScript counts in UTF-16, as the protocol does
};

describe("a session", () => {
  let client;
  before(async () => {
    client = new Client();
    const { capabilities } = await client.initialize(pathToFileURL(folder).href);
    assert.equal(capabilities.positionEncoding, "utf-16");
    assert.ok(!("diagnosticProvider" in capabilities)); // this client is pushed to
  });
  afterEach(() => assert.deepEqual(client.breaches, []));
  after(async () => {
    assert.equal(await client.end(), 0);
    assert.equal(client.stderr, "");
  });

  test("shows what is wrong with a model in every way", async () => {
    const uri = write("model.py", MODEL + PROBE);
    const document = { textDocument: { uri } };
    client.open(uri, MODEL + PROBE);
    const { run } = await client.command("run", { uri });
    assert.ok(Number.isInteger(run));
    const { diagnostics } = await client.until(() => client.diagnostics.get(uri));
    const cut = diagnostics.find((one) => one.code === "detach");
    assert.deepEqual(cut.range.start, at(MODEL, ".detach()"));
    assert.equal(cut.source, "gradflow");
    const [progress] = client.progress.values();
    await client.until(() => progress.at(-1).kind === "end");
    const [first, ...stages] = progress.map((value) => value.kind);
    assert.equal(first, "begin");
    assert.deepEqual(new Set(stages.slice(0, -1)), new Set(["report"]));
    const position = at(MODEL, "nn.Linear(4");
    assert.match((await client.ask("textDocument/hover", { ...document, position })).contents.value, /missing/);
    const lenses = await client.ask("textDocument/codeLens", document);
    assert.ok(lenses.some((lens) => lens.command.command === "gradflow.run"));
    assert.equal((await client.ask("textDocument/inlayHint", { ...document, range: WHOLE })).length, 2);
    const context = { diagnostics, triggerKind: 1 };
    const actions = await client.ask("textDocument/codeAction", { ...document, range: WHOLE, context });
    assert.ok(actions.some((action) => action.command?.command === "gradflow.run"));
    assert.match((await client.command("showReport", { uri })).markdown, /first\.weight/);
    assert.equal((await client.command("report", { uri })).report.status, "ok");
    await client.command("clear", { uri });
    assert.deepEqual(client.diagnostics.get(uri).diagnostics, []);
  });

  test("writes a probe with an edit that is tied to the version", async () => {
    const uri = write("bare.py", MODEL);
    client.open(uri, MODEL);
    await client.command("insertProbe", { uri });
    const edit = await client.until(() => client.edits[0]);
    assert.deepEqual(edit.documentChanges[0].textDocument, { uri, version: 1 });
  });

  test("answers a burst in order, each request about the text before it", async () => {
    const uri = write("burst.py", PROBE);
    client.open(uri, PROBE);
    const first = client.said.length;
    const answers = [];
    for (let version = 2; version < 60; version++) {
      const change = { range: { start: WHOLE.start, end: WHOLE.start }, text: "\n" };
      client.tell("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [change] });
      answers.push(client.ask("textDocument/codeLens", { textDocument: { uri } }));
    }
    const lines = (await Promise.all(answers)).map(([lens]) => lens.range.start.line);
    assert.deepEqual(
      lines,
      lines.map((_, index) => 3 + index),
    );
    const numbers = client.said
      .slice(first)
      .filter(Message.isResponse)
      .map((said) => said.id);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  });

  test("ends a request that is cancelled, answers it once, and goes on", async () => {
    const uri = write("cancelled.py", MODEL.replace("Net", "Other"));
    client.open(uri, MODEL.replace("Net", "Other"));
    const params = { textDocument: { uri }, range: WHOLE, context: { diagnostics: [], triggerKind: 1 } };
    const sources = [1, 2, 3].map(() => new CancellationTokenSource());
    const answers = sources.map((source) => client.ask("textDocument/codeAction", params, source.token));
    sources.forEach((source) => source.cancel());
    for (const answer of await Promise.all(answers)) {
      assert.ok(Array.isArray(answer) || answer.error === LSPErrorCodes.RequestCancelled);
    }
    assert.ok(Array.isArray(await client.ask("textDocument/codeAction", params)));
    assert.equal(client.asked.size, 0);
  });

  test("passes over the cancelling of what is answered, or was never asked", async () => {
    client.tell("$/cancelRequest", { id: 1 });
    client.tell("$/cancelRequest", { id: "nobody" });
    assert.ok(await client.ask("workspace/diagnostic", { previousResultIds: [] }));
  });

  for (const how of ["its progress", "the server's command"]) {
    test(`a run is ended by ${how}`, async () => {
      const name = how.replaceAll(/\W/g, "_") + ".py";
      const uri = write(name, ENDLESS);
      client.open(uri, ENDLESS);
      const known = new Set(client.progress.keys());
      await client.command("run", { uri });
      const token = await client.until(() => [...client.progress.keys()].find((one) => !known.has(one)));
      while (!existsSync(path.join(folder, name + ".started"))) {
        await client.ask("textDocument/codeLens", { textDocument: { uri } }); // answered all the while
      }
      if (how === "its progress") client.tell("window/workDoneProgress/cancel", { token });
      else assert.equal((await client.command("cancel", { uri })).cancelled.length, 1);
      const last = await client.until(() => client.progress.get(token).findLast((value) => value.kind === "end"));
      assert.equal(last.message, "cancelled");
      assert.equal((await client.command("report", { uri })).state, "cancelled");
      client.tell("window/workDoneProgress/cancel", { token }); // late, and harmless
    });
  }

  test("says so when it has no such method, command or parameters", async () => {
    const textDocument = { uri: write("any.py", "") };
    assert.equal(
      (await client.ask("textDocument/completion", { textDocument, position: WHOLE.start })).error,
      ErrorCodes.MethodNotFound,
    );
    assert.equal((await client.ask("foo/bar")).error, ErrorCodes.MethodNotFound);
    assert.equal((await client.ask("$/foo", {})).error, ErrorCodes.MethodNotFound);
    assert.equal((await client.ask("textDocument/hover", { textDocument })).error, ErrorCodes.InvalidParams);
    assert.equal((await client.ask("textDocument/hover", [1, 2])).error, ErrorCodes.InvalidParams);
    assert.equal((await client.ask("workspace/executeCommand", { command: 3 })).error, ErrorCodes.InvalidParams);
    assert.equal((await client.command("nothing")).error, ErrorCodes.InvalidParams);
    assert.equal((await client.command("run", { uri: "untitled:one" })).error, LSPErrorCodes.RequestFailed);
    client.tell("foo/bar", { what: "ever" });
    client.tell("textDocument/didOpen", { textDocument: 3 });
    client.tell("textDocument/didChange", { textDocument, contentChanges: "all" });
    assert.deepEqual(await client.ask("textDocument/codeLens", { textDocument }), []);
  });

  test("may be asked nothing twice: a second initialize is an error", async () => {
    const params = { processId: null, rootUri: null, capabilities: CAPABILITIES };
    assert.equal((await client.ask("initialize", params)).error, ErrorCodes.InvalidRequest);
  });

  test("reads a message in pieces, several at once, with header fields in any case", async () => {
    const frame = (id, header) => {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "textDocument/codeLens",
        params: { textDocument: { uri: "file:///ü" } },
      });
      client.asked.set(id, "textDocument/codeLens");
      return Buffer.from(header.replace("#", String(Buffer.byteLength(body))) + "\r\n\r\n" + body);
    };
    const headers = [
      "Content-Length: #",
      "content-length:#",
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: #",
    ];
    const bytes = Buffer.concat(headers.map((header, number) => frame(`raw ${number}`, header)));
    const heard = () => client.said.filter((said) => String(said.id).startsWith("raw")).length;
    client.process.stdin.write(bytes);
    await client.until(() => heard() === 3);
    const again = Buffer.concat(headers.map((header, number) => frame(`raw again ${number}`, header)));
    for (const byte of again) client.process.stdin.write(Buffer.from([byte]));
    await client.until(() => heard() === 6);
  });

  test("answers what is no JSON, and a batch, with an error to nobody", async () => {
    const errors = () => client.said.filter((said) => said.id === null).map((said) => said.error.code);
    for (const body of ["{", "[]"]) client.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    assert.deepEqual(await client.until(() => errors().length === 2 && errors()), [
      ErrorCodes.ParseError,
      ErrorCodes.InvalidRequest,
    ]);
  });
});

describe("the beginning and the end", () => {
  let client;
  beforeEach(() => (client = new Client()));
  afterEach(() => {
    assert.deepEqual(client.breaches, []);
    assert.equal(client.stderr, "");
  });

  test("before initialize every other request waits, and no notification counts; exit still ends it", async () => {
    assert.equal(
      (await client.ask("textDocument/codeLens", { textDocument: { uri: "file:///x" } })).error,
      ErrorCodes.ServerNotInitialized,
    );
    assert.equal((await client.ask("shutdown")).error, ErrorCodes.ServerNotInitialized);
    client.tell("initialized", {});
    client.tell("exit");
    assert.equal(await client.ended, 1);
  });

  test("after shutdown every request is an error; exit has status 0", async () => {
    await client.initialize();
    assert.equal(await client.ask("shutdown"), null);
    assert.equal((await client.ask("shutdown")).error, ErrorCodes.InvalidRequest);
    assert.equal(
      (await client.ask("textDocument/codeLens", { textDocument: { uri: "file:///x" } })).error,
      ErrorCodes.InvalidRequest,
    );
    client.tell("exit");
    assert.equal(await client.ended, 0);
  });

  test("exit without shutdown has status 1", async () => {
    await client.initialize();
    client.tell("exit");
    assert.equal(await client.ended, 1);
  });

  test("exit right behind shutdown has status 0", async () => {
    await client.initialize();
    client.ask("shutdown");
    client.tell("exit");
    assert.equal(await client.ended, 0);
  });

  test("the end of input ends it", async () => {
    await client.initialize(null, { initialized: false });
    client.process.stdin.end();
    assert.ok(Number.isInteger(await client.ended));
  });
});
