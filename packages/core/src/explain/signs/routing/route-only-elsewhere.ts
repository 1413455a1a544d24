import { text } from "../../../messages/index.ts";
import type { Ground, Origin, World } from "../../../model/index.ts";
import { type Address, contains, formatAddress, formatPrefix, isIpv4 } from "../../../net/index.ts";
import { groundsOf } from "../../../trace/index.ts";
import { type ClaimedCause, stackOf } from "../../cause.ts";
import { type MissingPeerRoute, missingPeerRoute } from "../../peer-route.ts";
import type { Look, Sign } from "../../sign.ts";
import { observedToFail, suspect } from "../claim.ts";

type Gateway = Extract<Ground, { kind: "gateway" }>;

/** The line by which a stack sends to an address. */
const routeTo = (world: World, stack: string, address: Address): readonly Origin[] =>
  (stackOf(world, stack)?.routeTables ?? [])
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && contains(r.destination, address))
    .sort((a, b) => b.destination.length - a.destination.length)
    .slice(0, 1)
    .map((r) => r.origin);

/**
 * A packet for a pod network leaves by a gateway that nobody showed, while another node that was shown has a route of its own for that network: what one
 * node knows and the other does not is a route that is missing. Claimed where the flow was seen to fail, or is said to, and where the nodes send each
 * other's pods straight to each other. Guards: the gateway may know the way all the same (a cloud's route table does), so that it stays a suspicion.
 */
export const routeOnlyElsewhere: Sign = {
  codes: ["NO_ROUTE"],
  detect: (look) => {
    const { exploration, flow, testimonies, world } = look;
    const lost = observedToFail(look) || (flow.sees !== undefined && flow.sees !== "works");
    const worked = flow.sees === "works" || testimonies.some((t) => t.kind === "success");
    return groundsOf(exploration).flatMap((g): readonly ClaimedCause[] => {
      if (g.kind !== "gateway") return [];
      const missing = worked ? undefined : missingPeerRoute(world, g.stack, g.destination);
      if (missing !== undefined) return [unlikeItsPeers(look, g, missing)];
      return lost && g.routedBy !== undefined ? [claim(look, g, g.routedBy)] : [];
    });
  },
};

const directionOf = ({ question }: Look, { destination }: Gateway): "request" | "reply" =>
  destination === question.bindAddress ? "reply" : "request";

function unlikeItsPeers(look: Look, ground: Gateway, { network, home, like }: MissingPeerRoute): ClaimedCause {
  const { stack } = ground;
  const [gateway, address] = [formatAddress(ground.gateway), formatAddress(ground.destination)];
  return suspect({
    code: "NO_ROUTE",
    stack,
    direction: directionOf(look, ground),
    root: true,
    summary: text("cause.no_route.unlike-peers", {
      stack,
      network: formatPrefix(network),
      node: home,
      gateway,
      by: like.stack,
      other: like.home,
    }),
    evidence: [...routeTo(look.world, stack, ground.destination), like.route.origin],
    step: "route",
    check: {
      text: text("check.gateway-knows", { gateway, address }),
      command: `ping${isIpv4(ground.destination) ? "" : " -6"} -c 3 ${address}`,
    },
  });
}

const claim = (look: Look, ground: Gateway, other: string): ClaimedCause => {
  const { stack, gateway, destination } = ground;
  const { world } = look;
  return suspect({
    code: "NO_ROUTE",
    stack,
    direction: directionOf(look, ground),
    root: true,
    summary: text("cause.no_route.only-elsewhere", {
      stack,
      address: formatAddress(destination),
      gateway: formatAddress(gateway),
      other,
    }),
    evidence: [...routeTo(world, stack, destination), ...routeTo(world, other, destination)],
    step: "route",
    check: {
      text: text("check.route-there", { address: formatAddress(destination) }),
      command: "ip route show table all",
    },
  });
};
