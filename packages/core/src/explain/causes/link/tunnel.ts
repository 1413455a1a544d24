import { type Text, text } from "../../../messages/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { type Cause, lastOf, type Scene, stackOf, stepsOf } from "../../cause.ts";
import type { CauseCode } from "../../code.ts";

interface TunnelFault {
  readonly code: CauseCode;
  readonly summary: (scene: Scene) => Text;
  /** Where it is to be put right, if not where the packet died. */
  readonly stack?: (scene: Scene) => string;
}

const tunnelOf = ({ leg, world }: Scene): string => {
  const named = stackOf(world, leg.stack)?.devices.items.find((d) => leg.origins.includes(d.origin));
  return named?.name ?? lastOf(stepsOf(leg, "tunnel"))?.device ?? "the tunnel";
};

/** Who last changed the tunnel's own packet. */
const translator = ({ leg }: Scene): string =>
  lastOf(stepsOf(leg, "nat").filter((s) => s.packet.carried !== undefined))?.stack ?? leg.stack;

const FAULTS: Readonly<Record<string, TunnelFault>> = lookup({
  LOCAL_MAC: {
    code: "DUPLICATE_VTEP_MAC",
    summary: (s) => text("cause.duplicate_vtep_mac.walked", { stack: s.leg.stack, device: tunnelOf(s) }),
  },
  TUNNEL_TO_ITSELF: {
    code: "WRONG_UNDERLAY_INTERFACE",
    summary: (s) => text("cause.wrong_underlay_interface.walked", { stack: s.leg.stack, device: tunnelOf(s) }),
  },
  NO_TX_TARGET: {
    code: "NEIGHBOUR_FAILED",
    summary: (s) => text("cause.neighbour_failed.tunnel", { stack: s.leg.stack, device: tunnelOf(s) }),
  },
  UDP_CSUM: {
    code: "VXLAN_TX_CSUM_OFFLOAD",
    stack: translator,
    summary: (s) => text("cause.vxlan_tx_csum_offload.walked", { stack: translator(s), device: tunnelOf(s) }),
  },
  VXLAN_VNI_NOT_FOUND: {
    code: "TUNNEL_MISMATCH",
    summary: (s) => text("cause.tunnel_mismatch", { stack: s.leg.stack }),
  },
  VXLAN_ENTRY_EXISTS: {
    code: "TUNNEL_MISMATCH",
    summary: (s) => text("cause.tunnel_mismatch", { stack: s.leg.stack }),
  },
  TUNNEL_NO_DEVICE: {
    code: "TUNNEL_MISMATCH",
    summary: (s) => text("cause.tunnel_mismatch", { stack: s.leg.stack }),
  },
});

/** What a tunnel's own checks refuse. */
export const tunnelFaults: Cause = {
  codes: [
    "DUPLICATE_VTEP_MAC",
    "WRONG_UNDERLAY_INTERFACE",
    "NEIGHBOUR_FAILED",
    "TUNNEL_MISMATCH",
    "VXLAN_TX_CSUM_OFFLOAD",
  ],
  detect: (scene) => {
    const fault = FAULTS[scene.leg.drop ?? ""];
    if (fault === undefined) return [];
    const { leg } = scene;
    const summary = fault.summary(scene);
    return [{ code: fault.code, summary, stack: fault.stack?.(scene) ?? leg.stack, evidence: leg.origins, root: true }];
  },
};
