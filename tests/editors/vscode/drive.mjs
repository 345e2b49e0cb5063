// One sitting of a user in VS Code, from an untrusted folder to a mended model. Every step asserts what is on the screen.
// Usage: node drive.mjs OUT. Environment: TOOLS (what install.sh filled), VSIX, PYTHON_VSIX (the stand-in in
// selected-python/), PYTHON (an interpreter with torch), PYTHON_WITHOUT_TORCH. `gradflow-lsp` is on the PATH.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

import { Editor } from "./editor.mjs";

const { TOOLS, VSIX, PYTHON_VSIX, PYTHON, PYTHON_WITHOUT_TORCH } = process.env;
const out = path.resolve(process.argv[2]);
const sample = path.resolve(import.meta.dirname, "../../../sample_projects/dry_soil");
const project = path.join(out, "dry_soil");

const SLOW = `"""A probe that takes its time."""

import time

from torch import nn


def gradflow_probe():
    time.sleep(600)
    return nn.Linear(1, 1)
`;

const UNTESTED = `"""A model that nobody has looked at yet."""

import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))
`;

/** The steps, in the order of a user's day. A name is what the step shows. */
const steps = {
  async "nothing runs in a folder that is not trusted"(editor) {
    await editor.openFile("model.py");
    await (await editor.lens("Run gradient probe")).click();
    const refusal = await editor.notification("not trusted yet");
    await editor.picture("untrusted");
    assert.deepEqual(await editor.squiggles(), { error: 0, warning: 0, info: 0 });
    await refusal.getByText("Manage Workspace Trust").click();
    await editor.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
    await editor.page.locator(".workspace-trust-editor", { hasText: "You trust this folder" }).waitFor();
    await editor.command("View: Close Editor");
  },

  async "the Python selected in the editor is the one that runs the probe"(editor) {
    await editor.set({ "python.defaultInterpreterPath": PYTHON_WITHOUT_TORCH });
    await editor.openFile("model.py");
    await (await editor.lens("Run gradient probe")).click();
    const problem = (await editor.problems()).filter({ hasText: PYTHON_WITHOUT_TORCH }).first();
    await problem.waitFor();
    await editor.picture("no-torch");
    await editor.set({ "python.defaultInterpreterPath": PYTHON });
    await editor.command("View: Toggle Panel Visibility");
  },

  async "a run marks the layers, the cause and the probe"(editor) {
    await editor.openFile("model.py");
    await (await editor.lens("Run gradient probe")).click();
    await editor.lens("4 missing");
    await editor.page.waitForFunction(() => document.querySelectorAll(".squiggly-warning").length >= 3);
    await editor.sees("missing");
    const lines = await editor.lines();
    const line = (text) => lines.find((candidate) => candidate.includes(text));
    assert.match(line("self.first ="), /nn\.Linear\(10, 32\).*missing/);
    assert.match(line("self.middle ="), /nn\.Linear\(32, 32\).*missing/);
    assert.match(line("self.last ="), /nn\.Linear\(32, 2\).*healthy/);
    await editor.picture("findings");
  },

  async "the hover shows norms, verdict and cause"(editor) {
    const { text, box } = await editor.hover("self.last = ", "0.184");
    assert.match(text, /0\.184076/);
    assert.match(text, /0\.079574/);
    await editor.picture("hover-healthy");
    assertOnScreen(editor, box);
    await editor.page.keyboard.press("Escape");
    const missing = await editor.hover("self.first = ", "missing");
    assert.match(missing.text, /detach/);
    assertOnScreen(editor, missing.box);
    await editor.picture("hover");
    await editor.page.locator(".monaco-hover a", { hasText: "line 17" }).first().click();
    await editor.page.locator(".statusbar-item", { hasText: "Ln 17" }).waitFor();
    const both = await editor.hover("nn.Linear(10, 32)", "no gradient reaches");
    assert.match(both.text, /first\.weight/);
    assertOnScreen(editor, both.box);
    await assertInView(editor, both.box, "first.bias");
    await editor.picture("hover-on-squiggle");
    await editor.page.keyboard.press("Escape");
    const cause = await editor.hover(".detach()", "cuts the value off");
    assertOnScreen(editor, cause.box);
    await assertInView(editor, cause.box, "middle.bias");
    await editor.picture("hover-cause");
    await editor.page.keyboard.press("Escape");
  },

  async "the problems list says what is wrong, where, and why"(editor) {
    const problems = await editor.problems();
    const texts = (await problems.allInnerTexts()).join("\n");
    assert.match(texts, /first: no gradient reaches weight, bias/);
    assert.match(texts, /detach/);
    await editor.picture("problems");
    await editor.command("View: Toggle Panel Visibility");
  },

  async "the outcome over the probe opens the report"(editor) {
    await (await editor.lens("4 missing")).click();
    await editor.page.locator(".tab.active", { hasText: "gradflow_probe" }).waitFor();
    const page = editor.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
    await page.getByRole("cell", { name: "middle.weight" }).waitFor();
    assert.equal(await page.getByRole("row").count(), 1 + 6); // a head, and a row for each parameter
    await page.getByRole("heading", { name: "gradflow_probe: 4 missing, 2 healthy" }).waitFor();
    await editor.picture("report");
    await page.getByRole("link", { name: "model.py:17" }).click();
    await editor.page.locator(".statusbar-item", { hasText: "Ln 17" }).waitFor();
    await editor.command("View: Close Other Editors in Group");
  },

  async "after an edit the findings are marked stale, and the mended model is healthy"(editor) {
    await editor.click(".detach()");
    await editor.page.keyboard.press("End");
    for (const _ of ".detach()") {
      await editor.page.keyboard.press("Backspace");
    }
    await editor.sees("missing (stale)");
    await editor.lens("stale");
    await editor.picture("stale");
    await (await editor.lens("Run gradient probe")).click(); // on the text as it is, not saved
    await editor.lens("all 6 parameters healthy");
    assert.deepEqual(await editor.squiggles(), { error: 0, warning: 0, info: 0 });
    await editor.picture("healthy");
  },

  async "a probe can be inserted for a class that has none, and runs"(editor) {
    await editor.openFile("untested.py");
    const lens = await editor.lens("Insert gradient probe for Regressor");
    await editor.picture("offer");
    await lens.click();
    await editor.sees("def gradflow_probe");
    await (await editor.lens("Run gradient probe")).click();
    await editor.lens("all 4 parameters healthy");
    await editor.picture("inserted");
  },

  async "a run shows its progress and can be cancelled"(editor) {
    await editor.openFile("slow.py");
    await (await editor.lens("Run gradient probe")).click();
    const progress = await editor.notification("running the probe");
    await editor.lens("running the probe");
    await editor.picture("progress");
    await progress.hover();
    await progress.getByText("Cancel").click();
    await progress.waitFor({ state: "detached" });
    await editor.lens("cancelled");
    await editor.picture("cancelled");
  },

  async "the palette runs the probe of the active file"(editor) {
    await editor.openFile("never_called.py");
    await editor.lens("Run gradient probe");
    await editor.command("GradFlow: Run Probe in This File");
    await editor.lens("2 missing");
    await editor.picture("palette");
  },

  async "findings go away on request"(editor) {
    await editor.command("GradFlow: Clear Findings");
    await editor.page.waitForFunction(() => document.querySelectorAll(".squiggly-warning").length === 0);
  },

  async "nobody was shown an error"(editor) {
    const errors = editor.page.locator(".notification-list-item .codicon-error");
    assert.equal(await errors.count(), 0, (await errors.allInnerTexts()).join("\n"));
  },
};

function assertOnScreen(editor, { x, y, width, height }) {
  const screen = editor.page.viewportSize();
  assert.ok(x >= 0 && y >= 0 && x + width <= screen.width && y + height <= screen.height, "the hover is cut off");
}

/** Assert that the last text of this kind lies inside a box, not scrolled out of it. */
async function assertInView(editor, { y, height }, text) {
  const seen = await editor.page.locator(".monaco-hover").getByText(text).last().boundingBox();
  assert.ok(seen.y >= y && seen.y + seen.height <= y + height, `${text} is scrolled out of the hover`);
}

fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });
fs.cpSync(sample, project, { recursive: true });
fs.writeFileSync(path.join(project, "slow.py"), SLOW);
fs.writeFileSync(path.join(project, "untested.py"), UNTESTED);

const editor = await Editor.open({ tools: TOOLS, out, folder: project, vsix: VSIX, extensions: [PYTHON_VSIX] });
let passed = 0;
try {
  for (const [name, step] of Object.entries(steps)) {
    const start = performance.now();
    try {
      await step(editor);
    } catch (error) {
      await editor.picture("failed");
      console.log(`failed: ${name}`);
      throw error;
    }
    passed += 1;
    console.log(`ok: ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  }
} finally {
  await editor.close();
  console.log(`${passed} passed, ${Object.keys(steps).length - passed} failed`);
}
