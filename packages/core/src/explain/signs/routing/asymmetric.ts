import { text } from "../../../messages/index.ts";
import type { Origin, RoutingRule, Stack } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Leg } from "../../../trace/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Sign } from "../../sign.ts";
import { delivers, observedToFail, shownStacks, suspect } from "../claim.ts";

const CARDS: ReadonlySet<string> = new Set(["ethernet", "bond", "vlan", "team", "unknown"]);

const isCard = (stack: Stack, device: string): boolean =>
  stack.devices.items.some((d) => d.name === device && CARDS.has(d.kind));

/** A packet that leaves by a card although its source is another card's address. */
function wrongCard(stack: Stack, leg: Leg | null) {
  for (const step of leg?.steps ?? []) {
    if (step.kind !== "transmit" || step.stack !== stack.name || !isCard(stack, step.device)) continue;
    const owner = stack.devices.items.find(
      (d) => isCard(stack, d.name) && d.addresses.some((a) => a.prefix.address === step.packet.src),
    );
    if (owner !== undefined && owner.name !== step.device) return { device: step.device, owner, src: step.packet.src };
  }
  return undefined;
}

/** The answer leaves by another card than the request came in by, because of a rule for its source or the device it comes from. */
function ruledAway(stack: Stack, request: Leg, reply: Leg | null) {
  const came = request.steps.find((s) => s.kind === "receive" && s.stack === stack.name && isCard(stack, s.device));
  const left = reply?.steps
    .filter((s) => s.kind === "transmit" && s.stack === stack.name && isCard(stack, s.device))
    .pop();
  if (came?.kind !== "receive" || left?.kind !== "transmit" || came.device === left.device) return undefined;
  const origins = new Set<Origin>(reply?.steps.flatMap((s) => (s.kind === "route" ? s.origins : [])) ?? []);
  const rule = stack.routingRules.items.find(
    (r) => (r.from !== undefined || r.iif !== undefined) && origins.has(r.origin),
  );
  return rule === undefined ? undefined : { rule, came: came.device, left: left.device };
}

/**
 * The walk delivers over a network that takes everything, and the flow was seen to fail: a cloud drops what leaves by a card that does
 * not own its source, and answers that come another way are dropped by who expects them on the first.
 */
export const asymmetric: Sign = {
  codes: ["CLOUD_SRC_DST_CHECK", "POLICY_ROUTE_POD_SOURCE"],
  detect: (look) => {
    if (!observedToFail(look) || !delivers(look)) return [];
    const claims: ClaimedCause[] = [];
    for (const stack of shownStacks(look)) {
      for (const { request, reply } of look.exploration.branches) {
        const ruled = ruledAway(stack, request, reply);
        if (ruled !== undefined) claims.push(policy(stack.name, ruled));
        const wrong = wrongCard(stack, request) ?? wrongCard(stack, reply);
        if (wrong === undefined) continue;
        claims.push(
          suspect({
            code: "CLOUD_SRC_DST_CHECK",
            stack: stack.name,
            summary: text("cause.cloud_src_dst_check.card", {
              stack: stack.name,
              device: wrong.device,
              source: formatAddress(wrong.src),
              owner: wrong.owner.name,
            }),
            evidence: [wrong.owner.origin],
            step: "fabric",
            check: {
              text: text("check.leaves", { device: wrong.device }),
              command: shell`tcpdump -ni ${wrong.device} src host ${formatAddress(wrong.src)}`,
            },
          }),
        );
      }
    }
    return claims.filter((c, i) => claims.findIndex((o) => o.code === c.code && o.stack === c.stack) === i);
  },
};

const policy = (
  stack: string,
  { rule, came, left }: { readonly rule: RoutingRule; readonly came: string; readonly left: string },
) =>
  suspect({
    code: "POLICY_ROUTE_POD_SOURCE",
    stack,
    direction: "reply",
    summary: text("cause.policy_route_pod_source.reply", { preference: rule.preference, left, came, stack }),
    evidence: [rule.origin],
    step: "route",
    check: { text: text("check.leaves", { device: left }), command: shell`tcpdump -ni ${left}` },
  });
