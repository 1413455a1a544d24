import { filteredError } from "../../../explain/index.ts";
import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { command, iptables } from "../../commands.ts";
import type { Command, Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

/** What tells a sender of a narrow path passes, first in the chain it died in (RFC 4890 4.3.1). */
export const allowPacketTooBig: Remedy = {
  code: "ALLOW_PACKET_TOO_BIG",
  cures: ["PMTU_FILTERED"],
  propose: (scene) => {
    const error = filteredError(scene);
    const stack = error === undefined ? undefined : stackOf(scene.world, error.stack);
    const decision = error?.decision;
    const ref = decision?.kind === "in-chain" || decision?.kind === "policy-of" ? decision.rule : undefined;
    if (!isOurs(stack) || ref === undefined) return [];
    const accept = (): Command => {
      if (ref.backend === "native") {
        const [family = "inet", ...name] = ref.table.split(" ");
        const words = ["nft", "insert", "rule", family, nameWord(name.join(" ")), nameWord(ref.chain)];
        return command(stack.name, [...words, "icmpv6", "type", "packet-too-big", "accept"]);
      }
      const table = stack.netfilter.tables.find((t) => t.family === 6 && t.name === ref.table)?.name ?? "filter";
      const words = ["-p", "ipv6-icmp", "--icmpv6-type", "2", "-j", "ACCEPT"];
      return iptables(stack, 6, table, "-I", ref.chain, ...words);
    };
    return [
      {
        code: "ALLOW_PACKET_TOO_BIG",
        summary: text("fix.allow_packet_too_big", { stack: stack.name, chain: ref.chain }),
        commands: [accept()],
      },
    ];
  },
};
