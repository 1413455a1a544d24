import { type Kernel, portInRange, type Skb } from "../../datapath/index.ts";
import { type FabricDeny, type Packet, portKey } from "../../model/index.ts";
import { type Address, addressKey, contains, hasPorts, parsePrefix } from "../../net/index.ts";

/** Addresses, ports and protocol of a packet, or of what would answer it. */
export function tupleKey(p: Packet, way: "forth" | "back"): string {
  const from = `${addressKey(p.src)} ${portKey(p.sport)}`;
  const to = `${addressKey(p.dst)} ${portKey(p.dport)}`;
  return way === "forth" ? `${p.protocol} ${from} > ${to}` : `${p.protocol} ${to} > ${from}`;
}

export function withoutMacs(skb: Skb): Skb {
  skb.sourceMac = undefined;
  skb.destinationMac = undefined;
  skb.vlan = undefined;
  return skb;
}

export function denies(kernel: Kernel, d: FabricDeny, p: Packet): boolean {
  if (d.from !== undefined && !within(d.from, p.src)) return false;
  if (d.to !== undefined && !within(d.to, p.dst)) return false;
  if (d.protocol !== undefined && d.protocol !== p.protocol) return false;
  const ports = d.ports ?? (d.port === undefined ? undefined : { from: d.port, to: d.port });
  return ports === undefined || (hasPorts(p.protocol) && portInRange(kernel, p.dport, ports));
}

function within(text: string, address: Address): boolean {
  const prefix = parsePrefix(text);
  return prefix !== undefined && contains(prefix, address);
}

/** RFC 1918 and the shared range of RFC 6598: where clusters put their Services. */
export const isPrivate = (a: Address): boolean =>
  ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"].some((p) => within(p, a));
