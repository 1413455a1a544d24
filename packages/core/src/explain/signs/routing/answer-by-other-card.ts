import { hostText, isLoss, type ObservedConnection, partOf, type Sighting } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import type { RoutingRule, Stack } from "../../../model/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

interface Crossed {
  readonly node: string;
  readonly came: string;
  readonly left: string;
  readonly request: Sighting;
  readonly answer: Sighting;
}

const deviceOf = (s: Sighting): string | undefined => {
  const device = s.device ?? s.place.device;
  return device === "any" ? undefined : device;
};

/** A request that came in by one card, and the answer to it, under the same addresses, that left the node by another. */
function crossedOf(look: Look, { outcome, sightings }: ObservedConnection): Crossed | undefined {
  if (!isLoss(outcome)) return undefined;
  for (const request of sightings) {
    if (request.role !== "syn" && request.role !== "echo-request") continue;
    if (partOf(look.flow, request.ip)?.way !== "request") continue;
    const came = deviceOf(request);
    const answer = sightings.find(
      (s) =>
        (s.role === "syn-ack" || s.role === "echo-reply") &&
        s.place.node === request.place.node &&
        s.place.stack === request.place.stack &&
        hostText(s.ip.src) === hostText(request.ip.dst) &&
        hostText(s.ip.dst) === hostText(request.ip.src),
    );
    const left = answer === undefined ? undefined : deviceOf(answer);
    if (answer === undefined || came === undefined || left === undefined || came === left) continue;
    // On the card the request came by, too: then it is only seen twice.
    const alsoThere = sightings.some(
      (s) => s.role === answer.role && s.place.node === request.place.node && deviceOf(s) === came,
    );
    if (!alsoThere) return { node: request.place.node, came, left, request, answer };
  }
  return undefined;
}

const CARDS: ReadonlySet<string> = new Set(["ethernet", "bond", "vlan", "team", "unknown"]);

/** What nobody showed may be a card; a bridge, a veth or a tunnel is none. */
const mayBeCard = (stack: Stack | undefined, name: string): boolean => {
  const device = stack?.devices.items.find((d) => d.name === name);
  return device === undefined || CARDS.has(device.kind);
};

/** The rule for a source or a device of the node whose table leads out of that card. */
const ruleTo = (stack: Stack | undefined, device: string): RoutingRule | undefined =>
  stack?.routingRules.items.find(
    (r) =>
      (r.from !== undefined || r.iif !== undefined) &&
      stack.routeTables.some(
        (t) =>
          r.action.kind === "lookup" &&
          t.id === r.action.table &&
          t.routes.some((route) => route.nexthops.some((h) => h.device === device)),
      ),
  );

/**
 * Seen in captures: the answer leaves by another card than the request came in by, and nobody takes it. A cloud drops what leaves by a card that does
 * not own its source; a stateful filter on the way drops answers to what it has not seen.
 */
export const answerByOtherCard: Sign = {
  codes: ["CLOUD_SRC_DST_CHECK", "POLICY_ROUTE_POD_SOURCE"],
  detect: (look) => {
    for (const connection of look.connections) {
      const crossed = crossedOf(look, connection);
      const stack = shownStacks(look).find((s) => s.name === crossed?.node);
      if (crossed === undefined || !mayBeCard(stack, crossed.came) || !mayBeCard(stack, crossed.left)) continue;
      return claims(stack, crossed, isExplained(look));
    }
    return [];
  },
};

/** The walk loses it in every hypothesis that is left: what was seen needs nothing outside to be so. */
const isExplained = ({ exploration }: Look): boolean =>
  exploration.branches.every((b) => b.clientSees !== "connected" && b.clientSees !== null);

function claims(
  stack: Stack | undefined,
  { node, came, left, request, answer }: Crossed,
  explained: boolean,
): readonly ClaimedCause[] {
  const source = hostText(answer.ip.src);
  const rule = ruleTo(stack, left);
  const found = [
    suspect({
      code: "CLOUD_SRC_DST_CHECK",
      stack: node,
      certainty: explained ? "possible" : "inferred",
      direction: "reply",
      summary: text("cause.cloud_src_dst_check.seen", { stack: node, source, left, came }),
      evidence: [request.origin, answer.origin],
      step: "fabric",
      check: { text: text("check.src-dst-check", { device: left }), command: "ip rule; ip route show table all" },
    }),
  ];
  if (rule !== undefined)
    found.push(
      suspect({
        code: "POLICY_ROUTE_POD_SOURCE",
        stack: node,
        certainty: "inferred",
        direction: "reply",
        summary: text("cause.policy_route_pod_source.reply", { stack: node, preference: rule.preference, left, came }),
        evidence: [rule.origin, answer.origin],
        step: "route",
        check: { text: text("check.src-dst-check", { device: left }), command: "ip rule; ip route show table all" },
      }),
    );
  return found;
}
