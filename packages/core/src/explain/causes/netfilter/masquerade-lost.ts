import { text } from "../../../messages/index.ts";
import { type Cause, lastOf, stepsOf } from "../../cause.ts";

/** MASQUERADE that finds no address, or whose connection now leaves by another device. */
export const masqueradeLost: Cause = {
  codes: ["SRC_SELECTION_MASQUERADE"],
  detect: ({ leg }) => {
    if (leg.drop !== "MASQUERADE_NO_ADDRESS" && leg.drop !== "MASQUERADE_DEVICE_CHANGED") return [];
    const out = lastOf(stepsOf(leg, "hook"))?.out ?? "?";
    const summary =
      leg.drop === "MASQUERADE_NO_ADDRESS"
        ? text("cause.src_selection_masquerade.none", { stack: leg.stack, out })
        : text("cause.src_selection_masquerade.moved", { stack: leg.stack, out });
    return [{ code: "SRC_SELECTION_MASQUERADE", summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};
