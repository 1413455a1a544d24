import type { Match, Rule } from "../model/index.ts";
import { type Address, hostPrefix, lengthOfMask, type Prefix } from "../net/index.ts";

/** What is known of a packet that would meet a differing rule, set entry, route or server. What is absent is free. */
export interface Hint {
  readonly src?: Prefix;
  readonly dst?: Prefix;
  readonly notSrc?: readonly Prefix[];
  readonly notDst?: readonly Prefix[];
  readonly protocol?: number;
  readonly sport?: number;
  readonly dport?: number;
  readonly notDport?: number;
  /** The device it came in by. */
  readonly in?: string;
  readonly out?: string;
  /** Addressed to the node itself. */
  readonly local?: boolean;
  /** The mark it carries: somebody must have set it. */
  readonly mark?: { readonly value: number; readonly mask: number };
  readonly sets?: readonly { readonly name: string; readonly directions: readonly ("src" | "dst")[] }[];
}

const prefixOf = (m: { readonly address: Address; readonly mask: Address }): Prefix | undefined => {
  const length = lengthOfMask(m.mask);
  return length === undefined ? undefined : { address: m.address, length };
};

type Draft = { -readonly [K in keyof Hint]: Hint[K] };

function addMatch(match: Match, draft: Draft): void {
  switch (match.kind) {
    case "tcp":
    case "udp":
    case "sctp":
      if (match.dport !== undefined) {
        if (match.dport.negated) draft.notDport = match.dport.value.from;
        else draft.dport = match.dport.value.from;
      }
      if (match.sport !== undefined && !match.sport.negated) draft.sport = match.sport.value.from;
      return;
    case "multiport": {
      const first = match.ports[0]?.from;
      if (first === undefined || match.negated) return;
      if (match.direction === "source") draft.sport = first;
      else draft.dport = first;
      return;
    }
    case "mark":
      if (!match.negated && match.value !== 0) draft.mark = { value: match.value, mask: match.mask };
      return;
    case "addrtype":
      if (match.destination?.value.includes("LOCAL") === true) draft.local = !match.destination.negated;
      return;
    case "set":
      if (!match.negated) draft.sets = [...(draft.sets ?? []), { name: match.name, directions: match.directions }];
      return;
    case "iprange":
      if (match.source !== undefined && !match.source.negated) draft.src = hostPrefix(match.source.value.from);
      if (match.destination !== undefined && !match.destination.negated)
        draft.dst = hostPrefix(match.destination.value.from);
      return;
    case "physdev":
      if (match.in !== undefined && !match.in.negated && !match.in.value.endsWith("+")) draft.in = match.in.value;
      return;
    default:
  }
}

/** What a packet must look like to come down this path of rules: one that jumps to the next, and the last. */
export function hintOf(path: readonly Rule[]): Hint {
  const draft: Draft = {};
  for (const rule of path) {
    const { source, destination, protocol, inInterface, outInterface } = rule;
    const src = source === undefined ? undefined : prefixOf(source.value);
    const dst = destination === undefined ? undefined : prefixOf(destination.value);
    if (src !== undefined && src.length > 0) {
      if (source!.negated) draft.notSrc = [...(draft.notSrc ?? []), src];
      else if (draft.src === undefined || src.length >= draft.src.length) draft.src = src;
    }
    if (dst !== undefined && dst.length > 0) {
      if (destination!.negated) draft.notDst = [...(draft.notDst ?? []), dst];
      else if (draft.dst === undefined || dst.length >= draft.dst.length) draft.dst = dst;
    }
    if (protocol !== undefined && !protocol.negated && protocol.value !== 0) draft.protocol = protocol.value;
    if (inInterface !== undefined && !inInterface.negated && !inInterface.value.endsWith("+"))
      draft.in = inInterface.value;
    if (outInterface !== undefined && !outInterface.negated && !outInterface.value.endsWith("+"))
      draft.out = outInterface.value;
    for (const match of rule.matches) addMatch(match, draft);
  }
  return draft;
}
