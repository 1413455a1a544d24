import {
  type Address,
  formatAddress,
  formatEndpoint,
  LOOPBACK4,
  LOOPBACK6,
  PROTO,
  protocolName,
} from "../../net/index.ts";
import type { QuestionSpec } from "../../trace/index.ts";
import { ownAddresses, type Side } from "../side.ts";

export interface ByAddress {
  readonly address: Address;
}
/** Somebody by the part played: each side has a node, pods of its own, and an outside. Or by an address. */
export type Who = "external" | "node" | "pod" | ByAddress;
/** `self`: the node's own address. `loopback`: 127.0.0.1 or ::1. */
export type Whom = "self" | "loopback" | "pod" | ByAddress;

/** One packet to try on both sides. */
export interface Flow {
  readonly from: Who;
  readonly to: Whom;
  readonly port: number;
  readonly protocol: number;
  readonly sport?: number;
  readonly in?: string;
  /** Absent: IPv4. */
  readonly family?: 6;
}

export const who = (w: Who | Whom): string => (typeof w === "string" ? w : formatAddress(w.address));

export const probeKey = (f: Flow): string =>
  `${who(f.from)} ${who(f.to)} ${f.port} ${f.protocol} ${f.sport ?? ""} ${f.in ?? ""} ${f.family ?? 4}`;

/** Smaller is easier to read and to send. */
export function burden(f: Flow): number {
  const from = f.from === "external" ? 0 : f.from === "pod" ? 1 : f.from === "node" ? 2 : 4;
  const protocol = f.protocol === PROTO.tcp ? 0 : 3;
  return (
    from + protocol + (f.in === undefined ? 0 : 8) + (f.sport === undefined ? 0 : 6) + (f.to === "loopback" ? 5 : 0)
  );
}

/** The question as it is put to one side; undefined where that side has nobody to play the part. */
export function specOf(flow: Flow, side: Side, pod: Address | undefined): QuestionSpec | undefined {
  const { node } = side;
  const self = ownAddresses(node, flow.family ?? 4)[0];
  const loopback = flow.family === 6 ? LOOPBACK6 : LOOPBACK4;
  const { to } = flow;
  const target = to === "self" ? self : to === "loopback" ? loopback : to === "pod" ? pod : to.address;
  const source = flow.from !== "pod" ? flow.from : pod === undefined ? undefined : { address: pod };
  if (target === undefined || source === undefined) return undefined;
  const outside = source === "external";
  const isPing = flow.protocol === PROTO.icmp || flow.protocol === PROTO.icmp6;
  return {
    from: source === "node" ? `node/${node.name}` : who(source),
    to: isPing ? formatAddress(target) : formatEndpoint(target, flow.port),
    proto: isPing ? "icmp" : protocolName(flow.protocol),
    ...(outside && { node: node.name }),
    ...(flow.in !== undefined && { in: flow.in, node: node.name }),
    ...(flow.sport !== undefined && { sport: flow.sport }),
  };
}
