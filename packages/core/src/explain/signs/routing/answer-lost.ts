import { hostText, type ObservedConnection, type Sighting } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { isHostName, PROXY_CHAIN, type Stack, TABLE_MAIN } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { contains, formatAddress } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

interface Lost {
  readonly node: string;
  readonly client: string;
  readonly as: string;
  readonly answerer: string;
  /** The frame kept its sender's MAC: the node only bridged it. */
  readonly bridged: boolean;
  readonly before: Sighting;
  readonly after: Sighting;
  readonly answer: Sighting;
}

/** Where the request got another source, and the answer to that source came back to and went no further. */
function lostOf({ outcome, sightings }: ObservedConnection): Lost | undefined {
  if (outcome !== "answer-lost") return undefined;
  const syns = sightings.filter((s) => s.role === "syn");
  for (const before of syns) {
    const after = syns.find(
      (s) => s.place.node === before.place.node && hostText(s.ip.src) !== hostText(before.ip.src),
    );
    const answer = sightings.find(
      (s) =>
        s.role === "syn-ack" &&
        after !== undefined &&
        s.place.node === after.place.node &&
        hostText(s.ip.dst) === hostText(after.ip.src),
    );
    if (after === undefined || answer === undefined) continue;
    return {
      node: before.place.node,
      client: hostText(before.ip.src),
      as: hostText(after.ip.src),
      answerer: hostText(answer.ip.src),
      bridged: before.srcMac !== undefined && before.srcMac === after.srcMac,
      before,
      after,
      answer,
    };
  }
  return undefined;
}

const concernsQuestion = ({ question }: Look, { request }: ObservedConnection): boolean =>
  hostText(request.dst) === formatAddress(question.to) &&
  (request.dport === undefined || request.dport === question.port);

/**
 * Seen in a capture: a masquerade draws the answer to the node, which does not hand it on. Its source is the node's own address
 * (MARTIAN_LOCAL_SOURCE), or it came in by another card than the way back (RP_FILTER_STRICT): one command tells.
 */
export const answerLost: Sign = {
  codes: ["MASQ_TOO_MUCH", "MARTIAN_LOCAL_SOURCE", "RP_FILTER_STRICT"],
  detect: (look) => {
    for (const connection of look.connections) {
      const lost = concernsQuestion(look, connection) ? lostOf(connection) : undefined;
      if (lost !== undefined) return claims(look, lost);
    }
    return [];
  },
};

/** The way to whoever answers leaves by the card that his answer came in by: source validation has nothing against it. */
function isBackByItsCard(stack: Stack | undefined, { ip, device, place }: Sighting): boolean {
  const came = device ?? place.device;
  if (stack === undefined || isHostName(ip.src) || came === undefined || stack.routingRules.items.length > 3)
    return false;
  const { src } = ip;
  const [best] = stack.routeTables
    .filter((t) => t.id === TABLE_MAIN && t.extent === "whole")
    .flatMap((t) => t.routes)
    .filter((r) => contains(r.destination, src))
    .sort((a, b) => b.destination.length - a.destination.length);
  return best?.nexthops.some((h) => h.device === came) === true;
}

function claims(look: Look, lost: Lost): readonly ClaimedCause[] {
  const { node, client, as, answerer, bridged, before, after, answer } = lost;
  const stack = shownStacks(look).find((s) => s.name === node);
  const owned = stack?.devices.items.some((d) => d.addresses.some((a) => formatAddress(a.prefix.address) === answerer));
  const shown = stack?.devices.extent === "whole" || stack?.devices.items.some((d) => d.kind === "dummy") === true;
  const called = answerer === formatAddress(look.question.to);
  const found: ClaimedCause[] = [];
  if (bridged)
    found.push(
      suspect({
        code: "MASQ_TOO_MUCH",
        stack: node,
        direction: "reply",
        summary: text("cause.masq_too_much.bridged", { stack: node, client, as }),
        evidence: [before.origin, after.origin],
        step: "nat POSTROUTING",
        check: {
          text: text("check.counters"),
          command: `iptables -t nat -vnL POSTROUTING; iptables -t nat -vnL ${PROXY_CHAIN.postrouting}`,
        },
      }),
    );
  const local = called && (owned === true || !shown);
  if (!local && isBackByItsCard(stack, answer)) return found;
  found.push(
    suspect({
      code: local ? "MARTIAN_LOCAL_SOURCE" : "RP_FILTER_STRICT",
      stack: node,
      certainty: local && owned === true ? "inferred" : "possible",
      direction: "reply",
      summary: local
        ? text("cause.martian_local_source.seen", { stack: node, answerer, as })
        : text("cause.rp_filter_strict.seen", { stack: node, answerer, as }),
      evidence: [answer.origin],
      step: "source validation",
      check: local
        ? {
            text: text("fact.address", { stack: node, address: answerer }),
            command: shell`ip addr show to ${answerer}`,
          }
        : {
            text: text("check.rp-filter", { stack: node }),
            command: "sysctl -a -r '\\.rp_filter$'; nstat -az TcpExtIPReversePathFilter",
          },
    }),
  );
  return found;
}
