import { type Kernel, type Skb, sysctl } from "../../datapath/index.ts";
import { listenerFor } from "./transport.ts";

/** What a server's socket has from the packet it answers. */
export interface Accepted {
  readonly boundDevice?: string;
  readonly uid?: number;
  readonly mark: number;
  readonly tos: number;
}

/**
 * Follows inet_request_mark() and tcp_v4_send_synack(): a connection is marked and has the type of service as its SYN, where the stack
 * is told so; the device is that of the socket that listens.
 */
export function acceptedFrom(kernel: Kernel, syn: Skb): Accepted {
  const { tos } = syn.packet;
  const marks = syn.mark !== 0 && sysctl(kernel, "net.ipv4.tcp_fwmark_accept").value !== "0";
  const reflects = (tos & ~ECN) !== 0 && sysctl(kernel, "net.ipv4.tcp_reflect_tos").value !== "0";
  return {
    ...socketOf(kernel, syn),
    mark: marks ? syn.mark : 0,
    tos: reflects ? tos & ~ECN : 0,
  };
}

/** What whoever answers has of the socket that listens: its device and its owner. */
export function socketOf(kernel: Kernel, request: Skb): Pick<Accepted, "boundDevice" | "uid"> {
  const { device, uid } = listenerFor(kernel, request) ?? {};
  return { ...(device !== undefined && { boundDevice: device }), ...(uid !== undefined && { uid }) };
}

const ECN = 3;
