import { type Packet, TCP, TCP_STATES, type TcpState } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import type { Conntrack, CtDirection } from "./nf-conntrack.ts";

/** Columns of tcp_conntracks[][][] (nf_conntrack_proto_tcp.c). IG: ignored, the state stays; IV: invalid. */
type Next = TcpState | "IG" | "IV";
const S: Readonly<Record<string, Next>> = lookup({
  SS: "SYN_SENT",
  SR: "SYN_RECV",
  ES: "ESTABLISHED",
  FW: "FIN_WAIT",
  CW: "CLOSE_WAIT",
  LA: "LAST_ACK",
  TW: "TIME_WAIT",
  CL: "CLOSE",
  S2: "SYN_SENT2",
  IG: "IG",
  IV: "IV",
});
const row = (text: string): readonly Next[] => text.split(" ").map((s) => S[s]!);

const TRANSITIONS: Readonly<Record<CtDirection, Readonly<Record<string, readonly Next[]>>>> = {
  original: {
    syn: row("SS SS IG IG IG IG IG SS SS S2"),
    synack: row("IV IV SR IV IV IV IV IV IV SR"),
    fin: row("IV IV FW FW LA LA LA TW CL IV"),
    ack: row("ES IV ES ES CW CW TW TW CL IV"),
    rst: row("IV CL CL CL CL CL CL CL CL CL"),
    none: row("IV IV IV IV IV IV IV IV IV IV"),
  },
  reply: {
    syn: row("IV S2 IV IV IV IV IV SS IV S2"),
    synack: row("IV SR IG IG IG IG IG IG IG SR"),
    fin: row("IV IV FW FW LA LA LA TW CL IV"),
    ack: row("IV IG SR ES CW CW TW TW CL IG"),
    rst: row("IV CL CL CL CL CL CL CL CL CL"),
    none: row("IV IV IV IV IV IV IV IV IV IV"),
  },
};

/** get_conntrack_index() */
function indexOf(flags: number): string {
  if (flags & TCP.RST) return "rst";
  if (flags & TCP.SYN) return flags & TCP.ACK ? "synack" : "syn";
  if (flags & TCP.FIN) return "fin";
  return flags & TCP.ACK ? "ack" : "none";
}

/** tcp_valid_flags[]: combinations that occur, PSH left aside. */
const VALID: ReadonlySet<number> = new Set([
  TCP.SYN,
  TCP.SYN | TCP.URG,
  TCP.SYN | TCP.ACK,
  TCP.RST,
  TCP.RST | TCP.ACK,
  TCP.FIN | TCP.ACK,
  TCP.FIN | TCP.ACK | TCP.URG,
  TCP.ACK,
  TCP.ACK | TCP.URG,
]);

/** tcp_error(): conntrack does not look at what no stack sends. */
export const tcpValidFlags = (packet: Packet): boolean => VALID.has(packet.tcpFlags & ~TCP.PSH & 0x3f);

/** tcp_new(): may a packet of no known connection start one? */
export function tcpNew(packet: Packet, loose: boolean): TcpState | undefined {
  const next = TRANSITIONS.original[indexOf(packet.tcpFlags)]![0]!;
  if (next === "IV" || next === "IG") return undefined;
  return next === "ESTABLISHED" && !loose ? undefined : next;
}

export type TcpVerdict = "ok" | "invalid" | "restart" | "kill";

/**
 * Follows nf_conntrack_tcp_packet(), without windows: sequence numbers are not simulated.
 * `restart`: the entry is over and this SYN starts a new one; `kill`: a RST before any reply was seen ends the entry, whoever sent it.
 * One window is known without numbers: of who sent a SYN and was never answered here it ends behind the SYN (tcp_in_window()), so that a RST
 * behind data that was not let into the entry is no part of it either, unless the kernel is `liberal`.
 */
export function tcpPacketState(
  ct: Conntrack,
  direction: CtDirection,
  packet: Packet,
  isLiberal: () => boolean,
): TcpVerdict {
  const index = indexOf(packet.tcpFlags);
  const next = TRANSITIONS[direction][index]![TCP_STATES.indexOf(ct.tcpState)] ?? "IV";
  if (next === "IV") {
    if (direction === "original" && packet.tcpFlags & (TCP.PSH | TCP.FIN)) ct.beyondWindow = true;
    return "invalid";
  }
  if (index === "rst" && direction === "original" && ct.beyondWindow === true && !ct.seenReply && !isLiberal())
    return "invalid";
  if (next === "IG") return "ok";
  if (next === "SYN_SENT" && (ct.tcpState === "TIME_WAIT" || ct.tcpState === "CLOSE")) return "restart";
  if (index === "rst" && !ct.seenReply) return "kill";
  ct.tcpState = next;
  if (next === "ESTABLISHED" && ct.seenReply) ct.assured = true;
  return "ok";
}
