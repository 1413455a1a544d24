import type { Address } from "../net/index.ts";
import type { Origin } from "./origin.ts";

/** enum tcp_conntrack, in its order. */
export const TCP_STATES = [
  "NONE",
  "SYN_SENT",
  "SYN_RECV",
  "ESTABLISHED",
  "FIN_WAIT",
  "CLOSE_WAIT",
  "LAST_ACK",
  "TIME_WAIT",
  "CLOSE",
  "SYN_SENT2",
] as const;
export type TcpState = (typeof TCP_STATES)[number];

/** For ICMP `sport` is the id and `dport` is type<<8|code, as the kernel keeps them in one 16-bit field each. */
export interface ConntrackTuple {
  readonly src: Address;
  readonly dst: Address;
  readonly sport: number;
  readonly dport: number;
  readonly protocol: number;
}

/** An entry as `conntrack -L` or /proc/net/nf_conntrack shows it. */
export interface ConntrackEntry {
  readonly original: ConntrackTuple;
  readonly reply: ConntrackTuple;
  readonly tcpState?: string;
  readonly timeout?: number;
  readonly assured: boolean;
  readonly unreplied: boolean;
  readonly mark: number;
  readonly zone: number;
  /** `zone-orig=`, `zone-reply=`: only that direction is in the zone. */
  readonly zoneDirection?: "original" | "reply";
  readonly helper?: string;
  readonly origin: Origin;
}
