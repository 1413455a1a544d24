import {
  type Ground,
  type Hook,
  type IptablesTable,
  type IptablesTableName,
  ownerOfChain,
  type Stack,
} from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";
import type { Kernel } from "./kernel.ts";
import type { Skb } from "./skb.ts";

/** What kube-proxy and kubelet program on every node. */
const PROGRAMMED: readonly IptablesTableName[] = ["nat", "filter"];

/** Tables at which nothing shown decides: those that were cut, and those nobody showed although something programs them. */
export function unshownTables(stack: Stack): readonly Extract<Ground, { kind: "table" }>[] {
  if (stack.assumed !== undefined || stack.fromObjects === true) return [];
  const { tables, unshown = [] } = stack.netfilter;
  // Calico's chains stand in every table; whoever shows one of them has them in all.
  const calico = tables.some((t) => t.chains.some((c) => ownerOfChain(c.name) === "calico"));
  const ipv4 = tables.filter((t) => t.family === 4);
  const shown = ipv4.filter((t) => !unshown.includes(t.name));
  const expected = new Set(shown.filter((t) => t.origin.kind === "assumed").map((t) => t.name));
  const isCut = (t: IptablesTable): boolean => t.extent !== "whole" && !expected.has(t.name);
  const cut = new Set(shown.filter(isCut).map((t) => t.name));
  const hidden = stack.kind === "node" ? unshown.filter((t) => calico || PROGRAMMED.includes(t)) : [];
  return [
    ...[...cut].map((table) => ({ kind: "table", stack: stack.name, table, how: "cut" }) as const),
    ...[...expected].map((table) => ({ kind: "table", stack: stack.name, table, how: "expected" }) as const),
    ...hidden.map((table) => ({ kind: "table", stack: stack.name, table, how: "unshown" }) as const),
  ];
}

/**
 * A client that keeps its source port goes on by the entry that its earlier packets left, whatever the rules say by now. Where
 * nobody showed the connections, that there is none is a guess; TCP starts anew with every SYN.
 */
export function startsAnew(kernel: Kernel, skb: Skb): boolean {
  const { stack, oracle } = kernel;
  const { protocol, sport } = skb.packet;
  if (skb.ctInfo !== "new" || protocol !== PROTO.udp || typeof sport !== "number") return true;
  if (stack.kind !== "node" || stack.assumed !== undefined || stack.conntrack.extent !== "unread") return true;
  if (!stack.netfilter.tables.some((t) => t.name === "nat" && t.chains.some((c) => c.rules.length > 0))) return true;
  if (oracle.rests({ kind: "connections", stack: stack.name })) return true;
  kernel.drop(skb, "conntrack", "HOST_NOT_THERE", { kind: "unshown-entry" });
  return false;
}

/** A table nobody showed lets the packet pass; in a walk of the other value a rule of it does not. */
export function passesUnshown(
  kernel: Kernel,
  ground: Extract<Ground, { kind: "table" }>,
  skb: Skb,
  hook: Hook,
): boolean {
  if (kernel.oracle.rests(ground)) return true;
  kernel.drop(skb, `${ground.table} ${hook}`, "NETFILTER_DROP", { kind: "unshown-rule", table: ground.table });
  return false;
}
