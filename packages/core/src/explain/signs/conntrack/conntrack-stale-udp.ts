import { text } from "../../../messages/index.ts";
import type { ConntrackEntry, Stack, World } from "../../../model/index.ts";
import { type Address, formatAddress, PROTO } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/**
 * An entry of conntrack translates the asked UDP flow to somebody whom nothing that was shown names now. It applies without any rule: those are asked
 * for the first packet of a connection only. Guard: a rule, a real server, an endpoint object still names the target; the source port is another one.
 */
export const conntrackStaleUdpShown: Sign = {
  codes: ["CONNTRACK_STALE_UDP"],
  detect: (look) =>
    shownStacks(look).flatMap((stack) =>
      stack.conntrack.items
        .filter((e) => isQuestioned(look, e) && !isNamed(look.world, stack, e.reply.src))
        .slice(0, 1)
        .map(({ reply, original, origin }) =>
          suspect({
            code: "CONNTRACK_STALE_UDP",
            stack: stack.name,
            summary: text("cause.conntrack_stale_udp.shown", {
              stack: stack.name,
              address: formatAddress(reply.src),
              port: original.sport,
            }),
            evidence: [origin],
            step: "conntrack",
            check: {
              text: text("check.stale-entry", { address: formatAddress(reply.src) }),
              command: "kubectl get endpointslices -A -o wide; conntrack -L -p udp",
            },
          }),
        ),
    ),
};

function isQuestioned({ question, flow }: Look, { original, reply }: ConntrackEntry): boolean {
  if (question.protocol !== PROTO.udp || original.protocol !== PROTO.udp) return false;
  if (original.dst !== question.to || original.dport !== question.port) return false;
  if (reply.src === original.dst || flow.isOwn?.(original.src) !== true) return false;
  return question.sport === undefined || question.sport === original.sport;
}

/** Whether rules, IPVS or objects of now send anybody to that address. */
function isNamed({ kubernetes }: World, { netfilter, ipvs }: Stack, address: Address): boolean {
  const translated = netfilter.tables.some((t) =>
    t.chains.some((c) =>
      c.rules.some(
        ({ target }) =>
          target.kind === "dnat" && target.to.addresses !== undefined && target.to.addresses.from === address,
      ),
    ),
  );
  const served = ipvs.services.some((s) => s.realServers.some((r) => r.address === address));
  const listed = kubernetes.endpoints.some((e) => e.endpoints.some((p) => p.addresses.some((a) => a === address)));
  return translated || served || listed;
}
