import type { Packet, Port } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import { type Branch, decisiveLeg, type Leg, legsOf } from "./branch.ts";

/** What of a branch counts where its fate is held against another's. */
export interface FateView {
  /** What an address is called. */
  readonly address: (address: Address) => string;
  /** What else of a leg counts, beside what became of it and the packet in the end. */
  readonly leg: (leg: Leg) => string;
}

/** Within one walk: the same end, by the same decision, for the same lines. */
const EXACT: FateView = {
  address: formatAddress,
  leg: ({ stack, step, decision, origins }) =>
    [
      stack,
      step,
      JSON.stringify(decision),
      origins.map((o) => (o.kind === "read" ? `${o.file}:${o.line}` : o.rule)).join(","),
    ].join(" "),
};

/** A port that nobody fixed may be any. */
const portOf = (p: Port): string => (typeof p === "number" ? String(p) : "*");

function packetKey({ src, dst, sport, dport, protocol, tos, icmp }: Packet, { address }: FateView): string {
  return icmp === undefined
    ? `${protocol} ${address(src)}:${portOf(sport)} > ${address(dst)}:${portOf(dport)} tos ${tos}`
    : `${address(src)} > ${address(dst)} icmp ${icmp.type}/${icmp.code}`;
}

/** What becomes of a packet in a branch: equal keys, equal fate. */
export function fateKey(branch: Branch, view: FateView = EXACT): string {
  const leg = (l: Leg): string =>
    [l.what, l.disposition, l.drop ?? "", packetKey(l.final, view), l.masqueraded, view.leg(l)].join(" ");
  const legs = legsOf(branch).map(leg).join("\n");
  return `${legs}\n${branch.reply === null ? "-" : "+"} ${branch.clientSees ?? "?"} ${branch.errno ?? ""}`;
}

/** In short: where and why the branches end, and what their clients see. */
export const endsKey = (branches: readonly Branch[]): string =>
  branches
    .map((b) => {
      const { what, disposition, stack, step, drop } = decisiveLeg(b);
      return `${b.clientSees} ${what} ${disposition} ${stack} ${step} ${drop}`;
    })
    .sort()
    .join("\n");
