import { text } from "../../../messages/index.ts";
import type { Ground, Origin, World } from "../../../model/index.ts";
import { type Address, contains, formatAddress } from "../../../net/index.ts";
import { groundsOf } from "../../../trace/index.ts";
import { type ClaimedCause, stackOf } from "../../cause.ts";
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
 * node knows and the other does not is a route that is missing. Claimed where the flow was seen to fail, or is said to. Guards: the gateway may know the way
 * all the same (a cloud's route table does), so that it stays a suspicion.
 */
export const routeOnlyElsewhere: Sign = {
  codes: ["NO_ROUTE"],
  detect: (look) => {
    const lost = observedToFail(look) || (look.flow.sees !== undefined && look.flow.sees !== "works");
    if (!lost) return [];
    return groundsOf(look.exploration).flatMap((g) =>
      g.kind === "gateway" && g.routedBy !== undefined ? [claim(look, g, g.routedBy)] : [],
    );
  },
};

const claim = ({ world, question }: Look, { stack, gateway, destination }: Gateway, other: string): ClaimedCause =>
  suspect({
    code: "NO_ROUTE",
    stack,
    direction: destination === question.bindAddress ? "reply" : "request",
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
