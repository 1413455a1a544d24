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
