import { text } from "../../messages/index.ts";
import type { NatStep, Stack, Step } from "../../model/index.ts";
import { formatAddress, sameAddress } from "../../net/index.ts";
import { type Cause, stackOf, stepsOf } from "../cause.ts";

/** Whether a MASQUERADE rule of this stack decided a translation. */
const masquerades = (stack: Stack | undefined, nat: NatStep): boolean =>
  stack?.netfilter.tables.some((t) =>
    t.chains.some((c) => c.rules.some((r) => r.origin === nat.origin && r.target.kind === "masquerade")),
  ) === true;

/** By which device the packet leaves when POSTROUTING translates it. */
const egressOf = (steps: readonly Step[], nat: NatStep): string | undefined => {
  const hooks = steps.slice(0, steps.indexOf(nat)).filter((s) => s.kind === "hook" && s.hook === "POSTROUTING");
  const last = hooks[hooks.length - 1];
  return last?.kind === "hook" ? last.out : undefined;
};

/** MASQUERADE took an address of another device, because the one it leaves by has none. */
export const sourceSelectionMasquerade: Cause = {
  codes: ["SRC_SELECTION_MASQUERADE"],
  detect: ({ branch, leg, direction, world }) => {
    if (direction !== "reply" || leg.drop !== "IP_RPFILTER") return [];
    return stepsOf(branch.request, "nat").flatMap((nat) => {
      const stack = stackOf(world, nat.stack);
      if (nat.manip !== "source" || !masquerades(stack, nat)) return [];
      const out = egressOf(branch.request.steps, nat);
      const owner = stack?.devices.items.find((d) =>
        d.addresses.some((a) => sameAddress(a.prefix.address, nat.packet.src)),
      );
      const address = owner?.addresses.find((a) => sameAddress(a.prefix.address, nat.packet.src));
      if (out === undefined || owner === undefined || owner.name === out) return [];
      const summary = text("cause.src_selection_masquerade", {
        address: formatAddress(nat.packet.src),
        owner: owner.name,
        out,
      });
      const evidence = [
        ...(nat.origin === undefined ? [] : [nat.origin]),
        ...(address === undefined ? [] : [address.origin]),
      ];
      return [{ code: "SRC_SELECTION_MASQUERADE", summary, stack: nat.stack, evidence, root: true }];
    });
  },
};
