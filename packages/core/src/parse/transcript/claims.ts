import type { Claim, Dialect } from "../dialect.ts";
import { type JsonExtent, jsonExtents } from "./json-extent.ts";
import { isBlank, type Page } from "./page.ts";

const RANK: Readonly<Record<Claim, number>> = { no: 1, maybe: 2, line: 3, head: 4 };
const NO = 1;
const MAYBE = 2;
const LINE = 3;
const HEAD = 4;

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
  const rank = (dialect: number, line: number): number => {
    let ranks = cache[dialect];
    if (ranks === undefined) {
      ranks = new Uint8Array(page.texts.length);
      cache[dialect] = ranks;
    }
    const known = ranks[line]!;
    if (known !== 0) return known;
    const json = documents.get(line);
    const text = json === undefined ? textAt(line) : json.compact;
    let fresh = isBlank(text) ? NO : RANK[dialects[dialect]!.claim(text)];
    // A document is judged as a whole, by its beginning; only its first line starts it.
    if (json !== undefined && fresh === HEAD && line > json.from) fresh = LINE;
    ranks[line] = fresh;
    return fresh;
  };
  const someone = (least: number, but: number, line: number): boolean => {
    for (let d = 0; d < dialects.length; d++) if (d !== but && rank(d, line) >= least) return true;
    return false;
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
