import { text } from "../../../messages/index.ts";
import type { Origin } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { leavesNode, observedToFail, shownStacks, suspect } from "../claim.ts";

interface Vtep {
  /** Who has it, told apart by the address its tunnel begins at. */
  readonly owner: string;
  readonly mac: string;
  readonly origin: Origin;
}

/** Tunnel ends by the nodes' annotations, and by the devices that were shown. */
function vtepsOf(look: Look): readonly Vtep[] {
  const annotated = look.world.kubernetes.nodes.flatMap(({ name, flannel }) =>
    flannel?.vtepMac === undefined
      ? []
      : [
          {
            owner: flannel.publicAddress === undefined ? name : formatAddress(flannel.publicAddress),
            mac: flannel.vtepMac.toLowerCase(),
            origin: flannel.origin,
          },
        ],
  );
  const devices = shownStacks(look).flatMap((stack) =>
    stack.devices.items.flatMap((d) =>
      // Without its local address a device may be that of a node whose annotation was shown.
      d.kind !== "vxlan" || d.mac === undefined || (d.tunnel?.local === undefined && annotated.length > 0)
        ? []
        : [
            {
              owner: d.tunnel?.local === undefined ? stack.name : formatAddress(d.tunnel.local),
              mac: d.mac.toLowerCase(),
              origin: d.origin,
            },
          ],
    ),
  );
  return [...annotated, ...devices];
}

/**
 * Tunnel ends of several nodes have one MAC (cloned machines): the receiver takes the frame for its own and drops it.
 * Guards: one node shown twice, by its annotation and its device, is one owner; a flow within one node uses no tunnel.
 */
export const duplicateVtepMac: Sign = {
  codes: ["DUPLICATE_VTEP_MAC"],
  detect: (look) => {
    if (!leavesNode(look)) return [];
    const byMac = new Map<string, Vtep[]>();
    for (const vtep of vtepsOf(look)) byMac.set(vtep.mac, [...(byMac.get(vtep.mac) ?? []), vtep]);
    return [...byMac.values()].flatMap((vteps) => {
      const owners = [...new Set(vteps.map((v) => v.owner))];
      const [mac] = vteps.map((v) => v.mac);
      if (owners.length < 2 || mac === undefined) return [];
      return [
        suspect({
          code: "DUPLICATE_VTEP_MAC",
          stack: look.question.client,
          certainty: observedToFail(look) ? "inferred" : "possible",
          summary: text("cause.duplicate_vtep_mac", { mac, owners }),
          evidence: vteps.map((v) => v.origin),
          step: "vxlan",
          check: { text: text("check.vtep-macs"), command: "ip -d link show type vxlan" },
        }),
      ];
    });
  },
};
