import { formatAddress } from "../../net/index.ts";
import { type Cause, stepsOf } from "../cause.ts";

/** MASQUERADE took an address of another device, because the one it leaves by has none. */
export const sourceSelectionMasquerade: Cause = {
  codes: ["SRC_SELECTION_MASQUERADE"],
  detect: ({ branch, leg, direction }) => {
    if (direction !== "reply" || leg.drop !== "IP_RPFILTER") return [];
    return stepsOf(branch.request, "nat")
      .filter((s) => s.manip === "source" && s.decision.includes("has no address"))
      .map((s) => ({
        code: "SRC_SELECTION_MASQUERADE",
        summary: s.decision,
        stack: s.stack,
        evidence: s.origin === undefined ? [] : [s.origin],
        root: true,
      }));
  },
};

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
    const summary = `the source ${source} was chosen for ${first.device}, by which the called address is routed; translated, the packet leaves by ${again.device} and keeps it`;
    const evidence = [...first.origins, ...again.origins];
    return [
      { code: "SRC_SELECTION_MULTI_NIC", summary, stack: client.name, evidence, root: true },
      {
        code: "MASQ_MISSING_NODE_TO_POD",
        summary: `nothing masquerades what the node itself sends out of ${again.device}`,
        stack: client.name,
        evidence: again.origins,
        without: [`${client.name}: iptables -t nat -A POSTROUTING -s ${source}/32 -o ${again.device} -j MASQUERADE`],
        root: true,
      },
    ];
  },
};
