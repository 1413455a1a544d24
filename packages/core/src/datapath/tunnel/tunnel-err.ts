import type { Device, IcmpHeader, Packet } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";

const UNREACHABLE = 3;
const PORT = 3;
const TOO_BIG = 4;
const SOURCE_ROUTE = 5;
const TIME_EXCEEDED = 11;

/**
 * An ICMP error came back for a tunnel's own packet. Follows ipip_err() and ipgre_err(): the tunnel to that far end remembers it, for half a
 * minute, and tells the senders of as many packets that their host cannot be reached (ip_tunnel_xmit()).
 */
export function tunnelErr(kernel: Kernel, { type, code, inner }: IcmpHeader): void {
  if (inner?.carried === undefined || inner.carried.tunnel === "vxlan") return;
  const device = kernel.stack.devices.items.find((d) => d.kind === inner.carried!.tunnel && isSender(d, inner));
  if (device === undefined || !counts(device, type, code)) return;
  kernel.tunnelErrors.set(device.name, (kernel.tunnelErrors.get(device.name) ?? 0) + 1);
}

/** ip_tunnel_lookup(), the other way round; a tunnel without a far end of its own (tunl0) counts none. */
const isSender = ({ tunnel }: Device, outer: Packet): boolean =>
  tunnel?.remote === outer.dst && (tunnel.local === undefined || tunnel.local === outer.src);

function counts({ kind, tunnel }: Device, type: number, code: number): boolean {
  if (type === TIME_EXCEEDED) return code === 0 && typeof tunnel?.ttl === "number" && tunnel.ttl > 0;
  if (type !== UNREACHABLE || code === TOO_BIG || code === SOURCE_ROUTE) return false;
  return kind !== "gre" || code !== PORT;
}

/** One of the errors that a tunnel remembers is handed on; false: there is none. */
export function takeTunnelError(kernel: Kernel, { name }: Device): boolean {
  const left = kernel.tunnelErrors.get(name) ?? 0;
  if (left > 0) kernel.tunnelErrors.set(name, left - 1);
  return left > 0;
}
