import { append } from "@hairpin/core/net/append.ts";
import type { Keyed } from "./keyed.ts";

const OWN_MEANING = /^(?:ff:){5}ff$|^(?:00:){5}00$|^01:00:5e|^33:33|^01:80:c2|^(?:ee:){5}ee$/;

function mapMac(mac: string, by: Keyed): string {
  const lower = mac.toLowerCase();
  if (OWN_MEANING.test(lower)) return mac;
  const bytes = by.bytes(`mac ${lower}`);
  // Whether it is of a maker or of somebody's own making stays.
  const first = (bytes[0]! & 0xfc) | (Number.parseInt(lower.slice(0, 2), 16) & 3);
  const mapped = [first, ...bytes.subarray(1, 6)].map((b) => b.toString(16).padStart(2, "0")).join(":");
  return mac === lower ? mapped : mapped.toUpperCase();
}

/**
 * Octets from six on: a MAC, or the head of a frame as LOG and martians print it (destination, source, type). Every six are a MAC,
 * so that it is the same one as elsewhere; of what is left only a frame's type stays.
 */
export function mapOctets(octets: readonly string[], by: Keyed): readonly string[] {
  const mapped: string[] = [];
  let at = 0;
  for (; at + 6 <= octets.length; at += 6) append(mapped, mapMac(octets.slice(at, at + 6).join(":"), by).split(":"));
  const rest = octets.slice(at);
  const keyed = by.bytes(`octets ${octets.join(":").toLowerCase()}`);
  return [...mapped, ...(rest.length === 2 ? rest : rest.map((_, i) => keyed[i]!.toString(16).padStart(2, "0")))];
}
