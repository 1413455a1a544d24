import { text } from "../../../messages/index.ts";
import { type NatStep, ruleAt, type Stack, type Step } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { argv, type Cause, on, stackOf, stepsOf } from "../../cause.ts";

/** Whether a MASQUERADE rule of this stack decided a translation. */
const masquerades = (stack: Stack | undefined, nat: NatStep): boolean =>
  ruleAt(stack, nat.by)?.rule?.target.kind === "masquerade";

/** By which device the packet leaves when POSTROUTING translates it. */
const egressOf = (steps: readonly Step[], nat: NatStep): string | undefined => {
  const hooks = steps.slice(0, steps.indexOf(nat)).filter((s) => s.kind === "hook" && s.hook === "POSTROUTING");
  const last = hooks[hooks.length - 1];
  return last?.kind === "hook" ? last.out : undefined;
};

/** Where an answer ends because of the address it goes to. */
const LOST_BY_ADDRESS: ReadonlySet<string> = new Set([
  "IP_RPFILTER",
  "FABRIC_NO_OWNER",
  "FABRIC_SRC_DST_CHECK",
  "NEIGH_FAILED",
  "IP_INNOROUTES",
  "IP_OUTNOROUTES",
]);

/** MASQUERADE took an address of another device, because the one it leaves by has none. */
export const sourceSelectionMasquerade: Cause = {
  codes: ["SRC_SELECTION_MASQUERADE"],
  detect: ({ branch, leg, direction, world }) => {
    if (direction !== "reply" || !LOST_BY_ADDRESS.has(leg.drop ?? "")) return [];
    return stepsOf(branch.request, "nat").flatMap((nat) => {
      const stack = stackOf(world, nat.stack);
      if (nat.manip !== "source" || !masquerades(stack, nat)) return [];
      const out = egressOf(branch.request.steps, nat);
      const owner = stack?.devices.items.find((d) => d.addresses.some((a) => a.prefix.address === nat.packet.src));
      const address = owner?.addresses.find((a) => a.prefix.address === nat.packet.src);
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
      // An alias on loopback or a dummy device can be done without; a card's own address cannot.
      const alias = (owner.kind === "loopback" || owner.kind === "dummy") && address !== undefined;
      const removal = argv`ip addr del ${formatAddress(nat.packet.src)}/${address?.prefix.length ?? 32} dev ${owner.name}`;
      const without = alias ? { without: [on(nat.stack, removal)] } : {};
      return [{ code: "SRC_SELECTION_MASQUERADE", summary, stack: nat.stack, evidence, ...without, root: true }];
    });
  },
};
