import { isHashedChain, type Renaming, withoutHash } from "../../../model/index.ts";
import { parseIpv4 } from "../../../net/index.ts";

const COMMENT = "--comment";
const HASH = 16;

/** Where the chain's name begins: `-A CHAIN `, behind counters if there are any. */
export const nameAt = (text: string, begin: number): number =>
  text.charCodeAt(begin) === 91 ? text.indexOf("] -A ", begin) + 5 : begin + 3;

/** Where what stands behind it does. */
export const bodyOf = (text: string, begin: number, chain: string): number => nameAt(text, begin) + chain.length + 1;

/** A word that is one question's own, by its number. */
export interface OwnWord {
  readonly kind: "address" | "chain" | "service";
  readonly number: number;
  /** Of a chain: what stands in front of its hash. */
  readonly stem: string;
}

/** A line in pieces: text that stands as it is, and words that are numbered. */
export type Pieces = readonly (string | OwnWord)[];

/** Words get their numbers here, as they are met. */
export interface Numbering {
  readonly renaming: Renaming;
  readonly chain: (name: string) => number;
}

/**
 * A line with numbers for what is one question's own: addresses, chains named after a hash, and the Service that a comment of kube-proxy is
 * about. Everything else stands as it is, so that lines which come out equal do the same to packets that are equal under the same numbers.
 */
export function ownWords(text: string, begin: number, end: number, { renaming, chain }: Numbering): Pieces {
  const pieces: (string | OwnWord)[] = [];
  let kept = begin;
  let comment = false;
  const put = (kind: OwnWord["kind"], number: number, from: number, to: number, stem = ""): void => {
    pieces.push(text.slice(kept, from), { kind, number, stem });
    kept = to;
  };
  for (let at = begin; at < end; ) {
    const first = text.charCodeAt(at);
    if (isBetween(first)) {
      at++;
      continue;
    }
    const stop = endOfWord(text, at, end);
    const behind = comment;
    comment = false;
    const service = behind ? endOfService(text, at, stop) : -1;
    if (service >= 0) {
      const number = renaming.service(text.slice(at, service));
      if (number !== undefined) put("service", number, at, service);
    } else if (isDigit(first)) {
      const to = endOfAddress(text, at, end);
      const number = to < 0 ? undefined : renaming.address(parseIpv4(text, at, to)!);
      if (number !== undefined) put("address", number, at, to);
    } else if (isCapital(first)) {
      const name = text.slice(at, stop);
      if (isHashedChain(name)) put("chain", chain(name), at, stop, withoutHash(name));
    } else if (first === 45 && stop - at === COMMENT.length && text.startsWith(COMMENT, at)) comment = true;
    at = stop;
  }
  pieces.push(text.slice(kept, end));
  return pieces;
}

/**
 * Whether a line comes out as these pieces. Words are numbered on the way as `ownWords` would: the text before each is the same, so that it
 * would have come there, too; a line that turns out to be another has numbered no word that `ownWords` does not number the same.
 */
export function isSaid(
  pieces: Pieces,
  text: string,
  begin: number,
  end: number,
  { renaming, chain }: Numbering,
): boolean {
  let at = begin;
  for (const piece of pieces) {
    if (typeof piece === "string") {
      if (!text.startsWith(piece, at)) return false;
      at += piece.length;
      continue;
    }
    const { kind, number, stem } = piece;
    if (kind === "address") {
      const to = endOfAddress(text, at, end);
      if (to < 0 || renaming.address(parseIpv4(text, at, to)!) !== number) return false;
      at = to;
    } else if (kind === "chain") {
      const to = at + stem.length + HASH;
      if (!text.startsWith(stem, at) || !isHash(text, to - HASH, to)) return false;
      if (to < end && !isBetween(text.charCodeAt(to))) return false;
      if (chain(text.slice(at, to)) !== number) return false;
      at = to;
    } else {
      const to = endOfService(text, at, endOfWord(text, at, end));
      if (to < 0 || renaming.service(text.slice(at, to)) !== number) return false;
      at = to;
    }
  }
  return at === end;
}

/** As text: what is said, whoever it is said of. */
export function saidIn(pieces: Pieces): string {
  let said = "";
  for (const piece of pieces)
    said += typeof piece === "string" ? piece : `<${piece.kind === "service" ? "s" : piece.stem}${piece.number}>`;
  return said;
}

function endOfWord(text: string, at: number, end: number): number {
  let stop = at + 1;
  while (stop < end && !isBetween(text.charCodeAt(stop))) stop++;
  return stop;
}

/** Where `namespace/name` ends, before the port's name; -1: the word is none. */
function endOfService(text: string, at: number, stop: number): number {
  if (!isServiceLetter(text.charCodeAt(at))) return -1;
  const slash = text.indexOf("/", at);
  if (slash <= at || slash >= stop || parseIpv4(text, at, slash) !== undefined) return -1;
  const colon = text.indexOf(":", slash);
  return colon > 0 && colon < stop ? colon : stop;
}

/** Where an address of one host ends that a word begins with; -1: it does not. */
function endOfAddress(text: string, at: number, end: number): number {
  let to = at;
  while (isOfAddress(text.charCodeAt(to))) to++;
  if (to - at < 7 || parseIpv4(text, at, to) === undefined) return -1;
  if (text.charCodeAt(to) !== 47) return to;
  return text.startsWith("/32", to) && (to + 3 >= end || isBetween(text.charCodeAt(to + 3))) ? to : -1;
}

function isHash(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (!isCapital(c) && !(c >= 50 && c <= 55)) return false;
  }
  return true;
}

const isBetween = (c: number): boolean => c === 32 || c === 34 || c === 44;
const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isCapital = (c: number): boolean => c >= 65 && c <= 90;
const isOfAddress = (c: number): boolean => isDigit(c) || c === 46;
const isServiceLetter = (c: number): boolean => (c >= 97 && c <= 122) || isDigit(c);
