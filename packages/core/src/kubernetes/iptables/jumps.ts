import type { Match } from "../../model/index.ts";
import { comment, inState, jump, type RuleSpec } from "../rules.ts";
import { isSince, type KubernetesVersion } from "../version.ts";
import { EXTERNAL_SERVICES, FIREWALL, FORWARD, NODEPORTS, POSTROUTING, PROXY_FIREWALL, SERVICES } from "./names.ts";
import type { Sync } from "./sync.ts";

interface Jump {
  readonly table: "filter" | "nat";
  readonly from: string;
  readonly to: string;
  readonly comment?: string;
  readonly onlyNew?: true;
}

const EXTERNAL = "kubernetes externally-visible service portals";
const PORTALS = "kubernetes service portals";
const LB_FIREWALL = "kubernetes load balancer firewall";

const filter = (from: string, to: string, text: string, onlyNew: boolean): Jump => ({
  table: "filter",
  from,
  to,
  comment: text,
  ...(onlyNew ? { onlyNew: true } : {}),
});

/** iptablesJumpChains and, from 1.27, iptablesKubeletJumpChains, in the order in which they are ensured. */
function jumpsOf(version: KubernetesVersion): readonly Jump[] {
  const inputServices = !isSince(version, 20);
  return [
    filter("INPUT", EXTERNAL_SERVICES, EXTERNAL, true),
    ...(isSince(version, 20) ? [filter("FORWARD", EXTERNAL_SERVICES, EXTERNAL, true)] : []),
    ...(isSince(version, 21) ? [filter("INPUT", NODEPORTS, "kubernetes health check service ports", false)] : []),
    filter("FORWARD", SERVICES, PORTALS, true),
    filter("OUTPUT", SERVICES, PORTALS, true),
    ...(inputServices ? [filter("INPUT", SERVICES, PORTALS, true)] : []),
    filter("FORWARD", FORWARD, "kubernetes forwarding rules", false),
    ...(isSince(version, 25)
      ? ["INPUT", "OUTPUT", "FORWARD"].map((from) => filter(from, PROXY_FIREWALL, LB_FIREWALL, true))
      : []),
    { table: "nat", from: "OUTPUT", to: SERVICES, comment: PORTALS },
    { table: "nat", from: "PREROUTING", to: SERVICES, comment: PORTALS },
    { table: "nat", from: "POSTROUTING", to: POSTROUTING, comment: "kubernetes postrouting rules" },
    ...(isSince(version, 27)
      ? (["INPUT", "OUTPUT"] as const).map((from): Jump => ({ table: "filter", from, to: FIREWALL }))
      : []),
  ];
}

function specOf(one: Jump): RuleSpec {
  const matches: Match[] = [];
  if (one.onlyNew === true) matches.push(inState(["NEW"]));
  if (one.comment !== undefined) matches.push(comment(one.comment));
  return { matches, target: jump(one.to) };
}

/** Each is prepended, so the last one stands first. */
export function writeJumps(sync: Sync): void {
  for (const one of jumpsOf(sync.view.version)) {
    const table = one.table === "nat" ? sync.nat : sync.filter;
    table.chain(one.to);
    table.prepend(one.from, specOf(one), sync.origin);
  }
}
