import {
  type Device,
  type KubernetesNode,
  type Packet,
  type Stack,
  TABLE_MAIN,
  type World,
} from "../../model/index.ts";
import { type Address, contains, isIpv4, type Mac, PROTO, parsePrefix } from "../../net/index.ts";
import { ownerOf } from "./owners.ts";

/** Cards that the underlay reaches, in this order of preference: the tunnel's own choice, the default route's, the first. */
export function underlayAddress(stack: Stack, tunnel?: Device): Address | undefined {
  const { items } = stack.devices;
  if (tunnel?.tunnel?.local !== undefined) return tunnel.tunnel.local;
  const main = stack.routeTables.find((t) => t.id === TABLE_MAIN && t.family === 4)?.routes ?? [];
  const out = main.find((r) => r.destination.length === 0)?.nexthops[0]?.device;
  const cards = items.filter((d) => CARDS.has(d.kind));
  const chosen =
    items.find((d) => d.name === tunnel?.lower) ??
    cards.find((d) => d.name === out) ??
    cards.find((d) => d.kind !== "veth" && d.master === undefined && d.addresses.length > 0);
  return chosen?.addresses.find((a) => isIpv4(a.prefix.address))?.prefix.address;
}

const CARDS: ReadonlySet<Device["kind"]> = new Set<Device["kind"]>([
  "ethernet",
  "unknown",
  "bond",
  "team",
  "vlan",
  "bridge",
  "veth",
]);

/**
 * The far end of a tunnel by whom it leads to: the stack whose like device has the next hop's address, the node that has
 * the destination, or the Node object whose pods it belongs to. What flanneld or felix would have written, had it been shown.
 */
export function farEndOf(
  world: World,
  from: Stack,
  device: Device,
  nextHop: Address,
  destination: Address,
): Address | undefined {
  const others = world.stacks.filter((s) => s !== from && s.assumed === undefined);
  const like = (s: Stack) => s.devices.items.find((d) => d.kind === device.kind && d.name === device.name);
  for (const s of others) {
    const tunnel = s.devices.items.find(
      (d) => d.kind === device.kind && d.addresses.some((a) => a.prefix.address === nextHop),
    );
    const address = tunnel === undefined ? undefined : underlayAddress(s, tunnel);
    if (address !== undefined) return address;
  }
  const node = nodeOf(world, nextHop, destination);
  const known = node?.flannel?.publicAddress ?? node?.calico?.address?.address ?? node?.addresses.find(isIpv4);
  if (known !== undefined && !(node?.name === from.name)) return known;
  const owner = ownerOf(world, destination);
  const host = owner === undefined ? undefined : others.find((s) => s.name === (owner.stack.node ?? owner.stack.name));
  return host === undefined ? undefined : underlayAddress(host, like(host));
}

function nodeOf(world: World, nextHop: Address, destination: Address): KubernetesNode | undefined {
  const { nodes, pods } = world.kubernetes;
  const byTunnel = nodes.find((n) =>
    [n.calico?.vxlanTunnelAddress, n.calico?.ipipTunnelAddress].some((a) => a !== undefined && a === nextHop),
  );
  const inCidr = (n: KubernetesNode, a: Address): boolean =>
    n.podCidrs.some((text) => {
      const prefix = parsePrefix(text);
      return prefix !== undefined && contains(prefix, a);
    });
  const pod = pods.find((p) => !p.hostNetwork && p.addresses.some((a) => a === destination));
  return (
    byTunnel ??
    nodes.find((n) => pod?.nodeName !== undefined && n.name === pod.nodeName) ??
    nodes.find((n) => inCidr(n, nextHop)) ??
    nodes.find((n) => inCidr(n, destination))
  );
}

/**
 * The MAC behind a next hop on a VXLAN device, as flanneld or felix would have told the kernel: that of the stack that has the
 * address, that of the Node's annotation, or the only one the forwarding table knows.
 */
export function vtepMacOf(
  world: World,
  from: Stack,
  device: Device,
  nextHop: Address,
  destination: Address,
): Mac | undefined {
  const far = world.stacks
    .filter((s) => s !== from)
    .flatMap((s) => s.devices.items)
    .find((d) => d.kind === "vxlan" && d.addresses.some((a) => a.prefix.address === nextHop));
  if (far?.mac !== undefined) return far.mac;
  const node = nodeOf(world, nextHop, destination);
  if (node?.flannel?.vtepMac !== undefined && node.name !== from.name) return node.flannel.vtepMac;
  const macs = new Set(
    from.fdb.items.filter((e) => e.device === device.name && e.destination !== undefined).map((e) => e.mac),
  );
  const [only] = macs;
  return macs.size === 1 && only !== "00:00:00:00:00:00" ? only : undefined;
}

/** Ports by which tunnels that are not walked inside go over the underlay: flannel's udp back end, WireGuard, Geneve. */
const CARRIED_OVER: Readonly<Partial<Record<Device["kind"], number>>> = { tun: 8285, wireguard: 51820, geneve: 6081 };

/** What a firewall of the underlay sees of a packet in such a tunnel; undefined: nothing is known of it. */
export function outerObserved(
  world: World,
  from: Stack,
  device: Device,
  packet: Packet,
  nextHop: Address,
): Packet | undefined {
  const port = device.tunnel?.port ?? CARRIED_OVER[device.kind];
  const src = underlayAddress(from, device);
  const dst = farEndOf(world, from, device, nextHop, packet.dst);
  if (port === undefined || src === undefined || dst === undefined) return undefined;
  const { icmp: _, ...rest } = packet;
  return { ...rest, src, dst, protocol: PROTO.udp, sport: port, dport: port, tcpFlags: 0 };
}
