import { text } from "../../../messages/index.ts";
import { type Address, familyOf, formatAddress } from "../../../net/index.ts";
import { calledWords, flowWords, host, iptables, outOf } from "../../commands.ts";
import type { Candidate, Command, Remedy } from "../../fix.ts";
import { isNative, nftCalledWords, nftFlowWords, nftHost, nftOutOf, ownRule } from "../../nft-commands.ts";
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
    "MASQ_MISSING_NAT_OUTGOING",
  ],
  propose: ({ branch, world, question, findings }) => {
    const left = findings.find((f) => f.code === "MASQ_MISSING_NAT_OUTGOING");
    const stack = stackOf(world, left?.stack ?? translatedBy(branch.request) ?? question.client);
    const sent = stack === undefined ? undefined : leaving(branch.request, stack.name);
    if (!isOurs(stack) || sent === undefined || branch.request.masqueraded) return [];
    const { packet, out } = sent;
    const family = familyOf(question.to);
    const native = isNative(stack, family);
    const masquerade = (words: readonly string[]): readonly Command[] =>
      native
        ? ownRule(stack, family, { type: "nat", hook: "postrouting", priority: 100 }, [...words, "masquerade"])
        : [iptables(stack, family, "nat", "-A", "POSTROUTING", ...words, "-j", "MASQUERADE")];
    const candidate = (words: readonly string[]): Candidate => ({
      code: "MASQUERADE_FLOW",
      summary: text("fix.masquerade_flow", { stack: stack.name, address: formatAddress(question.to), device: out }),
      commands: masquerade(words),
    });
    const own = stack.name === question.client && stack.kind === "node";
    const { to, port, protocol } = question;
    const by = native ? nftOutOf(out) : outOf(out);
    const source = (address: Address): readonly string[] =>
      native ? nftHost("saddr", address) : ["-s", host(address)];
    return [
      // What the node itself sends by that device with that source: no Service of it can work without.
      ...(own || left !== undefined ? [candidate([...source(packet.src), ...by])] : []),
      candidate([...(native ? nftCalledWords : calledWords)(to, port, protocol), ...by]),
      candidate([...(native ? nftFlowWords : flowWords)(world, packet, "request"), ...by]),
    ];
  },
};
