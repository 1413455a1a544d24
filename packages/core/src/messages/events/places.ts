import type { Decision } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type MessageId, type Text, text, verbatim } from "../text.ts";
import { decisionText } from "./decision.ts";

const PLACES: Readonly<Record<string, MessageId>> = lookup({
  socket: "place.socket",
  client: "place.client",
  link: "place.link",
  bridge: "place.bridge",
  neighbour: "place.neighbour",
  tunnel: "place.tunnel",
  fabric: "place.fabric",
  "load balancer": "place.load-balancer",
  "source validation": "place.source-validation",
  "output routing": "place.output-routing",
  "input routing": "place.input-routing",
  "conntrack confirm": "place.conntrack-confirm",
});

const PACKETS: Readonly<Record<string, MessageId>> = lookup({
  request: "what.request",
  answer: "what.answer",
  data: "what.data",
  "echo request": "what.echo-request",
  "echo reply": "what.echo-reply",
  "ICMP net unreachable": "what.icmp-net-unreachable",
  "ICMP host unreachable": "what.icmp-host-unreachable",
  "ICMP protocol unreachable": "what.icmp-protocol-unreachable",
  "ICMP port unreachable": "what.icmp-port-unreachable",
  "ICMP fragmentation needed": "what.icmp-fragmentation-needed",
  "ICMP net prohibited": "what.icmp-net-prohibited",
  "ICMP host prohibited": "what.icmp-host-prohibited",
  "ICMP admin prohibited": "what.icmp-admin-prohibited",
  "ICMP time exceeded": "what.icmp-time-exceeded",
  "ICMPv6 no route": "what.icmpv6-no-route",
  "ICMPv6 administratively prohibited": "what.icmpv6-administratively-prohibited",
  "ICMPv6 beyond scope of source address": "what.icmpv6-beyond-scope-of-source-address",
  "ICMPv6 address unreachable": "what.icmpv6-address-unreachable",
  "ICMPv6 port unreachable": "what.icmpv6-port-unreachable",
  "ICMPv6 source address failed policy": "what.icmpv6-source-address-failed-policy",
  "ICMPv6 reject route": "what.icmpv6-reject-route",
  "ICMPv6 packet too big": "what.icmpv6-packet-too-big",
  "ICMPv6 time exceeded": "what.icmpv6-time-exceeded",
});

const named = (names: Readonly<Record<string, MessageId>>, it: string): Text => {
  const id = Object.hasOwn(names, it) ? names[it] : undefined;
  return id === undefined ? verbatim(it) : { id, params: {} };
};

/** Where a packet ended, for people; hooks, tables and functions of the kernel keep their names. */
export const placeText = (step: string): Text => named(PLACES, step);

/** What a leg carries: SYN and the like keep their names. */
export const packetName = (what: string): Text => named(PACKETS, what);

export const seesText = (sees: "connected" | "refused" | "timeout" | "unreachable" | "reset" | "stalled"): Text =>
  text(`client.${sees}`);

/** How a leg was lost, for JSON and for people: the kernel's drop reason, or why nobody knows. */
export const dropName = (leg: {
  readonly disposition: string;
  readonly drop: string | null;
  readonly decision: Decision;
}): Text | null => {
  if (leg.disposition === "undetermined") return decisionText(leg.decision);
  return leg.drop === null ? null : verbatim(leg.drop);
};
