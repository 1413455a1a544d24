import { text } from "../../../messages/index.ts";
import type { Device, World } from "../../../model/index.ts";
import { arrivalOf, type Cause, type Finding } from "../../cause.ts";

/** A bridge or a VLAN has no way for the frame, or the frame was for somebody else's MAC. */
export const l2Path: Cause = {
  codes: ["L2_PATH", "NEIGHBOUR_FAILED"],
  detect: ({ leg, world }) => {
    const at = { stack: leg.stack, device: arrivalOf(leg) ?? "?" };
    if (leg.drop === "OTHERHOST") {
      const summary = text("cause.neighbour_failed.other-mac", at);
      return [{ code: "NEIGHBOUR_FAILED", summary, stack: leg.stack, evidence: leg.origins, root: true }];
    }
    if (leg.drop === "NEIGH_FAILED") return mutePorts(world, leg.stack);
    if (leg.drop !== "BRIDGE_NO_PORT" && leg.drop !== "VLAN_FILTER") return [];
    const summary = leg.drop === "VLAN_FILTER" ? text("cause.l2_path.vlan", at) : text("cause.l2_path", at);
    return [{ code: "L2_PATH", summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};

/** A bridge port beside whoever asked in vain that does not forward: no request for the neighbour passes it. */
function mutePorts({ stacks, links }: World, asker: string): readonly Finding[] {
  const beside = new Set(
    links.flatMap((l) => ("ends" in l && l.ends.some((e) => e.stack === asker) ? l.ends.map((e) => e.stack) : [])),
  );
  return stacks
    .filter((s) => s.name === asker || beside.has(s.name))
    .flatMap(({ name: stack, devices }) =>
      devices.items.filter(isMute).map((d) => ({
        code: "L2_PATH",
        summary: text("cause.l2_path.port", { stack, device: d.name, state: d.port?.state ?? "" }),
        stack,
        evidence: [d.origin],
        root: true,
      })),
    );
}

const isMute = ({ master, port }: Device): boolean =>
  master !== undefined && port?.state !== undefined && port.state !== "forwarding";
