/** Markdown as the documents here use it, as HTML. What it does not know stays text: nothing in a document is markup by itself. */
export interface Rendered {
  readonly html: string;
  readonly title: string;
  readonly headings: readonly { readonly level: number; readonly text: string; readonly id: string }[];
  /** Words alone, for the search. */
  readonly words: string;
}

/** Where a link of a document leads on the site; undefined where it leads to a file that is not part of it. */
export type Linked = (href: string) => string | undefined;

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

/** As GitHub makes them, so that links work in both places. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

export function renderMarkdown(source: string, linked: Linked): Rendered {
  return new Renderer(linked).document(source.replace(/\r\n?/g, "\n").replace(/<!--[\s\S]*?-->\n?/g, ""));
}

const FENCE = /^(\s*)(`{3,})(\S*)/;
const ITEM = /^(\s*)(?:[-*]|\d+\.)\s+(.*)$/;
const TABLE_LINE = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*$/;

class Renderer {
  readonly #linked: Linked;
  readonly #headings: { level: number; text: string; id: string }[] = [];
  readonly #words: string[] = [];
  #title = "";

  constructor(linked: Linked) {
    this.#linked = linked;
  }

  document(source: string): Rendered {
    const html = this.#blocks(source.split("\n"));
    return { html, title: this.#title, headings: this.#headings, words: this.#words.join(" ") };
  }

  #blocks(lines: readonly string[]): string {
    const out: string[] = [];
    for (let i = 0; i < lines.length; ) {
      const line = lines[i]!;
      const fence = FENCE.exec(line);
      if (line.trim() === "") i++;
      else if (fence !== null) {
        const end = lines.findIndex((l, at) => at > i && l.trim() === fence[2]);
        const last = end < 0 ? lines.length : end;
        out.push(
          this.#code(
            lines.slice(i + 1, last).map((l) => l.replace(fence[1]!, "")),
            fence[3]!,
          ),
        );
        i = last + 1;
      } else if (/^#{1,6} /.test(line)) {
        out.push(this.#heading(line));
        i++;
      } else if (/^\s*(?:---+|\*\*\*+)\s*$/.test(line)) {
        out.push("<hr>");
        i++;
      } else if (line.startsWith(">")) {
        const [quote, next] = taken(lines, i, (l) => l.startsWith(">"));
        out.push(`<blockquote>${this.#blocks(quote.map((l) => l.replace(/^> ?/, "")))}</blockquote>`);
        i = next;
      } else if (line.includes("|") && TABLE_LINE.test(lines[i + 1] ?? "")) {
        const [rows, next] = taken(lines, i, (l) => l.includes("|"));
        out.push(this.#table(rows));
        i = next;
      } else if (ITEM.test(line)) {
        const [list, next] = this.#list(lines, i);
        out.push(list);
        i = next;
      } else {
        const [paragraph, next] = taken(
          lines,
          i,
          (l) => l.trim() !== "" && !FENCE.test(l) && !/^#{1,6} /.test(l) && !ITEM.test(l) && !l.startsWith(">"),
        );
        out.push(`<p>${this.#inline(paragraph.map((l) => l.trim()).join("\n"))}</p>`);
        i = next;
      }
    }
    return out.join("\n");
  }

  #heading(line: string): string {
    const [, marks = "#", words = ""] = /^(#+)\s+(.*)$/.exec(line) ?? [];
    const plain = words.replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, "$1");
    let id = slugOf(plain);
    for (let n = 1; this.#headings.some((h) => h.id === id); n++) id = `${slugOf(plain)}-${n}`;
    if (this.#title === "") this.#title = plain;
    this.#headings.push({ level: marks.length, text: plain, id });
    const level = marks.length;
    return `<h${level} id="${escapeHtml(id)}">${this.#inline(words)}</h${level}>`;
  }

  #code(lines: readonly string[], language: string): string {
    this.#words.push(lines.join(" ").slice(0, 400));
    const kind = language === "" ? "" : ` class="language-${escapeHtml(language)}"`;
    return `<pre tabindex="0"><code${kind}>${escapeHtml(lines.join("\n"))}</code></pre>`;
  }

  #table([head = "", , ...rows]: readonly string[]): string {
    const row = (line: string, tag: string): string =>
      `<tr>${cellsOf(line)
        .map((c) => `<${tag}>${this.#inline(c)}</${tag}>`)
        .join("")}</tr>`;
    return `<div class="table" tabindex="0"><table><thead>${row(head, "th")}</thead><tbody>${rows.map((r) => row(r, "td")).join("\n")}</tbody></table></div>`;
  }

  /** Items of one list; what is indented further belongs to the item above it. */
  #list(lines: readonly string[], from: number): readonly [string, number] {
    const indent = ITEM.exec(lines[from]!)![1]!.length;
    const ordered = /^\s*\d/.test(lines[from]!);
    const items: string[][] = [];
    let i = from;
    for (; i < lines.length; i++) {
      const line = lines[i]!;
      const item = ITEM.exec(line);
      if (item !== null && item[1]!.length === indent) items.push([item[2]!]);
      else if (line.trim() === "") {
        const after = lines[i + 1] ?? "";
        if (!(/^\s/.test(after) && indentOf(after) > indent) && ITEM.exec(after)?.[1]?.length !== indent) break;
        items.at(-1)!.push("");
      } else if (indentOf(line) > indent) items.at(-1)!.push(line);
      else if (item === null && items.length > 0 && !/^#{1,6} |^`{3}/.test(line)) items.at(-1)!.push(line);
      else break;
    }
    const tag = ordered ? "ol" : "ul";
    const body = items.map(([first = "", ...rest]) => {
      const depth = Math.min(...rest.filter((l) => l.trim() !== "").map(indentOf), 40);
      const inner = this.#blocks([first, ...rest.map((l) => l.slice(Math.min(depth, indentOf(l))))]);
      return `<li>${inner.replace(/^<p>([\s\S]*?)<\/p>/, "$1")}</li>`;
    });
    return [`<${tag}>${body.join("\n")}</${tag}>`, i];
  }

  #inline(source: string): string {
    this.#words.push(source.replace(/[`*[\]|]/g, " "));
    const kept: string[] = [];
    const keep = (html: string): string => `\0${kept.push(html) - 1}\0`;
    const marked = source
      .replace(/(`+)(.+?)\1(?!`)/gs, (_, __, code: string) =>
        keep(`<code>${escapeHtml(code.replace(/^ (.*) $/, "$1"))}</code>`),
      )
      .replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, (_, c: string) => keep(escapeHtml(c)))
      .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, alt: string, src: string) =>
        keep(`<img src="${escapeHtml(this.#linked(src) ?? src)}" alt="${escapeHtml(alt)}">`),
      )
      .replace(/\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g, (_, words: string, href: string) =>
        this.#link(words, href, keep),
      )
      .replace(/<(https?:[^>\s]+)>/g, (_, href: string) =>
        keep(`<a href="${escapeHtml(href)}">${escapeHtml(href)}</a>`),
      );
    const said = escapeHtml(marked)
      .replace(/\*\*(.+?)\*\*/gs, "<strong>$1</strong>")
      .replace(/(^|[\s(（])[*_]([^*_\s](?:[^*_]*[^*_\s])?)[*_](?=[\s).,;:!?）。，]|$)/g, "$1<em>$2</em>");
    return restored(said, kept);
  }

  #link(words: string, href: string, keep: (html: string) => string): string {
    const to = this.#linked(href);
    return to === undefined ? words : `${keep(`<a href="${escapeHtml(to)}">`)}${words}${keep("</a>")}`;
  }
}

const restored = (text: string, kept: readonly string[]): string => {
  let out = text;
  for (let before = ""; before !== out; ) {
    before = out;
    out = out.replace(/\0(\d+)\0/g, (_, n: string) => kept[Number(n)]!);
  }
  return out;
};

const indentOf = (line: string): number => /^\s*/.exec(line)![0].length;

function taken(
  lines: readonly string[],
  from: number,
  is: (line: string) => boolean,
): readonly [readonly string[], number] {
  let to = from + 1;
  while (to < lines.length && is(lines[to]!)) to++;
  return [lines.slice(from, to), to];
}

/** Cells between bars; a bar in back ticks or behind a backslash is none. */
function cellsOf(line: string): readonly string[] {
  const cells: string[] = [];
  let cell = "";
  let code = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (c === "`") code = !code;
    if (c === "\\" && line[i + 1] === "|") cell += line[++i]!;
    else if (c === "|" && !code) {
      cells.push(cell.trim());
      cell = "";
    } else cell += c;
  }
  cells.push(cell.trim());
  return cells.slice(cells[0] === "" ? 1 : 0, cells.at(-1) === "" ? -1 : undefined);
}
