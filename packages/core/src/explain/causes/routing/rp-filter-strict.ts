import { text } from "../../../messages/index.ts";
import { factId, linesOf } from "../../../model/index.ts";
import { formatAddress, isIpv4 } from "../../../net/index.ts";
import { argv, type Cause, lastOf, on, stackOf, stepsOf, wayOf } from "../../cause.ts";

/**
 * The reverse path check refused a packet: the place of death of most asymmetric paths. Guard: where nobody showed any
 * route that decides, it is an open fact, no cause.
 */
export const rpFilterStrict: Cause = {
  codes: ["RP_FILTER_STRICT"],
  detect: (scene) => {
    const { leg, world, branch } = scene;
    if (leg.drop !== "IP_RPFILTER") return [];
    const check = lastOf(stepsOf(leg, "source validation"));
    if (check === undefined || check.origins.every((o) => linesOf(o).length === 0)) return [];
    const device = stackOf(world, leg.stack)?.devices.items.find((d) => d.name === check.device);
    const params = {
      stack: leg.stack,
      direction: wayOf(scene),
      device: check.device,
      source: formatAddress(check.packet.src),
    };
    const reverse = check.reverseDevice;
    const rpFilter = { kind: "sysctl", stack: leg.stack, key: `net.ipv4.conf.${check.device}.rp_filter` } as const;
    const supposed = branch.hypothesis.get(factId(rpFilter));
    const value = supposed?.join(", ") ?? check.rpFilter;
    const numbered = device?.addresses.some((a) => isIpv4(a.prefix.address)) === true;
    const summary =
      reverse === undefined
        ? text("cause.rp_filter_strict.no-route", { ...params, value })
        : numbered
          ? text("cause.rp_filter_strict", { ...params, reverse, value })
          : text("cause.rp_filter_strict.unnumbered", { ...params, reverse });
    const key = check.device.replace(/\./g, "/");
    const without = [
      on(leg.stack, argv`sysctl -w net.ipv4.conf.all.rp_filter=0`),
      on(leg.stack, argv`sysctl -w net.ipv4.conf.${key}.rp_filter=0`),
    ];
    return [{ code: "RP_FILTER_STRICT", summary, stack: leg.stack, evidence: check.origins, without, root: false }];
  },
};
