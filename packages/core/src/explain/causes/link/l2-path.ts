import { text } from "../../../messages/index.ts";
import type { Device, World } from "../../../model/index.ts";
import type { Address } from "../../../net/index.ts";
import { argv, arrivalOf, type Cause, type Finding, lastOf, on, stepsOf } from "../../cause.ts";

/** A bridge or a VLAN has no way for the frame, or the frame was for somebody else's MAC. */
export const l2Path: Cause = {
  codes: ["L2_PATH", "NEIGHBOUR_FAILED", "LINK_DOWN"],
  detect: ({ leg, world }) => {
    const at = { stack: leg.stack, device: arrivalOf(leg) ?? "?" };
    if (leg.drop === "OTHERHOST") {
      const summary = text("cause.neighbour_failed.other-mac", at);
      return [{ code: "NEIGHBOUR_FAILED", summary, stack: leg.stack, evidence: leg.origins, root: true }];
    }
    if (leg.drop === "NEIGH_FAILED") return mutePorts(world, leg.stack, lastOf(stepsOf(leg, "arp"))?.target);
    if (leg.drop !== "BRIDGE_NO_PORT" && leg.drop !== "VLAN_FILTER") return [];
    const summary = leg.drop === "VLAN_FILTER" ? text("cause.l2_path.vlan", at) : text("cause.l2_path", at);
    return [{ code: "L2_PATH", summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};

/**
 * A bridge port beside whoever asked in vain that does not forward: no request for the neighbour passes it. One that is down is disabled for that reason.
 * One that is known to lead to neither of the two says nothing.
 */
function mutePorts({ stacks, links }: World, asker: string, target: Address | undefined): readonly Finding[] {
  const has = (d: Device) => d.addresses.some((a) => a.prefix.address === target);
  const ends = new Set(stacks.filter((s) => s.name === asker || s.devices.items.some(has)).map((s) => s.name));
  const farEnd = (stack: string, device: string): string | undefined =>
    links
      .flatMap((l) => ("ends" in l && l.ends.some((e) => e.stack === stack && e.device === device) ? l.ends : []))
      .find((e) => e.stack !== stack)?.stack;
  const isElsewhere = (stack: string, device: string): boolean => {
    const far = farEnd(stack, device);
    return far !== undefined && !ends.has(far);
  };
  const beside = new Set(
    links.flatMap((l) => ("ends" in l && l.ends.some((e) => e.stack === asker) ? l.ends.map((e) => e.stack) : [])),
  );
  return stacks
    .filter((s) => s.name === asker || beside.has(s.name))
    .flatMap(({ name: stack, devices }) =>
      devices.items
        .filter((d) => isMute(d) && !isElsewhere(stack, d.name))
        .map((d) => (d.up === false ? linkDown(stack, d) : notForwarding(stack, d))),
    );
}

const notForwarding = (stack: string, { name, port, origin }: Device): Finding => ({
  code: "L2_PATH",
  summary: text("cause.l2_path.port", { stack, device: name, state: port?.state ?? "" }),
  stack,
  evidence: [origin],
  root: true,
});

const linkDown = (stack: string, { name, origin }: Device): Finding => ({
  code: "LINK_DOWN",
  summary: text("cause.link_down", { device: name, stack }),
  stack,
  evidence: [origin],
  without: [on(stack, argv`ip link set dev ${name} up`)],
  root: true,
});

const isMute = ({ master, port }: Device): boolean =>
  master !== undefined && port?.state !== undefined && port.state !== "forwarding";
