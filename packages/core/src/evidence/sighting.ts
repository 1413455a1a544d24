import {
  type ObservedDirection,
  type ObservedIp,
  type ObservedPacket,
  type ObservedPlace,
  type ObservedTime,
  type ReadOrigin,
  TCP,
} from "../model/index.ts";
import { PROTO } from "../net/index.ts";
import { endText } from "./endpoint-text.ts";

/** What part a packet plays in its connection. */
export type Role =
  | "syn"
  | "syn-ack"
  | "ack"
  | "data"
  | "fin"
  | "rst"
  | "echo-request"
  | "echo-reply"
  | "datagram"
  | "icmp-error";

/** A packet seen at a place, as often as it was seen there alike. */
export interface Sighting {
  readonly role: Role;
  readonly ip: ObservedIp;
  readonly place: ObservedPlace;
  readonly device?: string;
  readonly direction?: ObservedDirection;
  readonly srcMac?: string;
  readonly vlans?: readonly number[];
  /** The tunnel it was seen in. */
  readonly tunnel?: string;
  readonly time?: ObservedTime;
  readonly lastTime?: ObservedTime;
  readonly times: number;
  readonly origin: ReadOrigin;
  /** Its number among all packets of the case. */
  readonly index: number;
}

/** The innermost packet, and the tunnels around it. */
export function innermost(packet: ObservedPacket): { readonly ip: ObservedIp; readonly tunnel?: string } | undefined {
  let ip = packet.ip;
  let tunnel: string | undefined;
  for (let depth = 0; depth < 4 && ip?.inner?.ip !== undefined; depth++) {
    const kind = ip.tunnel?.kind ?? "tunnel";
    const vni = ip.tunnel?.vni === undefined ? "" : ` ${ip.tunnel.vni}`;
    tunnel = `${kind}${vni} ${endText(ip.src, undefined)} > ${endText(ip.dst, undefined)}`;
    ip = ip.inner.ip;
  }
  if (ip === undefined) return undefined;
  return { ip, ...(tunnel === undefined ? {} : { tunnel }) };
}

export function roleOf(ip: ObservedIp): Role {
  if (ip.icmp !== undefined) {
    const { type } = ip.icmp;
    if (type === 8 || type === 128) return "echo-request";
    if ((type === 0 && ip.protocol === PROTO.icmp) || type === 129) return "echo-reply";
    return ip.icmp.inner === undefined ? "datagram" : "icmp-error";
  }
  if (ip.protocol !== PROTO.tcp || ip.tcp?.flags === undefined) return "datagram";
  const { flags } = ip.tcp;
  if ((flags & TCP.RST) !== 0) return "rst";
  if ((flags & TCP.SYN) !== 0) return (flags & TCP.ACK) !== 0 ? "syn-ack" : "syn";
  if ((flags & TCP.FIN) !== 0) return "fin";
  return (ip.payload ?? 0) > 0 ? "data" : "ack";
}
