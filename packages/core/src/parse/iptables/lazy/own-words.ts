import { isHashedChain, type Renaming, withoutHash } from "../../../model/index.ts";
import { parseIpv4 } from "../../../net/index.ts";

const COMMENT = "--comment";

/** Where the chain's name begins: `-A CHAIN `, behind counters if there are any. */
export const nameAt = (text: string, begin: number): number =>
  text.charCodeAt(begin) === 91 ? text.indexOf("] -A ", begin) + 5 : begin + 3;

/** Where what stands behind it does. */
export const bodyOf = (text: string, begin: number, chain: string): number => nameAt(text, begin) + chain.length + 1;

/**
 * A line with numbers for what is one question's own: addresses, chains named after a hash, and the Service that a comment of kube-proxy is
 * about. Everything else stands as it is, so that lines which come out equal do the same to packets that are equal under the same numbers.
 */
export function ownWords(
  text: string,
  begin: number,
  end: number,
  renaming: Renaming,
  chainNumber: (name: string) => number,
): string {
  let said = "";
  let kept = begin;
  let comment = false;
  for (let at = begin; at < end; ) {
    const first = text.charCodeAt(at);
    if (first === 32 || first === 34 || first === 44) {
      at++;
      continue;
    }
    let stop = at + 1;
    while (stop < end && !isBetween(text.charCodeAt(stop))) stop++;
    const service = comment;
    comment = false;
    if (service && isServiceLetter(first)) {
      const slash = text.indexOf("/", at);
      if (slash > at && slash < stop && parseIpv4(text, at, slash) === undefined) {
        const colon = text.indexOf(":", slash);
        const to = colon > 0 && colon < stop ? colon : stop;
        const number = renaming.service(text.slice(at, to));
        if (number !== undefined) {
          said += `${text.slice(kept, at)}<s${number}>`;
          kept = to;
        }
        at = stop;
        continue;
      }
    }
    if (first >= 48 && first <= 57) {
      let to = at + 1;
      while (isOfAddress(text.charCodeAt(to))) to++;
      const address = to - at < 7 ? undefined : parseIpv4(text, at, to);
      const number =
        address === undefined || (text.charCodeAt(to) === 47 && text.slice(to, stop) !== "/32")
          ? undefined
          : renaming.address(address);
      if (number !== undefined) {
        said += `${text.slice(kept, at)}<${number}>`;
        kept = to;
      }
    } else if (isCapital(first)) {
      const name = text.slice(at, stop);
      if (isHashedChain(name)) {
        said += `${text.slice(kept, at)}<${withoutHash(name)}${chainNumber(name)}>`;
        kept = stop;
      }
    } else if (first === 45 && stop - at === COMMENT.length && text.startsWith(COMMENT, at)) comment = true;
    at = stop;
  }
  return said + text.slice(kept, end);
}

const isBetween = (c: number): boolean => c === 32 || c === 34 || c === 44;
const isCapital = (c: number): boolean => c >= 65 && c <= 90;
const isOfAddress = (c: number): boolean => (c >= 48 && c <= 57) || c === 46;
const isServiceLetter = (c: number): boolean => (c >= 97 && c <= 122) || (c >= 48 && c <= 57);
