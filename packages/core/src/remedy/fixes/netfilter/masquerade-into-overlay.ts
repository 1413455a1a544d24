import { text } from "../../../messages/index.ts";
import { contains, familyOf, formatPrefix, type Prefix } from "../../../net/index.ts";
import { iptables } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isNative, ownRule } from "../../nft-commands.ts";
import { podNetworks } from "../../pod-networks.ts";
import { isOurs, leaving, stackOf } from "../../scene.ts";

/** What flanneld --ip-masq sets up: whatever enters the pod network from outside of it gets an address of the overlay. */
export const masqueradeIntoOverlay: Remedy = {
  code: "MASQUERADE_INTO_OVERLAY",
  cures: ["MASQ_MISSING_NODE_TO_POD", "SRC_SELECTION_MULTI_NIC"],
  propose: ({ branch, world, question }) => {
    const stack = stackOf(world, question.client);
    const sent = stack === undefined ? undefined : leaving(branch.request, stack.name);
    if (!isOurs(stack) || sent === undefined || branch.request.masqueraded) return [];
    const { packet, out } = sent;
    const table = stack.routeTables.flatMap((t) => t.routes);
    // Nobody states it: the route by which the packet enters the overlay is as much of it as this node knows.
    const routed = table
      .filter((r) => r.type === "unicast" && r.nexthops.some((n) => n.device === out) && r.destination.length > 0)
      .map((r) => r.destination)
      .filter((p) => contains(p, packet.dst))
      .sort((a, b) => a.length - b.length);
    const network: Prefix | undefined = podNetworks(world).find((p) => contains(p, packet.dst)) ?? routed[0];
    if (network === undefined || contains(network, packet.src)) return [];
    const net = formatPrefix(network);
    const family = familyOf(packet.dst);
    const ip = family === 4 ? "ip" : "ip6";
    const commands = isNative(stack, family)
      ? ownRule(stack, family, { type: "nat", hook: "postrouting", priority: 100 }, [
          ...[ip, "saddr", "!=", net, ip, "daddr", net, "masquerade"],
        ])
      : [iptables(stack, family, "nat", "-A", "POSTROUTING", "!", "-s", net, "-d", net, "-j", "MASQUERADE")];
    return [
      {
        code: "MASQUERADE_INTO_OVERLAY",
        summary: text("fix.masquerade_into_overlay", { network: net, stack: stack.name }),
        commands,
        lasting: [{ how: text("lasting.flannel_ip_masq"), lines: ["flanneld --ip-masq"] }],
      },
    ];
  },
};
