import { hostText, type ObservedConnection, partOf, type Sighting } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { addressMatches, isHostName, type Origin, type Rule, type Stack } from "../../../model/index.ts";
import { type Address, contains, formatAddress, isHost } from "../../../net/index.ts";
import { isInternal } from "../../../trace/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { observedToFail, shownStacks, suspect } from "../claim.ts";

const CARDS: ReadonlySet<string> = new Set(["ethernet", "bond", "vlan", "team"]);

/** Somebody whom the node routes to by a device of its own making, a bridge or a veth: a pod, a container, a VM. */
function isBehind({ routeTables, devices }: Stack, address: Address): boolean {
  const [best] = routeTables
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && r.destination.length > 0 && contains(r.destination, address))
    .sort((a, b) => b.destination.length - a.destination.length);
  const hop = best?.nexthops[0];
  const device = devices.items.find((d) => d.name === hop?.device);
  return hop?.gateway === undefined && device !== undefined && !CARDS.has(device.kind) && device.kind !== "loopback";
}

const isConnected = ({ devices }: Stack, address: Address): boolean =>
  devices.items.some((d) => d.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address)));

const isAnswered = ({ sightings }: ObservedConnection, client: string): boolean =>
  sightings.some((s) => hostText(s.ip.dst) === client);

/** The request on a card of a node, with the address of whom the node hides from everybody else. */
function leftBy(look: Look, stack: Stack, connection: ObservedConnection): Sighting | undefined {
  return connection.sightings.find(({ ip, place, device = place.device }) => {
    const card = stack.devices.items.find((d) => d.name === device);
    const part = partOf(look.flow, ip);
    if (part?.way !== "request" || !part.own || isHostName(ip.src) || isHostName(ip.dst)) return false;
    return (
      (place.stack ?? place.node) === stack.name &&
      card !== undefined &&
      CARDS.has(card.kind) &&
      isBehind(stack, ip.src) &&
      !isInternal(look.world, ip.dst) &&
      !isConnected(stack, ip.dst) &&
      !isAnswered(connection, hostText(ip.src))
    );
  });
}

const covers = (side: Rule["destination"], address: Address): boolean =>
  side !== undefined && addressMatches(side, address);

/** Rules that keep a destination from the masquerade that stands behind them in their chain. */
const exempting = ({ netfilter }: Stack, to: Address): readonly Origin[] =>
  netfilter.tables
    .filter((t) => t.name === "nat")
    .flatMap((t) => t.chains)
    .flatMap(({ rules }) => {
      const masquerade = rules.findIndex((r) => r.target.kind === "masquerade" || r.target.kind === "snat");
      return rules
        .slice(0, Math.max(masquerade, 0))
        .filter((r) => (r.target.kind === "return" || r.target.kind === "accept") && covers(r.destination, to))
        .map((r) => r.origin);
    });

/**
 * A pod's packet was captured on the node's card on its way out of the cluster with the pod's own address, and no answer to it: where nobody outside routes pod
 * addresses it must be masqueraded. The rule that exempts the destination, where one was shown, is the root. Guards: an answer was seen; the
 * destination is on a network of the node, or one that some node has a route for; a pool of Calico's says that it is masqueraded.
 */
export const leftUntranslated: Sign = {
  codes: ["MASQ_MISSING_NAT_OUTGOING"],
  detect: (look) => {
    // A network that routes pods' addresses needs no translation.
    if (!observedToFail(look)) return [];
    for (const stack of shownStacks(look).filter((s) => s.kind === "node"))
      for (const connection of look.connections) {
        const left = leftBy(look, stack, connection);
        if (left === undefined || isHostName(left.ip.src) || isHostName(left.ip.dst)) continue;
        const { src } = left.ip;
        if (look.world.kubernetes.ipPools.some((p) => p.natOutgoing && contains(p.cidr, src))) continue;
        const rules = exempting(stack, left.ip.dst);
        return [
          suspect({
            code: "MASQ_MISSING_NAT_OUTGOING",
            stack: stack.name,
            certainty: rules.length > 0 ? "inferred" : "possible",
            root: true,
            summary: text("cause.masq_missing_nat_outgoing.left", {
              stack: stack.name,
              source: formatAddress(left.ip.src),
              to: formatAddress(left.ip.dst),
            }),
            evidence: [...rules, left.origin],
            step: "nat POSTROUTING",
            check: { text: text("check.masquerade-outgoing"), command: "iptables-save -c -t nat" },
          }),
        ];
      }
    return [];
  },
};
