import { isBlank, type Page, replaceLine } from "./page.ts";

const OPEN_FENCE = /^( {0,12}|\t{0,3})(`{3,}|~{3,})[^`]*$/;
/** Frames of other markups: Jira and Confluence, Jekyll, HTML. */
const OTHER_OPEN =
  /^\s*(?:\{(?:code|noformat)(?::[^}]{0,80})?\}|\{% highlight [^%]{0,60}%\}|<pre[^>]{0,80}>(?:<code[^>]{0,80}>)?)\s*$/;
const OTHER_CLOSE = /^\s*(?:\{(?:code|noformat)\}|\{% endhighlight %\}|(?:<\/code>)?<\/pre>)\s*$/;

/** Marks fenced blocks. A fence that is never closed runs to the end of the file, as in CommonMark. */
export function markFences(page: Page): void {
  let closer: ((line: string) => boolean) | undefined;
  let indent = 0;
  for (let i = 0; i < page.texts.length; i++) {
    const text = page.texts[i]!;
    if (closer === undefined) {
      const m = text.length < 200 ? OPEN_FENCE.exec(text) : null;
      if (m !== null) {
        const [, margin = "", fence = ""] = m;
        closer = (line) => {
          const t = line.trim();
          return t.length >= fence.length && t[0] === fence[0] && t === t[0]!.repeat(t.length);
        };
        indent = margin.length;
      } else if (text.length < 200 && OTHER_OPEN.test(text)) {
        closer = (line) => OTHER_CLOSE.test(line);
        indent = 0;
      } else continue;
      page.frame[i] = 1;
      page.blockCount++;
    } else if (text.length < 200 && closer(text)) {
      page.frame[i] = 1;
      closer = undefined;
    } else {
      page.blocks[i] = page.blockCount;
      if (indent > 0) {
        let taken = 0;
        while (taken < indent && (text[taken] === " " || text[taken] === "\t")) taken++;
        if (taken > 0) replaceLine(page, i, text.slice(taken), taken);
      }
    }
  }
}

const margin = (text: string): number => {
  let n = 0;
  while (n < text.length && (text[n] === " " || text[n] === "\t")) n++;
  return n;
};

const indented = (text: string): boolean => text[0] === "\t" || text.startsWith("    ");

/**
 * Markdown's indented code: a run of indented lines between blank ones. What all of them have in front is the block's;
 * the rest of the indentation is the tool's (`    inet …` below `2: eth0: …`).
 */
export function markIndented(page: Page): void {
  const { texts, blocks, frame } = page;
  for (let i = 0; i < texts.length; i++) {
    if (blocks[i] !== 0 || frame[i] !== 0 || !indented(texts[i]!) || isBlank(texts[i]!)) continue;
    if (i > 0 && blocks[i - 1] === 0 && frame[i - 1] === 0 && !isBlank(texts[i - 1]!)) continue;
    let end = i;
    let common = Number.POSITIVE_INFINITY;
    let j = i;
    for (; j < texts.length && blocks[j] === 0 && frame[j] === 0; j++) {
      if (isBlank(texts[j]!)) continue;
      if (!indented(texts[j]!)) break;
      common = Math.min(common, margin(texts[j]!));
      end = j;
    }
    // Closed by a brace at the margin, it is the inside of what a tool printed (`nft list table` parts its chains by blank lines).
    if (j < texts.length && texts[j]!.startsWith("}")) {
      i = end;
      continue;
    }
    // Directly followed by text, it was a hanging paragraph and no block.
    if (j < texts.length && j === end + 1 && blocks[j] === 0 && frame[j] === 0 && i === end) continue;
    page.blockCount++;
    for (let k = i; k <= end; k++) {
      blocks[k] = page.blockCount;
      if (!isBlank(texts[k]!)) replaceLine(page, k, texts[k]!.slice(common), common);
    }
    i = end;
  }
}

/** `> quoted` lines, two or more together: the mark comes off. A lone one may continue a command. */
export function markQuotes(page: Page): void {
  const { texts, blocks, frame } = page;
  const quoted = (i: number) => blocks[i] === 0 && frame[i] === 0 && /^>/.test(texts[i] ?? "");
  for (let i = 0; i < texts.length; i++) {
    if (!quoted(i)) continue;
    let end = i;
    while (quoted(end + 1)) end++;
    const continues = i > 0 && /(?:\\|\||&&)\s*$/.test(texts[i - 1]!);
    if (end > i && !continues) {
      page.blockCount++;
      for (let k = i; k <= end; k++) {
        blocks[k] = page.blockCount;
        const taken = texts[k]!.startsWith("> ") ? 2 : 1;
        replaceLine(page, k, texts[k]!.slice(taken), taken);
      }
    }
    i = end;
  }
}
