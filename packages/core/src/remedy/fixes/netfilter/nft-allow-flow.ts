import { text } from "../../../messages/index.ts";
import { isKubeProxyTable, type NftTable, type Packet, type Stack } from "../../../model/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { formatAddress } from "../../../net/index.ts";
import { command, isMadeUp } from "../../commands.ts";
import type { Candidate, Command, Remedy } from "../../fix.ts";
import { COMMENT, nftFlowWords } from "../../nft-commands.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

/** Rules at the head of a base chain; the last command stands first. */
const insert = (stack: Stack, table: NftTable, chain: string, words: readonly string[]): Command =>
  command(stack.name, [
    ...["nft", "insert", "rule", table.family, nameWord(table.name), nameWord(chain)],
    ...words,
    ...["accept", ...COMMENT],
  ]);

/**
 * An accept for this flow ahead of everything else in the base chain of nftables under which the packet died: in no other table, since
 * an accept ends its own base chain only.
 */
export const nftAllowFlow: Remedy = {
  code: "NFT_ALLOW_FLOW",
  cures: [
    "RULE_DROP",
    "RULE_ORDER_REJECT",
    "RAW_TABLE_FILTER",
    "FORWARD_POLICY_DROP",
    "NFT_SECOND_TABLE_DROP",
    "NETWORK_POLICY_DROP",
    "DOCKER_ISOLATION",
    "NOTRACK_VS_POLICY",
  ],
  propose: (scene) => {
    const { leg, stack, branch } = scene;
    const hook = lastOf(stepsOf(leg, "hook").filter((h) => h.stack === leg.stack));
    if (!isOurs(stack) || hook?.native === undefined || leg.drop !== "NETFILTER_DROP") return [];
    const { chain } = hook.native;
    const table = stack.netfilter.nft?.find((t) => `${t.family} ${t.name}` === hook.table);
    // What kube-proxy writes it writes again.
    if (table === undefined || isKubeProxyTable(table.name)) return [];
    const way = leg === branch.request || branch.data.indexOf(leg) % 2 === 0 ? "request" : "reply";
    const { packet } = hook;
    const candidate = (...commands: readonly Command[]): Candidate => ({
      code: "NFT_ALLOW_FLOW",
      summary: text("fix.nft_allow_flow", {
        stack: stack.name,
        source: isMadeUp(scene.world, packet.src) ? text("fix.any_address") : formatAddress(packet.src),
        address: isMadeUp(scene.world, packet.dst) ? text("fix.any_address") : formatAddress(packet.dst),
        chain,
        table: hook.table,
      }),
      commands,
    });
    const there = insert(stack, table, chain, nftFlowWords(scene.world, packet, way));
    if (way === "reply" || hook.hook !== "FORWARD") return [candidate(there)];
    // What drops the request is likely to drop its answer too.
    const answer: Packet = { ...packet, src: packet.dst, dst: packet.src, sport: packet.dport, dport: packet.sport };
    const states = ["ct", "state", "established,related"];
    const back = insert(stack, table, chain, [...nftFlowWords(scene.world, answer, "reply"), ...states]);
    return [candidate(there), candidate(there, back)];
  },
};
