// Builds what runs in a browser: style and script of the report, and the page, which is one file that loads nothing.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { noticesOf } from "../../scripts/notices.mjs";

const web = dirname(fileURLToPath(import.meta.url));
const src = join(web, "src");
const root = join(web, "../..");
const cases = join(root, "cases");

const hash = (text) => createHash("sha256").update(text, "utf8").digest("base64");

/** Nothing in a script may end its element or open a comment in it. */
const inScript = (js) => js.replace(/<(?=!--|\/?script)/gi, "\\x3c");
const inJson = (value) => JSON.stringify(value).replace(/</g, "\\u003c");

async function bundled(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(src, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  return outputFiles[0].text.trim();
}

/** The report's style and script with their hashes, as reportHtml() takes them. */
export async function reportAssets() {
  const [css, script] = await Promise.all([bundled("report/style.css"), bundled("report/report-script.ts")]);
  const js = inScript(script);
  return { css, cssHash: hash(css), js, jsHash: hash(js) };
}

/** Titles and stories of the cases in Chinese: a section each, with the name of its folder below it. */
export function casesInChinese() {
  const [, ...sections] = readFileSync(join(root, "docs/zh/cases.md"), "utf8").split(/^### /m);
  return new Map(
    sections.map((section) => {
      const [title, ...rest] = section.split("\n");
      const story = rest.join("\n").split("案例目录")[0].trim();
      return [/cases\/([\w-]+)/.exec(section)?.[1] ?? "", { title, story }];
    }),
  );
}

/** The bundled cases: what stands in them is all the page needs to explore them. */
function bundledCases() {
  const files = (folder) =>
    readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((e) => (e.isDirectory() ? files(join(folder, e.name)) : [join(folder, e.name)]));
  const chinese = casesInChinese();
  return readdirSync(cases)
    .filter((name) => existsSync(join(cases, name, "case.yaml")))
    .sort()
    .map((name) => {
      const all = files(join(cases, name)).map((path) => ({
        path: relative(join(cases, name), path),
        text: readFileSync(path, "utf8"),
      }));
      const readme = all.find((f) => f.path === "README.md")?.text ?? "";
      const title = /^# (.*)$/m.exec(readme)?.[1] ?? name;
      // What happened is told before the first heading; what the case teaches beyond stands in its folder.
      const [story = ""] = readme.replace(/^# .*\n+/, "").split(/^## /m);
      const en = { title, story: story.trim() };
      return {
        name,
        told: { en, zh: chinese.get(name) ?? en },
        files: all.filter((f) => f.path !== "README.md"),
      };
    });
}

const PAGE = { jsx: "automatic", jsxImportSource: "preact" };
const DEFINED = { HAIRPIN_VERSION: '""', HAIRPIN_REPORT_ASSETS: "{}" };

/** What the page is made of, as paths from the project's root: its licences travel with it. */
export async function pageInputs() {
  const entries = ["page/main.tsx", "page/worker/main.ts"].map((entry) => join(src, entry));
  const { metafile } = await build({
    entryPoints: entries,
    outdir: "none",
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: root,
    logLevel: "warning",
    define: DEFINED,
    ...PAGE,
  });
  return Object.keys(metafile.inputs);
}

/** In a comment of the page, where nothing ends it. */
const inComment = (text) => text.replaceAll("--", "- -").replaceAll(">", "&gt;");

/** The page: one file, with its worker, its style and the bundled cases in it. */
export async function pageText(version) {
  const assets = await reportAssets();
  const define = { HAIRPIN_VERSION: JSON.stringify(version), HAIRPIN_REPORT_ASSETS: JSON.stringify(assets) };
  const [css, script, worker] = await Promise.all([
    bundled("page/page.css"),
    bundled("page/main.tsx", { ...PAGE, define }),
    bundled("page/worker/main.ts", { define }),
  ]);
  const js = inScript(script);
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash(js)}'`,
    `style-src 'sha256-${hash(css)}'`,
    "worker-src blob:",
    "img-src data:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const notices = inComment(noticesOf((await pageInputs()).map((path) => join(root, path))));
  const values = { policy, css, js, worker: inJson(worker), cases: inJson(bundledCases()), notices };
  return readFileSync(join(src, "page/index.template"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

/** Writes the page to `packages/web/dist/index.html`; returns its text. */
export async function buildPage(version) {
  const page = await pageText(version);
  const dist = join(web, "dist");
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, `.index-${process.pid}`), page);
  renameSync(join(dist, `.index-${process.pid}`), join(dist, "index.html"));
  return page;
}
