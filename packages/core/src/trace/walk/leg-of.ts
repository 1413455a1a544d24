import type { Skb } from "../../datapath/index.ts";
import { type Decision, innermost } from "../../model/index.ts";
import type { Leg } from "../explore/branch.ts";
import type { LegRecord } from "./leg-record.ts";

const DELIVERED: Decision = { kind: "delivered" };

/** How a leg of the round trip ended, as it is told. `answered`: somebody sent an error for it. */
export function legOf(record: LegRecord, skb: Skb, client: string, answered: boolean): Leg {
  const { end, what, steps, met } = record;
  if (end.kind === "open") {
    return {
      what,
      steps,
      met,
      disposition: "undetermined",
      stack: client,
      step: "walk",
      drop: null,
      decision: { kind: "lost-track" },
      origins: [],
      final: skb.packet,
      masqueraded: skb.masqueraded,
    };
  }
  const stack = end.kernel.name;
  const final = innermost(end.skb.packet);
  const masqueraded = end.skb.wrapped?.[0] ?? end.skb.masqueraded;
  if (end.kind === "delivered") {
    const outside = end.kernel.stack.assumed === "outside" && end.kernel.name !== client;
    return {
      what,
      steps,
      met,
      stack,
      final,
      masqueraded,
      disposition: outside ? "forwarded" : "delivered",
      step: "socket",
      drop: null,
      decision: DELIVERED,
      origins: [],
    };
  }
  const { drop } = end;
  // Sent back to somebody outside, of whom nothing but the address is known: what it does with its own source is its business.
  if (end.kernel.stack.assumed === "outside" && drop.reason === "IP_LOCAL_SOURCE" && record.id === 0)
    return {
      what,
      steps,
      met,
      stack,
      final,
      masqueraded,
      disposition: "forwarded",
      step: drop.step,
      drop: null,
      decision: drop.decision,
      origins: [],
    };
  return {
    what,
    steps,
    met,
    stack,
    final,
    masqueraded,
    disposition: answered ? "rejected" : "dropped",
    step: drop.step,
    drop: drop.reason,
    decision: drop.decision,
    origins: drop.origins,
  };
}
