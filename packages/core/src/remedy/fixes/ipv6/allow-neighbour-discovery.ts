import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { command, iptables } from "../../commands.ts";
import type { Command, Remedy } from "../../fix.ts";
import { COMMENT } from "../../nft-commands.ts";
import { isOurs, stackOf } from "../../scene.ts";

/** Neighbour solicitation and advertisement (RFC 4890 4.4.1: must not be dropped). */
const TYPES = ["135", "136"] as const;

/** What RFC 4890 asks of every firewall, and ARP needs no less: questions and answers pass, first in the chain they died in. */
export const allowNeighbourDiscovery: Remedy = {
  code: "ALLOW_NEIGHBOUR_DISCOVERY",
  cures: ["NEIGHBOUR_DISCOVERY_FILTERED"],
  propose: ({ leg, world }) => {
    const lost = leg.decision.kind === "no-neighbour" ? leg.decision.lost : undefined;
    const decision = lost?.decision;
    const stack = lost === undefined ? undefined : stackOf(world, lost.stack);
    const ref = decision?.kind === "in-chain" || decision?.kind === "policy-of" ? decision.rule : undefined;
    if (!isOurs(stack) || ref === undefined) return [];
    const isArp = lost?.what === "request" || lost?.what === "reply";
    const accept = (): readonly Command[] => {
      if (ref.backend === "native") {
        const [family = "inet", ...name] = ref.table.split(" ");
        const words = ["nft", "insert", "rule", family, nameWord(name.join(" ")), nameWord(ref.chain)];
        const types = isArp
          ? ["arp", "operation", "{ request, reply }"]
          : ["icmpv6", "type", "{ nd-neighbor-solicit, nd-neighbor-advert }"];
        return [command(stack.name, [...words, ...types, "accept", ...COMMENT])];
      }
      const table = stack.netfilter.tables.find((t) => t.family === 6 && t.name === ref.table)?.name ?? "filter";
      return TYPES.map((type) =>
        iptables(stack, 6, table, "-I", ref.chain, "-p", "ipv6-icmp", "--icmpv6-type", type, "-j", "ACCEPT"),
      );
    };
    return [
      {
        code: "ALLOW_NEIGHBOUR_DISCOVERY",
        summary: text(isArp ? "fix.allow_arp" : "fix.allow_neighbour_discovery", {
          stack: stack.name,
          chain: ref.chain,
        }),
        commands: accept(),
      },
    ];
  },
};
