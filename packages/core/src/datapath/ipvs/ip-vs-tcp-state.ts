import { TCP } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";

/** IP_VS_TCP_S_*: IPVS keeps a TCP state of its own beside conntrack's. */
export type IpvsTcpState =
  | "NONE"
  | "ESTABLISHED"
  | "SYN_SENT"
  | "SYN_RECV"
  | "FIN_WAIT"
  | "TIME_WAIT"
  | "CLOSE"
  | "CLOSE_WAIT"
  | "LAST_ACK"
  | "LISTEN"
  | "SYNACK";

const ORDER: readonly IpvsTcpState[] = [
  "NONE",
  "ESTABLISHED",
  "SYN_SENT",
  "SYN_RECV",
  "FIN_WAIT",
  "TIME_WAIT",
  "CLOSE",
  "CLOSE_WAIT",
  "LAST_ACK",
  "LISTEN",
  "SYNACK",
];
const SHORT: Readonly<Record<string, IpvsTcpState>> = lookup({
  ES: "ESTABLISHED",
  SS: "SYN_SENT",
  SR: "SYN_RECV",
  FW: "FIN_WAIT",
  TW: "TIME_WAIT",
  CL: "CLOSE",
  CW: "CLOSE_WAIT",
  LA: "LAST_ACK",
  LI: "LISTEN",
});

/** tcp_states[] (ip_vs_proto_tcp.c): the next state by direction, flag and present state. */
const NEXT = {
  request: {
    syn: "SR ES ES SR SR SR SR SR SR SR SR",
    fin: "CL CW SS TW TW TW CL CW LA LI TW",
    ack: "ES ES SS ES FW TW CL CW CL LI ES",
    rst: "CL CL CL SR CL CL CL CL LA LI SR",
  },
  answer: {
    syn: "SS ES SS SR SS SS SS SS SS LI SR",
    fin: "TW FW SS TW FW TW CL TW LA LI TW",
    ack: "ES ES SS ES FW TW CL CW LA ES ES",
    rst: "CL CL SS CL CL TW CL CL CL CL CL",
  },
} as const;

/** Follows set_tcp_state(). */
export function nextTcpState(state: IpvsTcpState, flags: number, direction: "request" | "answer"): IpvsTcpState {
  const flag =
    flags & TCP.RST ? "rst" : flags & TCP.SYN ? "syn" : flags & TCP.FIN ? "fin" : flags & TCP.ACK ? "ack" : undefined;
  if (flag === undefined) return "CLOSE";
  return SHORT[NEXT[direction][flag].split(" ")[ORDER.indexOf(state)]!]!;
}

export const isIpvsTcpState = (text: string): text is IpvsTcpState => ORDER.some((state) => state === text);
