import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

/** The policy of a base chain of nftables at FORWARD. */
export const nftPolicyAccept: Remedy = {
  code: "NFT_POLICY_ACCEPT",
  cures: ["FORWARD_POLICY_DROP", "NFT_SECOND_TABLE_DROP"],
  propose: ({ stack, leg }) => {
    const hook = lastOf(stepsOf(leg, "hook").filter((h) => h.stack === leg.stack));
    const table = stack?.netfilter.nft?.find((t) => `${t.family} ${t.name}` === hook?.table);
    const chain = table?.chains.find((c) => c.name === hook?.native?.chain);
    if (!isOurs(stack) || table === undefined || chain?.base?.hook !== "forward" || chain.base.policy !== "drop")
      return [];
    const words = ["nft", "chain", table.family, nameWord(table.name), nameWord(chain.name)];
    return [
      {
        code: "NFT_POLICY_ACCEPT",
        summary: text("fix.nft_policy_accept", { stack: stack.name, chain: chain.name, table: hook!.table }),
        commands: [command(stack.name, [...words, "{ policy accept ; }"])],
        notes: [text("cost.forward_policy")],
      },
    ];
  },
};
