import { type Kernel, type OwnerId, type Skb, sysctl } from "../../datapath/index.ts";
import { hasPorts, isIpv4, isLinkLocal } from "../../net/index.ts";
import { listenerFor } from "./transport.ts";

/** What a server's socket has from the packet it answers. */
export interface Accepted {
  readonly boundDevice?: string;
  readonly uid?: OwnerId;
  readonly gid?: OwnerId;
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

/**
 * What whoever answers has of the socket that listens: its device and its owner. Nothing but `ss -e` shows that one, and nothing its group;
 * a server stated in case.yaml is root's.
 */
export function socketOf(kernel: Kernel, request: Skb): Pick<Accepted, "boundDevice" | "uid" | "gid"> {
  // icmp_reply() routes as root.
  if (!hasPorts(request.packet.protocol)) return {};
  const { device, uid = "unknown", stated } = listenerFor(kernel, request) ?? {};
  return {
    ...(device !== undefined && { boundDevice: device }),
    ...(stated === undefined && { uid, ...(uid !== 0 && { gid: "unknown" }) }),
  };
}

const ECN = 3;

/** A SYN opens a connection: it has a socket of its own from now on. */
export function accept(kernel: Kernel, syn: Skb): void {
  const { protocol, src, sport, dst, dport } = syn.packet;
  const transparent = syn.handedTo === undefined ? listenerFor(kernel, syn)?.transparent : true;
  kernel.sockets.push({ protocol, local: dst, localPort: dport, remote: src, remotePort: sport, transparent });
}

/** A link-local address is answered where it was heard. */
export const heardOn = ({ packet, dev }: Skb, sender: Accepted): Accepted =>
  !isIpv4(packet.src) && isLinkLocal(packet.src) && dev !== undefined ? { ...sender, boundDevice: dev.name } : sender;

export const bindingOf = ({
  boundDevice,
}: {
  readonly boundDevice?: string | undefined;
}): Pick<Accepted, "boundDevice"> => (boundDevice === undefined ? {} : { boundDevice });
