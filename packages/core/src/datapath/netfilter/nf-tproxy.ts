import { type Device, listsAll, type Packet, portKey } from "../../model/index.ts";
import { type Address, isIpv4, isUnspecified } from "../../net/index.ts";
import type { ConnectedSocket, Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";

/** Where a rule of TPROXY sends: without an address to the first of the device, without a port to that of the packet. */
export interface TproxyPlace {
  readonly address?: Address | undefined;
  readonly port?: number | undefined;
}

/** __inet_lookup_established(): the connection that a packet belongs to, in the stack it has come to. */
export const connectionOf = ({ sockets }: Kernel, p: Packet): ConnectedSocket | undefined =>
  sockets.find(
    (s) =>
      s.protocol === p.protocol &&
      s.local === p.dst &&
      s.remote === p.src &&
      portKey(s.localPort) === portKey(p.dport) &&
      portKey(s.remotePort) === portKey(p.sport),
  );

/**
 * Follows tproxy_tg4() and nft_tproxy_eval_v4(): the connection that the packet belongs to, else whoever listens where the rule
 * says; it takes the packet if it is transparent. False: nobody does.
 */
export function assignSocket(kernel: Kernel, skb: Skb, device: Device | undefined, place: TproxyPlace): boolean {
  const { packet } = skb;
  const known = connectionOf(kernel, packet);
  const port = place.port ?? (typeof packet.dport === "number" ? packet.dport : 0);
  const taken =
    known === undefined
      ? listensTransparently(kernel, packet, device, place.address ?? firstAddress(device, packet), port)
      : (known.transparent ?? isTransparent(kernel, port));
  if (taken) skb.handedTo = port;
  return taken;
}

/** nf_tproxy_laddr4() and nf_tproxy_laddr6(). */
const firstAddress = (device: Device | undefined, { dst }: Packet): Address =>
  device?.addresses.find((a) => isIpv4(a.prefix.address) === isIpv4(dst) && !a.flags.includes("secondary"))?.prefix
    .address ?? dst;

function listensTransparently(
  kernel: Kernel,
  { protocol, dst }: Packet,
  device: Device | undefined,
  address: Address,
  port: number,
): boolean {
  const { stack, oracle } = kernel;
  const found = stack.listeners.items.find(
    (l) =>
      l.protocol === protocol &&
      l.port === port &&
      (isIpv4(dst) ? l.v6only : l.v4only) === undefined &&
      (l.address === undefined || isUnspecified(l.address) || l.address === address) &&
      (l.device === undefined || l.device === device?.name),
  );
  if (found !== undefined) return found.transparent ?? isTransparent(kernel, port);
  if (listsAll(stack.listeners, protocol)) return false;
  return oracle.rests({ kind: "listener", stack: stack.name, address, protocol, port });
}

/** Whoever listens where TPROXY sends is taken to have asked for it. */
const isTransparent = ({ name: stack, oracle }: Kernel, port: number): boolean =>
  oracle.rests({ kind: "transparent", stack, port });
