import { type Device, TABLE_MAIN, type TunnelParameters } from "@hairpin/core/model/index.ts";
import type { Address, Mac } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { device, ip, net, origin, route } from "../records.ts";
import type { Host } from "./site.ts";

export type OverlayKind = "vxlan" | "ipip" | "gre";

/** A tunnel between the nodes, by which their pods reach each other. */
export interface Overlay {
  readonly kind: OverlayKind;
  readonly device: string;
  /** UDP port of a VXLAN. */
  readonly port?: number;
}

const isAddressed = (d: Device): boolean => (d.kind === "ethernet" || d.kind === "vlan") && d.addresses.length > 0;
const podNet = (n: number) => net(`10.244.${n}.0/24`);
const ownOn = (host: Host, name: string): Address =>
  host.devices.find((d) => d.name === name)!.addresses[0]!.prefix.address;

/**
 * flannel's or Calico's tunnel on each of two nodes or more: mostly as they write it, now and then with what is forgotten or
 * stale. Undefined: the nodes route to each other's pods without one.
 */
export function drawOverlay(
  random: Random,
  nodes: readonly Host[],
  kinds: readonly OverlayKind[],
  macFor: (host: Host) => Mac,
): Overlay | undefined {
  if (nodes.length < 2 || random.chance(0.35)) return undefined;
  const kind = random.pick(kinds);
  const shared = nodes[0]!.devices.filter(
    (d) => isAddressed(d) && nodes.every((n) => n.devices.some((x) => x.name === d.name && isAddressed(x))),
  );
  const under = random.chance(0.75) ? shared[0]! : random.pick(shared);
  return kind === "vxlan"
    ? drawVxlan(random, nodes, under.name, macFor)
    : drawIpTunnel(random, nodes, under.name, kind);
}

function drawVxlan(random: Random, nodes: readonly Host[], under: string, macFor: (host: Host) => Mac): Overlay {
  const [name, id, port] = random.pick([["flannel.1", 1, 8472] as const, ["vxlan.calico", 4096, 4789] as const]);
  // One far end for everything, as a device made with `remote` has it, or one for each MAC.
  const single = nodes.length === 2 && random.chance(0.25);
  const ends = nodes.map((node, i) => {
    const n = i + 1;
    const far = nodes[1 - i]!;
    const tunnel: TunnelParameters = {
      id: random.chance(0.04) ? id + 1 : id,
      port: random.chance(0.03) ? (port === 8472 ? 4789 : 8472) : port,
      learning: random.chance(0.15),
      udpChecksum: false,
      ...(random.chance(0.85) ? { local: ownOn(node, under) } : {}),
      ...(single ? { remote: ownOn(far, under) } : {}),
      ...(random.chance(0.1) ? { ttl: random.pick([1, 5, 200]) } : {}),
    };
    const made = device(name, "vxlan", macFor(node), [`10.244.${n}.0/32`], {
      mtu: 1450,
      tunnel,
      ...(random.chance(0.8) ? { lower: under } : {}),
      ...(random.chance(0.03) ? { up: false, carrier: false } : {}),
    });
    node.devices.push(made);
    return { node, made };
  });
  for (const [i, { node, made }] of ends.entries()) {
    for (const [j, far] of ends.entries()) {
      if (i === j) continue;
      const address = ip(`10.244.${j + 1}.0`);
      const mac = random.chance(0.03) ? "02:50:00:ff:ff:01" : far.made.mac!;
      // Without an entry a device with `remote` would ask through the tunnel.
      if (single || random.chance(0.96)) {
        const states = ["PERMANENT"];
        node.neighbours.push({ address, device: name, mac, states, router: false, proxy: false, origin });
      }
      if (!single && random.chance(0.96)) {
        const destination = random.chance(0.03) ? ip("10.0.0.77") : ownOn(far.node, under);
        const flags = ["self", "permanent"];
        node.fdb.push({ mac: far.made.mac!, device: name, destination, flags, origin });
      }
      if (made.up === false || random.chance(0.06)) continue;
      const hop = { gateway: address, device: name, flags: ["onlink"] };
      node.routes.push(route(TABLE_MAIN, podNet(j + 1), [hop]));
    }
  }
  return { kind: "vxlan", device: name, port };
}

/** IPIP as Calico has it (the next hop is the far end) or with a far end of its own; GRE always with one. */
function drawIpTunnel(random: Random, nodes: readonly Host[], under: string, kind: "ipip" | "gre"): Overlay {
  const open = kind === "ipip" && random.chance(0.6);
  const name = open ? "tunl0" : `${kind}1`;
  const keys = random.fork("keys");
  const keyed = kind === "gre" && keys.chance(0.4);
  for (const [i, node] of nodes.entries()) {
    const far = nodes[i === 0 ? 1 : 0]!;
    const tunnel: TunnelParameters = open
      ? {}
      : {
          remote: random.chance(0.04) ? ip("10.0.0.77") : ownOn(far, under),
          local: ownOn(node, under),
          ...(random.chance(0.15) ? { ttl: random.pick([1, 5, 200]) } : {}),
          ...(keyed ? { inputKey: keys.chance(0.1) ? 8 : 7, outputKey: 7 } : {}),
        };
    const down = random.chance(0.03) ? { up: false, carrier: false } : {};
    const own = [`10.244.${i + 1}.0/32`];
    node.devices.push(device(name, kind, undefined, own, { mtu: kind === "gre" ? 1476 : 1480, tunnel, ...down }));
    for (const [j, there] of nodes.entries()) {
      if (i === j || down.up === false || random.chance(0.06)) continue;
      const hop = open ? { gateway: ownOn(there, under), device: name, flags: ["onlink"] } : { device: name };
      node.routes.push(route(TABLE_MAIN, podNet(j + 1), [hop]));
    }
  }
  return { kind, device: name };
}
