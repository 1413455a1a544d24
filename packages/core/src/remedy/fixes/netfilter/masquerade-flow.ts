import { text } from "../../../messages/index.ts";
import { type Address, familyOf, formatAddress } from "../../../net/index.ts";
import { calledWords, flowWords, host, iptables, outOf } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isOurs, leaving, stackOf, translatedBy } from "../../scene.ts";

/** The answer must come back to whoever translated the request: give the request an address of its own. */
export const masqueradeFlow: Remedy = {
  code: "MASQUERADE_FLOW",
  cures: [
    "MASQ_MISSING_NODE_TO_POD",
    "MASQ_MISSING_REMOTE_ENDPOINT",
    "MASQ_MISSING_IPVS_HOST",
    "SRC_SELECTION_MULTI_NIC",
    "SRC_SELECTION_KUBE_IPVS0",
    "CLOUD_SRC_DST_CHECK",
    "BRIDGE_NF_OFF",
  ],
  propose: ({ branch, world, question }) => {
    const stack = stackOf(world, translatedBy(branch.request) ?? question.client);
    const sent = stack === undefined ? undefined : leaving(branch.request, stack.name);
    if (!isOurs(stack) || sent === undefined || branch.request.masqueraded) return [];
    const { packet, out } = sent;
    const candidate = (words: readonly string[]): Candidate => ({
      code: "MASQUERADE_FLOW",
      summary: text("fix.masquerade_flow", { stack: stack.name, address: formatAddress(question.to), device: out }),
      commands: [iptables(stack, familyOf(question.to), "nat", "-A", "POSTROUTING", ...words, "-j", "MASQUERADE")],
    });
    const own = stack.name === question.client && stack.kind === "node";
    const source = (address: Address): readonly string[] => ["-s", host(address)];
    return [
      // What the node itself sends by that device with that source: no Service of it can work without.
      ...(own ? [candidate([...source(packet.src), ...outOf(out)])] : []),
      candidate([...calledWords(question.to, question.port, question.protocol), ...outOf(out)]),
      candidate([...flowWords(world, packet, "request"), ...outOf(out)]),
    ];
  },
};
