import { hostText, type ObservedConnection, type Sighting } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import type { World } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

interface Looped {
  readonly out: Sighting;
  readonly back: Sighting;
}

/** Without a column that says so: what a node sends to itself goes by lo, so on a card it was sent by somebody else. */
function cameIn({ stacks }: World, { direction, device, place, ip }: Sighting): boolean {
  const on = device ?? place.device;
  const stack = stacks.find((s) => s.name === (place.stack ?? place.node));
  const card = stack?.devices.items.find((d) => d.name === on);
  if (direction !== undefined || card === undefined || card.kind === "loopback") return false;
  return stack?.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === ip.dst)) === true;
}

/** A SYN that leaves a node for the load balancer and is seen there again, with the same source, for another destination. */
function loopedOf({ question, world }: Look, { sightings }: ObservedConnection): Looped | undefined {
  const syns = sightings.filter((s) => s.role === "syn");
  const called = formatAddress(question.to);
  const sender = (s: Sighting): string => `${s.place.node} ${hostText(s.ip.src)} ${JSON.stringify(s.ip.sport)}`;
  const returned = new Map<string, Sighting>();
  for (const s of syns) {
    // Translated on the node itself it would go to a pod, not come in for a node port.
    if (!(s.direction === "in" || cameIn(world, s)) || hostText(s.ip.dst) === called) continue;
    if (!returned.has(sender(s))) returned.set(sender(s), s);
  }
  for (const out of syns) {
    if (hostText(out.ip.dst) !== called || out.ip.dport !== question.port) continue;
    if (out.direction !== undefined && out.direction !== "out") continue;
    const back = returned.get(sender(out));
    if (back !== undefined) return { out, back };
  }
  return undefined;
}

/**
 * Seen in a capture: the load balancer sends the packet back to the node it came from and keeps its source, which is the node's own.
 * Guard: the device, and the direction column where there is one, must show that it came in.
 */
export const lbLoopbackSign: Sign = {
  codes: ["LB_LOOPBACK"],
  detect: (look) => {
    for (const connection of look.connections) {
      const looped = loopedOf(look, connection);
      if (looped === undefined) continue;
      const { out, back } = looped;
      return [
        suspect({
          code: "LB_LOOPBACK",
          stack: out.place.node,
          certainty: "inferred",
          summary: text("cause.lb_loopback.seen", {
            stack: out.place.node,
            balancer: formatAddress(look.question.to),
            source: hostText(out.ip.src),
          }),
          evidence: [out.origin, back.origin],
          step: "load balancer",
          check: {
            text: text("check.client-address"),
            command: shell`tcpdump -ni any ${`tcp[tcpflags] & tcp-syn != 0 and src host ${hostText(out.ip.src)}`}`,
          },
        }),
      ];
    }
    return [];
  },
};
