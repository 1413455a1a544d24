import { text } from "../../../messages/index.ts";
import type { CalicoIpPool, IpSet, Origin, Stack } from "../../../model/index.ts";
import { type Address, contains, formatPrefix, networkOf } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { CauseCode } from "../../code.ts";
import type { Look, Sign } from "../../sign.ts";
import { observedToFail, shownStacks, suspect } from "../claim.ts";

/** The entry of a set of networks that an address is in. */
const entryFor = (set: IpSet | undefined, address: Address) =>
  set?.entries.find((e) => {
    const [part] = e.parts;
    return part?.kind === "address" && !e.nomatch && contains({ address: part.from, length: part.length }, address);
  });

interface Pool {
  readonly network: string;
  readonly origin: Origin;
}

/** The pool of pods that an address is in, by Calico's set on the node or by an IPPool. */
function poolOf(stack: Stack, pools: readonly CalicoIpPool[], address: Address): Pool | undefined {
  const set = stack.ipsets.items.find((s) => /^cali40all-ipam-pools$/.test(s.name));
  const entry = entryFor(set, address);
  const [part] = entry?.parts ?? [];
  if (entry !== undefined && part?.kind === "address")
    return { network: formatPrefix({ address: part.from, length: part.length }), origin: entry.origin };
  const pool = pools.find((p) => contains(p.cidr, address));
  return pool === undefined ? undefined : { network: formatPrefix(pool.cidr), origin: pool.origin };
}

/** A pod's packet for a host that is no pod leaves the node with the pod's own address. */
function unmasqueraded({
  exploration,
  question,
  world,
}: Look): { readonly stack: Stack; readonly src: Address } | undefined {
  const client = world.stacks.find((s) => s.name === question.client);
  if (client?.kind === "node") return undefined;
  for (const { request } of exploration.branches) {
    const out = request.steps.find((s) => s.kind === "transmit" && s.stack !== question.client);
    const stack = world.stacks.find((s) => s.name === out?.stack && s.kind === "node" && s.assumed === undefined);
    if (out === undefined || stack === undefined || request.masqueraded) continue;
    return { stack, src: out.packet.src };
  }
  return undefined;
}

/**
 * Calico does not translate what goes from a pool to a pool. Where a pool covers the network of the nodes or the LAN, packets
 * for hosts there keep the pod's address and are not answered.
 */
export const cidrOverlap: Sign = {
  codes: ["CIDR_OVERLAP", "MASQ_MISSING_NAT_OUTGOING"],
  detect: (look) => {
    const { question, world } = look;
    const left = unmasqueraded(look);
    if (left === undefined) return [];
    const { stack, src } = left;
    const pools = world.kubernetes.ipPools;
    const to = poolOf(stack, pools, question.to);
    const from = poolOf(stack, pools, src);
    const card = shownStacks(look)
      .filter((s) => s.kind === "node")
      .flatMap((s) => s.devices.items.filter((d) => d.kind === "ethernet" || d.kind === "bond" || d.kind === "vlan"))
      .flatMap((d) => d.addresses)
      .find((a) => a.prefix.length < 32 && contains(a.prefix, question.to));
    const certainty = observedToFail(look) ? "inferred" : "possible";
    if (to !== undefined && from !== undefined && card !== undefined) {
      const summary = text("cause.cidr_overlap", { pool: to.network, network: formatPrefix(networkOf(card.prefix)) });
      return [claim("CIDR_OVERLAP", stack.name, certainty, summary, [to.origin, card.origin])];
    }
    const pool = pools.find((p) => contains(p.cidr, src));
    // A network that routes pods' addresses needs no translation: only a failure makes it a sign.
    if (to !== undefined || pool === undefined || pool.natOutgoing || !observedToFail(look)) return [];
    const summary = text("cause.masq_missing_nat_outgoing", { pool: formatPrefix(pool.cidr) });
    return [claim("MASQ_MISSING_NAT_OUTGOING", stack.name, certainty, summary, [pool.origin])];
  },
};

const claim = (
  code: CauseCode,
  stack: string,
  certainty: "inferred" | "possible",
  summary: ClaimedCause["summary"],
  evidence: readonly Origin[],
): ClaimedCause =>
  suspect({
    code,
    stack,
    certainty,
    summary,
    evidence,
    step: "nat POSTROUTING",
    check: { text: text("check.pools"), command: "calicoctl get ippool -o wide; ip addr" },
  });
