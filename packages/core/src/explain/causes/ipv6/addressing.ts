import { text } from "../../../messages/index.ts";
import { type Stack, TABLE_MAIN } from "../../../model/index.ts";
import { familyOf, formatAddress, formatPrefix, isIpv4, isLinkLocal } from "../../../net/index.ts";
import { argv, type Cause, on, stackOf } from "../../cause.ts";

const conf = (device: string, name: string): string => `net.ipv6.conf.${device.replace(/\./g, "/")}.${name}`;

/** The device takes no IPv6 at all. */
export const ipv6Disabled: Cause = {
  codes: ["IPV6_DISABLED"],
  detect: ({ leg }) => {
    if (leg.drop !== "IPV6DISABLED" || leg.decision.kind !== "ipv6-disabled") return [];
    const { device } = leg.decision;
    return [
      {
        code: "IPV6_DISABLED",
        summary: text("cause.ipv6_disabled", { stack: leg.stack, device }),
        stack: leg.stack,
        evidence: leg.origins,
        without: [on(leg.stack, argv`sysctl -w ${conf(device, "disable_ipv6")}=0`)],
        root: true,
      },
    ];
  },
};

/** fe80::/10 is on every link: without its device nobody knows which is meant (tcp_v6_connect()). */
export const linkLocalWithoutZone: Cause = {
  codes: ["LINK_LOCAL_WITHOUT_ZONE"],
  detect: ({ leg, branch, question }) =>
    leg !== branch.request || isIpv4(question.to) || !isLinkLocal(question.to) || question.bindDevice !== undefined
      ? []
      : [
          {
            code: "LINK_LOCAL_WITHOUT_ZONE",
            summary: text("cause.link_local_without_zone", { address: formatAddress(question.to) }),
            stack: question.client,
            evidence: [],
            root: true,
          },
        ],
};

const hasDefault = (stack: Stack): boolean =>
  stack.routeTables.some(
    (t) => t.family === 6 && t.id === TABLE_MAIN && t.routes.some((r) => r.destination.length === 0),
  );

/** A node that forwards takes router advertisements only where accept_ra is 2 (ipv6_accept_ra()), and its default route came by them. */
export const raIgnored: Cause = {
  codes: ["RA_IGNORED_FORWARDING"],
  detect: ({ leg, world }) => {
    if ((leg.drop !== "IP_INNOROUTES" && leg.drop !== "IP_OUTNOROUTES") || isIpv4(leg.final.dst)) return [];
    const stack = stackOf(world, leg.stack);
    if (stack === undefined || stack.kind === "router" || hasDefault(stack)) return [];
    const value = (device: string, name: string) => stack.sysctls.get(conf(device, name));
    const ignoring = stack.devices.items.find((d) => {
      const forwards = value(d.name, "forwarding") ?? value("all", "forwarding");
      return d.kind !== "loopback" && value(d.name, "accept_ra")?.value === "1" && forwards?.value === "1";
    });
    const switched = ignoring === undefined ? undefined : value(ignoring.name, "accept_ra");
    if (ignoring === undefined || switched === undefined) return [];
    return [
      {
        code: "RA_IGNORED_FORWARDING",
        summary: text("cause.ra_ignored_forwarding", { stack: stack.name, device: ignoring.name }),
        stack: stack.name,
        evidence: [switched.origin],
        most: "inferred" as const,
        check: {
          text: text("check.ra_ignored_forwarding"),
          command: `rdisc6 ${ignoring.name}`,
        },
        root: true,
      },
    ];
  },
};

/** The answer finds no way back to the source that RFC 6724 chose, and the client has another address of that device. */
export const srcSelectionIpv6: Cause = {
  codes: ["SRC_SELECTION_IPV6"],
  detect: ({ leg, branch, world, question, direction }) => {
    if (direction !== "reply" || isIpv4(question.to) || question.bindAddress !== undefined) return [];
    if (leg.drop !== "IP_INNOROUTES" && leg.drop !== "IP_OUTNOROUTES" && leg.drop !== "NEIGH_FAILED") return [];
    const client = stackOf(world, question.client);
    const source = branch.request.steps.find((s) => s.kind === "send")?.packet.src;
    const device = client?.devices.items.find((d) => d.addresses.some((a) => a.prefix.address === source));
    const own = device?.addresses.find((a) => a.prefix.address === source);
    const other = device?.addresses.some(
      (a) => a !== own && a.scope === "global" && familyOf(a.prefix.address) === 6 && !isLinkLocal(a.prefix.address),
    );
    if (client === undefined || device === undefined || own === undefined || other !== true) return [];
    const at = { stack: client.name, address: formatAddress(own.prefix.address), where: leg.stack };
    return [
      {
        code: "SRC_SELECTION_IPV6",
        summary: text("cause.src_selection_ipv6", at),
        stack: client.name,
        evidence: [own.origin],
        without: [on(client.name, argv`ip addr del ${formatPrefix(own.prefix)} dev ${device.name}`)],
        needsProof: true,
        root: true,
      },
    ];
  },
};
