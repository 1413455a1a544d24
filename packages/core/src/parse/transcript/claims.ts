import type { Claim, Dialect } from "../dialect.ts";
import { type JsonExtent, jsonExtents } from "./json-extent.ts";
import { isBlank, type Page } from "./page.ts";

const RANK: Readonly<Record<Claim, number>> = { no: 1, maybe: 2, line: 3, head: 4 };
const NO = 1;
const MAYBE = 2;
const LINE = 3;
const HEAD = 4;
const MAX_ALIKE = 50_000;

/** What every dialect says of every line of a page, asked once and only when somebody wants to know. */
export interface Claims {
  readonly dialects: readonly Dialect[];
  readonly strong: (dialect: number, line: number) => boolean;
  readonly fits: (dialect: number, line: number) => boolean;
  readonly head: (dialect: number, line: number) => boolean;
  /** Some dialect other than `but` is sure of this line. */
  readonly claimedByAnother: (but: number, line: number) => boolean;
  readonly headOfAnother: (but: number, line: number) => boolean;
  readonly claimed: (line: number) => boolean;
}

/** `textAt`: the line as it is to be judged, placeholders filled in. */
export function claimsOver(page: Page, dialects: readonly Dialect[], textAt: (line: number) => string): Claims {
  const cache: (Uint8Array | undefined)[] = new Array(dialects.length);
  const documents = new Map<number, JsonExtent>();
  for (const extent of jsonExtents(page)) for (let i = extent.from; i <= extent.to; i++) documents.set(i, extent);
  const texts: string[] = [];
  /** Every dialect asks for the same line; a blank one is nothing to any. */
  const judged = (line: number): string => {
    const known = texts[line];
    if (known !== undefined) return known;
    const text = textAt(line);
    texts[line] = isBlank(text) ? "" : text;
    return texts[line];
  };
  const rank = (dialect: number, line: number): number => {
    let ranks = cache[dialect];
    if (ranks === undefined) {
      ranks = new Uint8Array(page.texts.length);
      cache[dialect] = ranks;
    }
    const known = ranks[line]!;
    if (known !== 0) return known;
    const json = documents.size === 0 ? undefined : documents.get(line);
    const text = json === undefined ? judged(line) : json.compact;
    let fresh = text === "" ? NO : RANK[dialects[dialect]!.claim(text)];
    // A document is judged as a whole, by its beginning; only its first line starts it.
    if (json !== undefined && fresh === HEAD && line > json.from) fresh = LINE;
    ranks[line] = fresh;
    return fresh;
  };
  // The highest rank of a line and whose it is, and the highest of anybody else: three arrays instead of all dialects again.
  const first = new Uint8Array(page.texts.length);
  const second = new Uint8Array(page.texts.length);
  const whose = new Int16Array(page.texts.length);
  const alike = new Map<string, number>();
  const someone = (least: number, but: number, line: number): boolean => {
    if (first[line] === 0) {
      // Lists repeat themselves: what was said of a line holds for the like of it.
      const text = documents.size === 0 ? judged(line) : "";
      const like = text === "" ? undefined : alike.get(text);
      if (like !== undefined) {
        first[line] = first[like]!;
        second[line] = second[like]!;
        whose[line] = whose[like]!;
        return someone(least, but, line);
      }
      if (text !== "" && alike.size < MAX_ALIKE) alike.set(text, line);
      for (let d = 0; d < dialects.length; d++) {
        const own = rank(d, line);
        if (own > first[line]!) {
          second[line] = first[line]!;
          first[line] = own;
          whose[line] = d;
        } else if (own > second[line]!) second[line] = own;
      }
    }
    return (whose[line] === but ? second[line]! : first[line]!) >= least;
  };
  return {
    dialects,
    strong: (dialect, line) => rank(dialect, line) >= LINE,
    fits: (dialect, line) => rank(dialect, line) >= MAYBE,
    head: (dialect, line) => rank(dialect, line) === HEAD,
    claimedByAnother: (but, line) => someone(LINE, but, line),
    headOfAnother: (but, line) => someone(HEAD, but, line),
    claimed: (line) => someone(LINE, -1, line),
  };
}
