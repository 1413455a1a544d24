import { type Ground, type Hook, type IptablesTableName, ownerOfChain, type Stack } from "../model/index.ts";
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
  const expected = new Set(ipv4.filter((t) => t.origin.kind === "assumed").map((t) => t.name));
  const cut = new Set(ipv4.filter((t) => t.extent !== "whole" && !expected.has(t.name)).map((t) => t.name));
  const hidden = stack.kind === "node" ? unshown.filter((t) => calico || PROGRAMMED.includes(t)) : [];
  return [
    ...[...cut].map((table) => ({ kind: "table", stack: stack.name, table, how: "cut" }) as const),
    ...[...expected].map((table) => ({ kind: "table", stack: stack.name, table, how: "expected" }) as const),
    ...hidden
      .filter((t) => !cut.has(t) && !expected.has(t))
      .map((table) => ({ kind: "table", stack: stack.name, table, how: "unshown" }) as const),
  ];
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
