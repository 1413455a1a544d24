import { type Device, type Ipvs, KUBE_IPVS0, type Origin } from "../../model/index.ts";
import { type Address, type Family, familyOf, isLinkLocal, isLoopback } from "../../net/index.ts";

/** The default of kube-apiserver's --service-node-port-range. */
export const NODE_PORTS = { from: 30000, to: 32767 } as const;
export const isNodePort = (port: number): boolean => port >= NODE_PORTS.from && port <= NODE_PORTS.to;

/** An address and port that IPVS serves. */
export interface Served {
  readonly protocol: number;
  readonly address: Address;
  readonly port: number;
  readonly origin: Origin;
}

export const servedBy = (ipvs: Ipvs): readonly Served[] =>
  ipvs.services.flatMap(({ key, origin }) =>
    key.kind === "address" ? [{ protocol: key.protocol, address: key.address, port: key.port, origin }] : [],
  );

/**
 * Splits what IPVS serves into Service addresses and node ports. A node's own address carries node ports only; where the
 * node's addresses were not shown, that is what tells it.
 */
export function splitServed(
  served: readonly Served[],
  devices: readonly Device[],
): { readonly services: readonly Served[]; readonly nodePorts: readonly Served[] } {
  const own = new Set<Address>();
  const known = new Set<Family>();
  for (const d of devices) {
    if (d.name === KUBE_IPVS0 || d.kind === "loopback") continue;
    for (const a of d.addresses) own.add(a.prefix.address);
    for (const a of d.addresses) if (!isLinkLocal(a.prefix.address)) known.add(familyOf(a.prefix.address));
  }
  const ports = new Map<Address, boolean>();
  for (const s of served) ports.set(s.address, (ports.get(s.address) ?? true) && isNodePort(s.port));
  const isNode = (s: Served): boolean =>
    isLoopback(s.address) || own.has(s.address) || (!known.has(familyOf(s.address)) && ports.get(s.address) === true);
  return { services: served.filter((s) => !isNode(s)), nodePorts: served.filter(isNode) };
}

export const hasAddress = (device: Device, address: Address): boolean =>
  device.addresses.some((a) => a.prefix.address === address);
