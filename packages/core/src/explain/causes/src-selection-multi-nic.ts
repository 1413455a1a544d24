import { text } from "../../messages/index.ts";
import { formatAddress } from "../../net/index.ts";
import { type Cause, on, stepsOf } from "../cause.ts";

/**
 * The source was chosen for the route of the address that was called, DNAT then sent the packet out of another device,
 * and nothing translated the source.
 */
export const sourceSelectionMultiNic: Cause = {
  codes: ["SRC_SELECTION_MULTI_NIC", "MASQ_MISSING_NODE_TO_POD"],
  detect: ({ branch, leg, question, world }) => {
    if (leg.drop !== "IP_RPFILTER" && leg.drop !== "FABRIC_SRC_DST_CHECK" && leg.drop !== "IP_INNOROUTES") return [];
    const client = world.stacks.find((s) => s.name === question.client);
    if (client?.kind !== "node" || branch.request.masqueraded) return [];
    const first = stepsOf(branch.request, "route").find((s) => s.stack === client.name && s.lookup === "output");
    const again = stepsOf(branch.request, "route").find((s) => s.stack === client.name && s.lookup === "reroute");
    if (first?.device === undefined || again?.device === undefined || first.device === again.device) return [];
    const source = formatAddress(branch.request.final.src);
    const chosen = { source, first: first.device, again: again.device };
    const masquerade = `iptables -t nat -A POSTROUTING -s ${source}/32 -o ${again.device} -j MASQUERADE`;
    return [
      {
        code: "SRC_SELECTION_MULTI_NIC",
        summary: text("cause.src_selection_multi_nic", chosen),
        stack: client.name,
        evidence: [...first.origins, ...again.origins],
        root: true,
      },
      {
        code: "MASQ_MISSING_NODE_TO_POD",
        summary: text("cause.masq_missing_node_to_pod", { stack: client.name, device: again.device }),
        stack: client.name,
        evidence: again.origins,
        without: [on(client.name, masquerade)],
        root: true,
      },
    ];
  },
};
