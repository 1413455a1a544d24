// The documents as a site: static, searchable, without a server, a network or a tracker.
// Usage: npm run site [FOLDER]     (dist/site unless told)
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { loadCase } from "../packages/cli/src/case/load.ts";
import { lessonOf, roomTitle } from "../packages/cli/src/report/lesson.ts";
import { Askable, diagnose } from "../packages/core/src/diagnose/index.ts";
import { CAUSE_CODES, type CauseCode } from "../packages/core/src/explain/index.ts";
import { LESSONS, ROOMS, titleOf } from "../packages/core/src/explain/lessons/index.ts";
import { type Lang, say, text } from "../packages/core/src/messages/index.ts";
import { casesInChinese } from "../packages/web/build.mjs";
import { pictureOf } from "../packages/web/src/picture/picture.ts";
import { branchView } from "../packages/web/src/view/leg.ts";
import { type Page, pageHtml, type SiteMap } from "./site/layout.ts";
import { escapeHtml, renderMarkdown, slugOf } from "./site/markdown.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const out = process.argv[2] ?? join(root, "dist/site");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .sort();
const cases = readdirSync(join(root, "cases"), { withFileTypes: true })
  .filter((e) => e.isDirectory())
  .map((e) => e.name)
  .sort();

/** Documents by their path in the repository, each with its path on the site. */
const documents = new Map<string, string>([
  ["README.md", "index.html"],
  ["README.zh.md", "zh/index.html"],
  ["CONTRIBUTING.md", "contributing.html"],
  ["CHANGELOG.md", "changelog.html"],
  ...markdownIn("docs").map((name) => [`docs/${name}`, name.replace(/md$/, "html")] as const),
  ...markdownIn("docs/zh").map((name) => [`docs/zh/${name}`, `zh/${name.replace(/md$/, "html")}`] as const),
  ...cases.map((name) => [`cases/${name}/README.md`, `cases/${name}.html`] as const),
]);

/** Files that documents link to and that are no documents: handed along as they are. */
const copied = new Set<string>();

function linkedFrom(source: string, at: string) {
  const up = (to: string): string => posix.relative(posix.dirname(at), to);
  return (href: string): string | undefined => {
    if (/^[a-z]+:/.test(href) || href.startsWith("#")) return href;
    const [path = "", anchor] = href.split("#");
    const target = posix.normalize(posix.join(posix.dirname(source), path));
    const page = documents.get(target);
    if (page !== undefined) return `${up(page)}${anchor === undefined ? "" : `#${anchor}`}`;
    const entry = statSync(join(root, target), { throwIfNoEntry: false });
    if (entry?.isFile() !== true) return undefined;
    copied.add(target);
    return up(target);
  };
}

const langOf = (path: string): Lang => (path.startsWith("zh/") ? "zh" : "en");

function documentPage(source: string, path: string): Page {
  const { html, title, headings, words } = renderMarkdown(read(source), linkedFrom(source, path));
  const body = path.includes("cases/") ? `${html}${casePicture(posix.basename(path, ".html"), langOf(path))}` : html;
  return { path, lang: langOf(path), title, body: causesLinked(body, path), headings, words };
}

/** A code of a cause in a document leads to its page. */
function causesLinked(html: string, at: string): string {
  const folder = `${langOf(at) === "zh" ? "zh/" : ""}causes/`;
  const known = new Set<string>(CAUSE_CODES);
  return html.replace(
    /(<a [^>]*>)?<code>([A-Z][A-Z0-9_]+)<\/code>/g,
    (all, inLink: string | undefined, code: string) =>
      inLink !== undefined || !known.has(code)
        ? all
        : `<a href="${posix.relative(posix.dirname(at), `${folder}${code}.html`)}">${all}</a>`,
  );
}

function casePicture(name: string, lang: Lang): string {
  const askable = new Askable(loadCase([join(root, "cases", name)]), []);
  const { branches, world } = diagnose(askable, {}).inquiry.exploration;
  const told = branches.find((b) => b.clientSees !== "connected") ?? branches[0];
  if (told === undefined) return "";
  const view = branchView(told, 0, (f, l) => askable.quote(f, l), world, lang);
  const picture = pictureOf(view, lang).text.replaceAll(/ href="#[^"]*"/g, "");
  return `<h2 id="picture">${say(text("report.walk"), lang)}</h2><div class="table" tabindex="0">${picture}</div>`;
}

/** A cause as `hairpin explain` teaches it, with its picture and the picture of the case that shows it. */
function causePage(code: CauseCode, lang: Lang): Page {
  const path = `${lang === "zh" ? "zh/" : ""}causes/${code}.html`;
  const lesson = lessonOf(code, lang);
  const heading = (id: "happens" | "see" | "cures" | "not" | "sure" | "case"): string =>
    say(text(`lesson.heading.${id}`), lang);
  const part = (id: Parameters<typeof heading>[0], html: string): string =>
    `<h2 id="${id}">${escapeHtml(heading(id))}</h2>${html}`;
  const p = (words: string): string => `<p>${escapeHtml(words)}</p>`;
  const pre = (lines: readonly string[]): string =>
    lines.length === 0
      ? ""
      : `<pre tabindex="0"><code class="language-sh">${escapeHtml(lines.join("\n"))}</code></pre>`;
  const functions = lesson.kernel.length > 0 ? lesson.kernel.join(", ") : text("lesson.no-function");
  const cures = [...lesson.cures.map((c) => c.text), ...(lesson.instead === null ? [] : [lesson.instead])];
  const shown = lesson.cases.map(
    (name) =>
      `<li><a href="${posix.relative(posix.dirname(path), casePath(name, lang))}">${escapeHtml(caseTitle(name, lang))}</a></li>`,
  );
  const [first] = lesson.cases;
  const body = [
    `<h1 id="${code.toLowerCase()}">${escapeHtml(lesson.title)}</h1>`,
    `<p class="meta"><code>${code}</code> · ${escapeHtml(roomTitle(lesson.room, lang))}</p>`,
    `<pre class="drawing" tabindex="0" role="img" aria-label="${escapeHtml(lesson.title)}">${escapeHtml(lesson.picture)}</pre>`,
    part("happens", `${p(lesson.happens)}${p(say(text("lesson.heading.kernel", { functions }), lang))}`),
    part("see", `${p(lesson.see.text)}${pre(lesson.see.commands)}`),
    part("cures", `<ul>${cures.map((c) => `<li>${escapeHtml(c)}</li>`).join("")}</ul>`),
    part("not", p(lesson.notToBeTakenFor)),
    part("sure", p(say(text(`lesson.sure.${lesson.surest}`), lang))),
    part(
      "case",
      shown.length === 0
        ? p(say(text("lesson.no-case"), lang))
        : `<ul>${shown.join("")}</ul>${pre([`hairpin diagnose cases/${first}`])}`,
    ),
    first === undefined ? "" : casePicture(first, lang),
  ].join("\n");
  const words = [code, lesson.happens, lesson.see.text, ...lesson.see.commands, ...cures].join(" ");
  return { path, lang, title: `${code}: ${lesson.title}`, body, headings: [], words };
}

const chinese = casesInChinese();
const caseTitle = (name: string, lang: Lang): string =>
  (lang === "zh" ? chinese.get(name)?.title : undefined) ??
  /^# (.*)$/m.exec(read(`cases/${name}/README.md`))?.[1] ??
  name;
const casePath = (name: string, lang: Lang): string =>
  lang === "zh" && chinese.has(name) ? `zh/cases.html#${slugOf(chinese.get(name)!.title)}` : `cases/${name}.html`;

/** All causes, room by room. */
function causesIndex(lang: Lang): Page {
  const path = `${lang === "zh" ? "zh/" : ""}causes/index.html`;
  const title = say(text("site.causes"), lang);
  const rooms = ROOMS.map((room) => {
    const codes = CAUSE_CODES.filter((code) => LESSONS[code].room === room);
    const items = codes.map(
      (code) => `<li><a href="${code}.html"><code>${code}</code></a> ${escapeHtml(say(titleOf(code), lang))}</li>`,
    );
    return `<h2 id="${room}">${escapeHtml(roomTitle(room, lang))}</h2><ul>${items.join("\n")}</ul>`;
  });
  const intro = say(text("lesson.list.intro", { count: CAUSE_CODES.length }), lang);
  return {
    path,
    lang,
    title,
    body: `<h1 id="causes">${title}</h1><p>${escapeHtml(intro)}</p>${rooms.join("\n")}`,
    headings: [],
    words: intro,
  };
}

const pages: readonly Page[] = [
  ...[...documents].map(([source, path]) => documentPage(source, path)),
  ...(["en", "zh"] as const).flatMap((lang) => [
    causesIndex(lang),
    ...CAUSE_CODES.map((code) => causePage(code, lang)),
  ]),
];

const map: SiteMap = { pages: new Map(pages.map((p) => [p.path, p])) };
rmSync(out, { recursive: true, force: true });
const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), content);
};
for (const page of pages) write(page.path, pageHtml(page, map));
for (const file of copied) {
  mkdirSync(dirname(join(out, file)), { recursive: true });
  copyFileSync(join(root, file), join(out, file));
}
write(
  "site.css",
  ["packages/web/src/report/base.css", "packages/web/src/picture/picture.css", "scripts/site/site.css"]
    .map(read)
    .join("\n"),
);
write("search.js", read("scripts/site/search.js"));
const index = pages.map(({ path, lang, title, headings, words }) => ({
  path,
  lang,
  title,
  headings: headings.map((h) => h.text),
  words: words.replace(/\s+/g, " ").slice(0, 20_000),
}));
write("index.js", `globalThis.HAIRPIN_INDEX=${JSON.stringify(index).replace(/</g, "\\u003c")};\n`);
console.log(`${pages.length} pages in ${out}`);
