import type { Page } from "./page.ts";

const START = /^\s*(?:\{\s*(?:$|["}])|\[\s*(?:$|[[{"\]]))/;
/** Texts that open a bracket and never close it must not be scanned again and again. */
const MAX_FAILURES = 3;
const COMPACT = 4000;

/** A JSON document that stands in a page: the lines from `from` to `to`, and its beginning on one line. */
export interface JsonExtent {
  readonly from: number;
  readonly to: number;
  readonly compact: string;
}

/** Finds JSON documents by their brackets, so that a pretty-printed one is judged as a whole. */
export function jsonExtents(page: Page): readonly JsonExtent[] {
  const extents: JsonExtent[] = [];
  let failures = 0;
  for (let i = 0; i < page.texts.length && failures < MAX_FAILURES; i++) {
    const text = page.texts[i]!;
    if (page.frame[i] !== 0 || !START.test(text.slice(0, 200))) continue;
    const end = endOf(page, i);
    if (end === undefined) {
      failures++;
      continue;
    }
    let compact = "";
    for (let k = i; k <= end && compact.length < COMPACT; k++) compact += page.texts[k]!.slice(0, COMPACT).trim();
    extents.push({ from: i, to: end, compact: compact.slice(0, COMPACT) });
    i = end;
  }
  return extents;
}

function endOf(page: Page, from: number): number | undefined {
  let depth = 0;
  const block = page.blocks[from];
  for (let i = from; i < page.texts.length; i++) {
    if (page.frame[i] !== 0 || page.blocks[i] !== block) return undefined;
    const text = page.texts[i]!;
    let inString = false;
    for (let k = 0; k < text.length; k++) {
      const c = text.charCodeAt(k);
      if (inString) {
        if (c === 92) k++;
        else if (c === 34) inString = false;
      } else if (c === 34) inString = true;
      else if (c === 123 || c === 91) depth++;
      else if ((c === 125 || c === 93) && --depth === 0) return i;
    }
  }
  return undefined;
}
