import { text } from "../../../messages/index.ts";
import { arrivalOf, type Cause } from "../../cause.ts";

/** A bridge or a VLAN has no way for the frame, or the frame was for somebody else's MAC. */
export const l2Path: Cause = {
  codes: ["L2_PATH", "NEIGHBOUR_FAILED"],
  detect: ({ leg }) => {
    const at = { stack: leg.stack, device: arrivalOf(leg) ?? "?" };
    if (leg.drop === "OTHERHOST") {
      const summary = text("cause.neighbour_failed.other-mac", at);
      return [{ code: "NEIGHBOUR_FAILED", summary, stack: leg.stack, evidence: leg.origins, root: true }];
    }
    if (leg.drop !== "BRIDGE_NO_PORT" && leg.drop !== "VLAN_FILTER") return [];
    const summary = leg.drop === "VLAN_FILTER" ? text("cause.l2_path.vlan", at) : text("cause.l2_path", at);
    return [{ code: "L2_PATH", summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};
