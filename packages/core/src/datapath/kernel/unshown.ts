import {
  type Ground,
  type Hook,
  type IptablesTable,
  type IptablesTableName,
  ownerOfChain,
  ruleCount,
  type Stack,
  someChain,
} from "../../model/index.ts";
import { type Family, PROTO } from "../../net/index.ts";
import type { Kernel } from "./kernel.ts";
import { memo } from "./memo.ts";
import type { Skb } from "./skb.ts";

/** What kube-proxy and kubelet program on every node. */
const PROGRAMMED: readonly IptablesTableName[] = ["nat", "filter"];

/** Tables at which nothing shown decides: those that were cut, and those nobody showed although something programs them. */
export function unshownTables(stack: Stack, family: Family): readonly Extract<Ground, { kind: "table" }>[] {
  if (stack.assumed !== undefined || stack.fromObjects === true) return [];
  const { tables } = stack.netfilter;
  const unshown = (family === 4 ? stack.netfilter.unshown : stack.netfilter.unshown6) ?? [];
  const ground = { kind: "table", stack: stack.name, ...(family === 6 && { family }) } as const;
  // Calico's chains stand in every table; whoever shows one of them has them in all.
  const calico = (): boolean =>
    memo(hasCalico, tables, () => tables.some((t) => someChain(t, (c) => ownerOfChain(c.name) === "calico")));
  const own = tables.filter((t) => t.family === family);
  const shown = own.filter((t) => !unshown.includes(t.name));
  const expected = new Set(shown.filter((t) => t.origin.kind === "assumed").map((t) => t.name));
  const isCut = (t: IptablesTable): boolean => t.extent !== "whole" && !expected.has(t.name);
  const cut = new Set(shown.filter(isCut).map((t) => t.name));
  const hidden = stack.kind === "node" ? unshown.filter((t) => PROGRAMMED.includes(t) || calico()) : [];
  return [
    ...[...cut].map((table) => ({ ...ground, table, how: "cut" }) as const),
    ...[...expected].map((table) => ({ ...ground, table, how: "expected" }) as const),
    ...hidden.map((table) => ({ ...ground, table, how: "unshown" }) as const),
  ];
}

const hasCalico = new WeakMap<readonly IptablesTable[], boolean>();

/**
 * A client that keeps its source port goes on by the entry that its earlier packets left, whatever the rules say by now. Where
 * nobody showed the connections, that there is none is a guess; TCP starts anew with every SYN.
 */
export function startsAnew(kernel: Kernel, skb: Skb): boolean {
  const { stack, oracle } = kernel;
  const { protocol, sport } = skb.packet;
  if (skb.ctInfo !== "new" || protocol !== PROTO.udp || typeof sport !== "number") return true;
  if (stack.kind !== "node" || stack.assumed !== undefined || stack.conntrack.extent !== "unread") return true;
  if (!stack.netfilter.tables.some((t) => t.name === "nat" && someChain(t, (c) => ruleCount(c) > 0))) return true;
  if (oracle.rests({ kind: "connections", stack: stack.name, port: sport })) return true;
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
