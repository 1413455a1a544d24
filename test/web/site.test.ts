import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CAUSE_CODES } from "@hairpin/core/explain/index.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { renderMarkdown } from "../../scripts/site/markdown.ts";
import { folderOf } from "../check/surface.ts";
import { Bench, chromiumPath, violations } from "./browser.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const root = resolve(import.meta.dirname, "../..");
const { path: folder, remove } = folderOf({});
const site = join(folder, "site");
const pages = (under = ""): readonly string[] =>
  readdirSync(join(site, under), { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? pages(join(under, e.name)) : e.name.endsWith(".html") ? [join(under, e.name)] : [],
  );

beforeAll(() => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "scripts/site.ts"), site],
    {
      encoding: "utf8",
    },
  );
  expect([status, stderr]).toEqual([0, ""]);
});
afterAll(remove);

describe("the site", () => {
  test("has a page a document and a page a cause in both languages, each with a picture", () => {
    const all = pages();
    for (const name of readdirSync(join(root, "docs")).filter((n) => n.endsWith(".md")))
      expect(all).toContain(name.replace(/md$/, "html"));
    for (const code of CAUSE_CODES)
      for (const path of [`causes/${code}.html`, `zh/causes/${code}.html`]) {
        expect(all).toContain(path);
        expect(readFileSync(join(site, path), "utf8")).toMatch(/class="drawing"[^>]*>[^<]{20}/);
      }
  });

  test("every link leads to a page or file that is there, and to a heading that is there", () => {
    const broken: string[] = [];
    const ids = new Map(
      pages().map((p) => [
        p,
        new Set([...readFileSync(join(site, p), "utf8").matchAll(/ id="([^"]*)"/g)].map((m) => m[1])),
      ]),
    );
    for (const page of pages()) {
      for (const [, href = ""] of readFileSync(join(site, page), "utf8").matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (/^(?:https?|mailto|data):/.test(href)) continue;
        const [path = "", anchor] = href.split("#");
        const target = path === "" ? page : join(page, "..", path);
        if (!existsSync(join(site, target))) broken.push(`${page}: ${href}`);
        else if (anchor !== undefined && ids.get(target)?.has(decodeURIComponent(anchor)) === false)
          broken.push(`${page}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test("loads nothing from elsewhere and tracks nobody", () => {
    for (const page of pages()) {
      const text = readFileSync(join(site, page), "utf8");
      expect(text.match(/<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?\/\//g)).toBeNull();
      expect(text).toContain("default-src 'none'");
    }
  });

  test("a bundled case that a cause names is there", () => {
    for (const code of CAUSE_CODES)
      for (const [, name = ""] of readFileSync(join(site, `causes/${code}.html`), "utf8").matchAll(
        /hairpin diagnose cases\/([\w-]+)/g,
      ))
        expect(existsSync(join(root, "cases", name, "case.yaml"))).toBe(true);
  });
});

describe("Markdown", () => {
  const html = (source: string): string => renderMarkdown(source, (href) => href).html;
  test("is rendered as the documents use it, and nothing in it is markup by itself", () => {
    expect(html("a **b** `c<d>` [e](f.md)\n")).toBe(
      '<p>a <strong>b</strong> <code>c&lt;d&gt;</code> <a href="f.md">e</a></p>',
    );
    expect(html("- a\n  - b\n- c")).toBe("<ul><li>a\n<ul><li>b</li></ul></li>\n<li>c</li></ul>");
    expect(html("| a | `b\\|c` |\n|---|---|\n| 1 | 2 |")).toContain("<td>1</td><td>2</td>");
    expect(html("```sh\n<x>\n```")).toBe('<pre tabindex="0"><code class="language-sh">&lt;x&gt;</code></pre>');
    expect(html("<script>alert(1)</script>")).toBe("<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
    expect(html("## A b, c\n\n## A b, c")).toContain('id="a-b-c-1"');
  });
});

describe.skipIf(chromiumPath === undefined)("the site in a browser", () => {
  test("is searched from disk with the network off, in both languages, and shows no violation of accessibility", async () => {
    const bench = await Bench.start();
    try {
      for (const [start, asked, found] of [
        ["index.html", "hairpin mode off", "HAIRPIN_OFF"],
        ["zh/index.html", "rp_filter", "RP_FILTER_STRICT"],
      ] as const) {
        const { page, context, complaints } = await bench.open(pathToFileURL(join(site, start)).href, {
          offline: true,
        });
        expect(await violations(page)).toEqual([]);
        await page.keyboard.press("/");
        await page.keyboard.type(asked);
        await page.click(`#found a:has-text("${found}")`);
        await page.waitForSelector(`h1 ~ .meta code:text-is("${found}")`);
        expect(await violations(page)).toEqual([]);
        expect(complaints).toEqual([]);
        await context.close();
      }
    } finally {
      await bench.stop();
    }
  });
});
