import type { PatchRefusal } from "../../model/faults/patch-refusal.ts";
import type { ConntrackEntry } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type Address, PROTO, parseAddress } from "../../net/index.ts";

/** Which entries `conntrack -D` deletes: those that agree with all that was typed. */
export interface ConntrackSelector {
  readonly protocol?: number;
  readonly src?: Address;
  readonly dst?: Address;
  readonly sport?: number;
  readonly dport?: number;
}

const PROTOCOLS: Readonly<Record<string, number>> = lookup({
  tcp: PROTO.tcp,
  udp: PROTO.udp,
  sctp: PROTO.sctp,
  icmp: PROTO.icmp,
});

/** The words after `conntrack`. */
export function parseConntrack(words: readonly string[]): ConntrackSelector | PatchRefusal {
  let deletes = false;
  let selector: ConntrackSelector = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "-D" || word === "--delete") {
      deletes = true;
      continue;
    }
    if (word === "-F" || word === "--flush") return {};
    if (word === "conntrack") continue;
    const value = words[++i];
    const number = value !== undefined && /^\d{1,5}$/.test(value) ? Number(value) : undefined;
    const address = value === undefined ? undefined : parseAddress(value);
    const protocol = PROTOCOLS[value ?? ""];
    if ((word === "-p" || word === "--proto") && protocol !== undefined) selector = { ...selector, protocol };
    else if (/^(?:-s|--src|--orig-src)$/.test(word) && address !== undefined) selector = { ...selector, src: address };
    else if (/^(?:-d|--dst|--orig-dst)$/.test(word) && address !== undefined) selector = { ...selector, dst: address };
    else if (/^(?:--sport|--orig-port-src)$/.test(word) && number !== undefined)
      selector = { ...selector, sport: number };
    else if (/^(?:--dport|--orig-port-dst)$/.test(word) && number !== undefined)
      selector = { ...selector, dport: number };
    else return { kind: "word-not-modelled", tool: "conntrack", word };
  }
  return deletes ? selector : { kind: "only-modelled", tool: "conntrack", form: "-D, -F" };
}

export const selects = (s: ConntrackSelector, { original: o }: ConntrackEntry): boolean =>
  (s.protocol === undefined || s.protocol === o.protocol) &&
  (s.src === undefined || s.src === o.src) &&
  (s.dst === undefined || s.dst === o.dst) &&
  (s.sport === undefined || s.sport === o.sport) &&
  (s.dport === undefined || s.dport === o.dport);
