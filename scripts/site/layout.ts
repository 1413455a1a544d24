import { posix } from "node:path";
import { type Lang, say, text } from "../../packages/core/src/messages/index.ts";
import { escapeHtml } from "./markdown.ts";

export interface Page {
  readonly path: string;
  readonly lang: Lang;
  readonly title: string;
  readonly body: string;
  readonly headings: readonly { readonly level: number; readonly text: string; readonly id: string }[];
  readonly words: string;
}

export interface SiteMap {
  readonly pages: ReadonlyMap<string, Page>;
}

/** In the order one reads them; what is not named here stands with the reference. */
const PARTS = [
  ["site.learn", ["index", "tutorial", "how-to-read-an-answer", "recipes", "faq", "glossary", "limits", "comparison"]],
  [
    "site.use",
    [
      "install",
      "live",
      "collect",
      "check",
      "page",
      "report",
      "diff",
      "instrument",
      "guard",
      "ci",
      "kubectl",
      "mcp",
      "library",
      "cases",
    ],
  ],
] as const;

function partsOf(
  lang: Lang,
  { pages }: SiteMap,
): readonly { readonly title: string; readonly pages: readonly Page[] }[] {
  const folder = lang === "zh" ? "zh/" : "";
  const own = [...pages.values()].filter((p) => posix.dirname(p.path) === (lang === "zh" ? "zh" : "."));
  const named = PARTS.map(([id, names]) => ({
    title: say(text(id), lang),
    pages: names.flatMap((n) => pages.get(`${folder}${n}.html`) ?? []),
  }));
  const listed = new Set(named.flatMap((p) => p.pages));
  const causes = pages.get(`${folder}causes/index.html`);
  const rest = own.filter((p) => !listed.has(p));
  const reference = {
    title: say(text("site.reference"), lang),
    pages: [...(causes === undefined ? [] : [causes]), ...rest],
  };
  return [...named, reference].filter((p) => p.pages.length > 0);
}

/** The same page in the other language, or where that begins. */
function otherLanguage(page: Page, { pages }: SiteMap): string {
  const other = page.lang === "zh" ? page.path.replace(/^zh\//, "") : `zh/${page.path}`;
  return pages.has(other) ? other : page.lang === "zh" ? "index.html" : "zh/index.html";
}

export function pageHtml(page: Page, map: SiteMap): string {
  const { lang } = page;
  const to = (path: string): string => posix.relative(posix.dirname(page.path), path);
  const home = posix.relative(posix.dirname(page.path), ".");
  const prefix = home === "" ? "" : `${home}/`;
  const t = (id: "site.search" | "site.none" | "site.contents" | "site.skip"): string =>
    escapeHtml(say(text(id), lang));
  const nav = partsOf(lang, map).map(
    (part) =>
      `<h2>${escapeHtml(part.title)}</h2><ul>${part.pages
        .map(
          (p) =>
            `<li><a href="${to(p.path)}"${p === page ? ' aria-current="page"' : ""}>${escapeHtml(p.title)}</a></li>`,
        )
        .join("")}</ul>`,
  );
  const contents = page.headings.filter((h) => h.level === 2);
  return `<!doctype html>
<html lang="${lang === "zh" ? "zh-Hans" : "en"}" data-home="${prefix}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}${page.path.endsWith("index.html") ? "" : " · Hairpin"}</title>
<link rel="stylesheet" href="${prefix}site.css">
</head>
<body class="site">
<a class="skip" href="#content">${t("site.skip")}</a>
<header class="top"><a class="home" href="${to(lang === "zh" ? "zh/index.html" : "index.html")}">Hairpin</a>
<div class="search"><label class="sr" for="search">${t("site.search")}</label><input id="search" type="search" placeholder="${t("site.search")}" data-none="${t("site.none")}" autocomplete="off"><ul id="found" hidden></ul></div>
<a class="language" href="${to(otherLanguage(page, map))}" lang="${lang === "zh" ? "en" : "zh-Hans"}">${lang === "zh" ? "English" : "中文"}</a></header>
<div class="columns"><nav aria-label="${t("site.contents")}">${nav.join("")}</nav>
<main id="content">${page.body}</main>
<aside>${contents.length < 3 ? "" : `<ul>${contents.map((h) => `<li><a href="#${escapeHtml(h.id)}">${escapeHtml(h.text)}</a></li>`).join("")}</ul>`}</aside></div>
<script src="${prefix}index.js"></script>
<script src="${prefix}search.js"></script>
</body>
</html>
`;
}
