import type { HookStep } from "@hairpin/core/model/index.ts";
import { PROTO } from "@hairpin/core/net/index.ts";
import { isVxlanPort } from "../decode/packet.ts";
import type { HookRecord, ObservedPacket } from "../observation.ts";
import { type HookLine, observedHook, packetText, predictedHook } from "../predict.ts";

/** The packet somebody sent, whatever tunnels it is wrapped in. */
export function carriedBy(packet: ObservedPacket): ObservedPacket {
  let p = packet;
  while (p.icmp === undefined && p.inner !== undefined) p = p.inner;
  return p;
}

/** A traversal as a line; of a tunnel's packet with what it carries, so that it is told from others between the same nodes. */
export function predictedLine(step: HookStep, states: boolean): HookLine {
  const { stack, text } = predictedHook(step, states);
  const { carried, dport } = step.packet;
  // The lab knows a VXLAN's packet by its port, and a rule may have led it to another.
  const known = carried?.tunnel !== "vxlan" || (typeof dport === "number" && isVxlanPort(dport));
  return { stack, text: carried === undefined || !known ? text : `${text} carrying ${packetText(carried.packet)}` };
}

/** The source port of a VXLAN is a hash of what it carries, which the walk knows as a set only. */
export function observedLine(record: HookRecord): HookLine {
  const { stack, text } = observedHook(record);
  const { icmp, inner, protocol } = record.packet;
  if (icmp !== undefined || inner === undefined) return { stack, text };
  const outer = protocol === PROTO.udp ? text.replace(/:\d+ > /, ":* > ") : text;
  return { stack, text: `${outer} carrying ${packetText(inner)}` };
}
