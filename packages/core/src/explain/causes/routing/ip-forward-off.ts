import { text } from "../../../messages/index.ts";
import { isIpv4 } from "../../../net/index.ts";
import { argv, arrivalOf, type Cause, on } from "../../cause.ts";

/** The arrival device, or the whole node, does not forward. Guard: hosts that are no nodes are not meant to. */
export const ipForwardOff: Cause = {
  codes: ["IP_FORWARD_OFF"],
  detect: ({ leg, stack }) => {
    if (leg.drop !== "IP_INADDRERRORS" || (stack?.kind !== "node" && stack?.kind !== "router")) return [];
    const summary = text("cause.ip_forward_off", { stack: leg.stack, device: arrivalOf(leg) ?? "?" });
    const without = [
      on(
        leg.stack,
        isIpv4(leg.final.dst) ? argv`sysctl -w net.ipv4.ip_forward=1` : argv`sysctl -w net.ipv6.conf.all.forwarding=1`,
      ),
    ];
    return [{ code: "IP_FORWARD_OFF", summary, stack: leg.stack, evidence: leg.origins, without, root: true }];
  },
};
