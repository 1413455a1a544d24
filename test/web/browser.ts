import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type Served, serve } from "../../packages/cli/src/serve/server.ts";
import { pageText } from "../../packages/web/build.mjs";
import { tarOf } from "../check/tar.ts";

const PLACES = [process.env.HAIRPIN_CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser"];

/** Debian's browser; without one the tests are skipped. */
export const chromiumPath = PLACES.find((p) => p !== "" && existsSync(p));

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Every address the page and its worker asked for. */
  readonly requests: readonly string[];
  /** What went wrong in it: errors, refusals of the policy, dialogs. */
  readonly complaints: readonly string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly dark?: boolean;
  readonly offline?: boolean;
  readonly javaScript?: boolean;
}

/** A browser and the built page, served as `hairpin serve` serves it. */
export class Bench {
  readonly #browser: Browser;
  readonly #server: Served;
  readonly html: string;

  private constructor(browser: Browser, server: Served, html: string) {
    this.#browser = browser;
    this.#server = server;
    this.html = html;
  }

  static async start(): Promise<Bench> {
    const [browser, html] = await Promise.all([
      chromium.launch({
        executablePath: chromiumPath!,
        args: ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
      }),
      pageText("0.0.0-test"),
    ]);
    return new Bench(browser, await serve(html, 0), html);
  }

  get url(): string {
    return this.#server.url;
  }

  async open(url = this.url, options: OpenOptions = {}): Promise<Opened> {
    const context = await this.#browser.newContext({
      viewport: { width: options.width ?? 1280, height: 900 },
      colorScheme: options.dark === true ? "dark" : "light",
      locale: "en-GB",
      reducedMotion: "reduce",
      offline: options.offline === true,
      javaScriptEnabled: options.javaScript !== false,
    });
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    context.on("request", (r) => requests.push(r.url()));
    page.on("pageerror", (e) => complaints.push(e.message));
    page.on("console", (m) => {
      if (m.type() === "error" || m.type() === "warning") complaints.push(m.text());
    });
    page.on("dialog", (d) => {
      complaints.push(`dialog: ${d.message()}`);
      void d.dismiss();
    });
    await page.goto(url);
    return { page, context, requests, complaints };
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }
}

/** Files of a folder, as somebody would drop them. */
export const filesOf = (folder: string, under = ""): { readonly path: string; readonly text: string }[] =>
  readdirSync(join(folder, under), { withFileTypes: true }).flatMap((e) =>
    e.isDirectory()
      ? filesOf(folder, join(under, e.name))
      : [{ path: join(under, e.name), text: readFileSync(join(folder, under, e.name), "utf8") }],
  );

/** Takes everything off the page. */
export async function startOver(page: Page): Promise<void> {
  if ((await page.locator(".remove-all").count()) === 0) return;
  await page.click(".remove-all");
  await page.waitForSelector(".app.empty");
}

/** Drops files on the page as a hand would. An answer that stands there is marked, so that the next one is told from it. */
export async function drop(
  page: Page,
  files: readonly { readonly name: string; readonly content: Buffer | string }[],
): Promise<void> {
  const given = files.map((f) => ({ name: f.name, base64: Buffer.from(f.content).toString("base64") }));
  const data = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const { name, base64 } of ${JSON.stringify(given)})
      data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    return data;
  })()`);
  await page.evaluate('document.querySelector(".answer")?.setAttribute("data-old", "")');
  await page.dispatchEvent(".drop", "dragover", { dataTransfer: data });
  await page.dispatchEvent(".drop", "drop", { dataTransfer: data });
}

/** A case folder as the bundle somebody would send. */
export const bundle = (files: readonly { readonly path: string; readonly text: string }[]): Buffer =>
  gzipSync(tarOf(...files.map((f) => ({ name: f.path, content: f.text }))));

export const verdictOf = async (page: Page): Promise<string | null> => {
  await page.waitForSelector(".answer:not([data-old])", { timeout: 60_000 });
  return page.getAttribute(".answer:not([data-old])", "data-verdict");
};

/** What axe-core finds against it; each finding with the elements it means. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate<string[]>(
    `axe.run(document, { preload: false, resultTypes: ["violations"] }).then((r) => r.violations.map((v) => v.id + ": " + v.help + "\\n" + v.nodes.slice(0, 5).map((n) => "  " + n.html.slice(0, 160)).join("\\n")))`,
  );
}

/** Pictures for people to look at, where somebody wants them. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.HAIRPIN_SCREENSHOTS;
  if (folder === undefined || folder === "") return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
