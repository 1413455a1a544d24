import { hostText, type ObservedConnection } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { isHostName, type ReadOrigin } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { type Address, contains, formatAddress } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

const KEY = "net.bridge.bridge-nf-call-iptables";

interface Untranslated {
  readonly client: Address;
  readonly endpoint: Address;
  readonly node: string;
  readonly origins: readonly ReadOrigin[];
}

/** A handshake in which the client was answered by the endpoint itself, not by the address it called, and reset it. */
function untranslated({ outcome, request, sightings }: ObservedConnection): Untranslated | undefined {
  if (outcome !== "answer-refused" || isHostName(request.src)) return undefined;
  const called = hostText(request.dst);
  const answer = sightings.find((s) => s.role === "syn-ack" && hostText(s.ip.dst) === hostText(request.src));
  const refused = sightings.find((s) => s.role === "rst" && hostText(s.ip.src) === hostText(request.src));
  if (answer === undefined || refused === undefined || isHostName(answer.ip.src)) return undefined;
  const translated = sightings.some((s) => s.role === "syn" && hostText(s.ip.dst) === hostText(answer.ip.src));
  const restored = sightings.some((s) => s.role === "syn-ack" && hostText(s.ip.src) === called);
  if (!translated || restored || hostText(answer.ip.src) === called) return undefined;
  return {
    client: request.src,
    endpoint: answer.ip.src,
    node: answer.place.node,
    origins: [answer.origin, refused.origin],
  };
}

/**
 * Seen in a capture: the answer reaches the client untranslated. Guards: both on one bridge of the node, and netfilter is not
 * known to be called for it; a handshake that completed first is another cause.
 */
export const bridgeNfOffSign: Sign = {
  codes: ["BRIDGE_NF_OFF"],
  detect: (look) => {
    for (const connection of look.connections) {
      const observed = concernsQuestion(look, connection) ? untranslated(connection) : undefined;
      const found = observed === undefined ? undefined : onOneBridge(look, observed);
      if (found !== undefined) return [found];
    }
    return [];
  },
};

const concernsQuestion = ({ question }: Look, { request }: ObservedConnection): boolean =>
  hostText(request.dst) === formatAddress(question.to) &&
  (request.dport === undefined || request.dport === question.port);

function onOneBridge(look: Look, { client, endpoint, node, origins }: Untranslated): ClaimedCause | undefined {
  const stack = shownStacks(look).find((s) => s.name === node);
  const bridge = stack?.devices.items.find((d) =>
    d.addresses.some((a) => contains(a.prefix, client) && contains(a.prefix, endpoint)),
  );
  const setting = stack?.sysctls.get(KEY);
  if (bridge === undefined || setting?.value === "1") return undefined;
  return suspect({
    code: "BRIDGE_NF_OFF",
    stack: node,
    certainty: "inferred",
    direction: "reply",
    summary: text("cause.bridge_nf_off.seen", {
      endpoint: formatAddress(endpoint),
      client: formatAddress(client),
      bridge: bridge.name,
    }),
    evidence: [...(setting === undefined ? [] : [setting.origin]), ...origins, bridge.origin],
    step: "bridge",
    check: { text: text("check.bridge-nf"), command: shell`sysctl ${KEY}` },
  });
}
