import { type Hook, isOfLegacy, type RegisteredHook, type Stack } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";

/** Who stands at a hook: a chain (native, or iptables-nft's), a legacy table, or one of the kernel's own functions. */
export type Registrant =
  | { readonly kind: "chain"; readonly family: string; readonly table: string; readonly name: string }
  | { readonly kind: "legacy" }
  | { readonly kind: "conntrack" }
  | { readonly kind: "nat" };

const CONNTRACK = /^(?:ipv[46]_conntrack_(?:in|local)|nf_conntrack_in)$/;
const NAT = /^nf_nat_/;

const isOf = (entry: RegisteredHook, who: Registrant): boolean => {
  const { object, function: name = "" } = entry;
  switch (who.kind) {
    case "chain":
      return (
        object?.kind === "chain" &&
        object.family === who.family &&
        object.table === who.table &&
        object.name === who.name
      );
    case "legacy":
      return isOfLegacy(entry);
    case "conntrack":
      return CONNTRACK.test(name);
    case "nat":
      return NAT.test(name);
  }
};

/** The functions at one hook and priority, as `nft list hooks` shows them; empty: it was not shown. */
function standing(stack: Stack, family: Family, hook: Hook, priority: number): readonly RegisteredHook[] {
  const own = family === 4 ? "ip" : "ip6";
  return (stack.netfilter.registered ?? []).filter(
    (h) => h.family === own && h.hook === hook.toLowerCase() && h.priority === priority,
  );
}

/**
 * Where one stands among those of its priority, by `nft list hooks`; undefined: that does not show it. Of three and more only the first is
 * sure (nft up to 1.1 prints the others backwards): the others stand behind it, side by side.
 */
export function standsAt(
  stack: Stack,
  family: Family,
  hook: Hook,
  priority: number,
  who: Registrant,
): number | undefined {
  const shown = standing(stack, family, hook, priority);
  const at = shown.findIndex((entry) => isOf(entry, who));
  return at < 0 ? undefined : Math.min(at, 1);
}

/** Whether `nft list hooks` says which of these two runs first. */
export function settles(
  stack: Stack,
  family: Family,
  hook: Hook,
  priority: number,
  one: Registrant,
  other: Registrant,
): boolean {
  const [a, b] = [one, other].map((who) => standsAt(stack, family, hook, priority, who));
  return a !== undefined && b !== undefined && a !== b;
}
