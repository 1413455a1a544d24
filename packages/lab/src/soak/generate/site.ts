import type { BridgeVlan, Device, FdbEntry, Link, LinkEnd, Neighbour, Route } from "@hairpin/core/model/index.ts";
import { TABLE_MAIN } from "@hairpin/core/model/index.ts";
import { type Address, formatAddress, hostPrefix, samePrefix } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { device, ip, net, origin, route, segment, veth } from "../records.ts";
import { drawOverlay, type Overlay, type OverlayKind } from "./overlay.ts";

/** A host of a site while it is being drawn up. */
export interface Host {
  readonly name: string;
  readonly kind: "node" | "pod" | "router" | "client";
  readonly node?: string;
  readonly devices: Device[];
  readonly routes: Route[];
  readonly neighbours: Neighbour[];
  readonly fdb: FdbEntry[];
  readonly bridgeVlans: BridgeVlan[];
  readonly sysctls: Record<string, string>;
}

export interface Pod {
  readonly host: Host;
  readonly node: Host;
  readonly address: Address;
  /** The node's side: a veth, or the port of a bridge. */
  readonly port: string;
  readonly bridge?: string;
}

export interface Site {
  readonly hosts: Host[];
  readonly nodes: readonly Host[];
  readonly pods: readonly Pod[];
  readonly clients: readonly Host[];
  readonly router: Host | undefined;
  readonly overlay: Overlay | undefined;
  readonly links: Link[];
  /** Virtual addresses, by node, that stand on a device. */
  readonly vips: Map<string, readonly Address[]>;
}

const DEFAULT = net("0.0.0.0/0");

/** Devices by which a host is on a LAN: cards, and VLANs of them. */
export const isCard = (d: Device): boolean => d.kind === "ethernet" || d.kind === "vlan";

/** What the kernel that is asked can make, and how much of it. */
export interface SiteOptions {
  /** Fewer stacks. */
  readonly small?: boolean;
  /** IPIP, GRE and VLAN devices, which many kernels have as modules. */
  readonly modules?: boolean;
}

class Drawing {
  readonly hosts: Host[] = [];
  readonly links: Link[] = [];
  readonly segments = new Map<string, LinkEnd[]>();

  host(name: string, kind: Host["kind"], node?: string): Host {
    const placed = node === undefined ? {} : { node };
    const made: Host = {
      name,
      kind,
      ...placed,
      devices: [],
      routes: [],
      neighbours: [],
      fdb: [],
      bridgeVlans: [],
      sysctls: {},
    };
    this.hosts.push(made);
    return made;
  }

  mac(host: Host): string {
    const hex = (n: number) => n.toString(16).padStart(2, "0");
    return `02:50:00:${hex(this.hosts.indexOf(host) + 1)}:00:${hex(host.devices.length + 1)}`;
  }

  card(host: Host, name: string, lan: string, addresses: readonly string[]): void {
    host.devices.push(device(name, "ethernet", this.mac(host), addresses));
    const ends = this.segments.get(lan) ?? [];
    ends.push({ stack: host.name, device: name });
    this.segments.set(lan, ends);
  }

  /** The card's VLAN `id`: its frames travel tagged on the LAN of the card below. */
  vlan(host: Host, below: string, id: number, addresses: readonly string[], name = `${below}.${id}`): void {
    const { mac } = host.devices.find((d) => d.name === below)!;
    const vlan = { id, protocol: "802.1Q" } as const;
    host.devices.push(device(name, "vlan", mac, addresses, { lower: below, vlan }));
  }

  cable(a: Host, aName: string, b: Host, bName: string): void {
    this.links.push(veth({ stack: a.name, device: aName }, { stack: b.name, device: bName }));
  }
}

/** Topologies: one or two nodes with one to three cards, pods behind veths or a bridge, a router, somebody outside. */
export function drawSite(random: Random, { small = false, modules = false }: SiteOptions = {}): Site {
  const d = new Drawing();
  const extra = random.fork("tunnels and VLANs");
  const count = random.weighted([modules ? 1 : 2, 1], [2, 2]);
  // All LANs but the first are VLANs of it.
  const trunk = modules && extra.chance(0.4);
  const nodes: Host[] = [];
  const withRouter = random.chance(0.7);
  const cards = random.weighted([3, 1], [3, 2], [1, 3]);
  for (let n = 1; n <= count; n++) nodes.push(drawNode(d, random, n, cards, trunk));
  const router = withRouter ? drawRouter(d, random, cards, trunk) : undefined;
  const clients: Host[] = [];
  if (router !== undefined && random.chance(0.8)) {
    const ext = d.host("ext", "client");
    d.card(ext, "eth0", "out", ["203.0.113.9/24"]);
    ext.routes.push(route(TABLE_MAIN, DEFAULT, [{ gateway: ip("203.0.113.1"), device: "eth0" }]));
    clients.push(ext);
  }
  if (clients.length === 0 || random.chance(0.35)) {
    const near = d.host("near", "client");
    d.card(near, "eth0", "lan0", ["10.0.0.50/24"]);
    const via = router !== undefined && random.chance(0.5) ? "10.0.0.254" : "10.0.0.1";
    near.routes.push(route(TABLE_MAIN, DEFAULT, [{ gateway: ip(via), device: "eth0" }]));
    clients.push(near);
  }
  const pods = nodes.flatMap((node, i) => drawPods(d, random, node, i + 1, small));
  if (modules) for (const node of nodes) drawBridgeVlans(extra.fork(`VLANs of ${node.name}`), node);
  const kinds: readonly OverlayKind[] = modules ? ["vxlan", "ipip", "gre"] : ["vxlan"];
  const overlay = drawOverlay(extra.fork("overlay"), nodes, kinds, (host) => d.mac(host));
  if (overlay !== undefined)
    for (const x of d.hosts.filter((h) => h.kind === "pod")) narrow(x, nodes[0]!, overlay.device);
  routeBetween(random, nodes, router);
  if (router !== undefined) routeInwards(random, nodes, router);
  const vips = new Map<string, readonly Address[]>();
  for (const node of nodes) if (random.chance(0.4)) vips.set(node.name, drawVips(d, random, node));
  for (const [name, ends] of d.segments) d.links.push(segment(name, ends));
  return { hosts: d.hosts, nodes, pods, clients, router, overlay, links: d.links, vips };
}

/** A CNI gives pods the MTU of its tunnel. */
function narrow(pod: Host, node: Host, tunnel: string): void {
  const { mtu } = node.devices.find((x) => x.name === tunnel)!;
  if (mtu !== undefined) pod.devices.splice(0, pod.devices.length, ...pod.devices.map((x) => ({ ...x, mtu })));
}

/** A foreign tag now and then: the host is on another LAN than the rest. */
const tagOf = (random: Random, c: number): number => (random.chance(0.04) ? c * 10 + 1 : c * 10);

function drawNode(d: Drawing, random: Random, n: number, cards: number, trunk: boolean): Host {
  const node = d.host(`n${n}`, "node");
  const first = [`10.0.0.${n}/24`];
  if (random.chance(0.15)) first.push(`10.0.0.${n + 100}/24`);
  d.card(node, "eth0", "lan0", first);
  for (let c = 1; c < cards; c++) {
    const bare = random.chance(0.2);
    const addresses = bare ? [] : [`10.${c}.0.${n}/24`];
    if (!bare && random.chance(0.1)) addresses.push(`10.${c}.0.${n + 100}/24`);
    if (trunk) d.vlan(node, "eth0", tagOf(random, c), addresses, `eth0.${c * 10}`);
    else d.card(node, `eth${c}`, `lan${c}`, addresses);
  }
  return node;
}

function drawRouter(d: Drawing, random: Random, cards: number, trunk: boolean): Host {
  const router = d.host("gw", "router");
  for (let c = 0; c < cards; c++) {
    const own = [`10.${c}.0.254/24`];
    if (trunk && c > 0) d.vlan(router, "eth0", c * 10, own);
    else d.card(router, `eth${c}`, `lan${c}`, own);
  }
  d.card(router, "out0", "out", ["203.0.113.1/24"]);
  router.sysctls["net.ipv4.ip_forward"] = "1";
  if (random.chance(0.15)) router.sysctls["net.ipv4.conf.all.rp_filter"] = "1";
  return router;
}

function drawPods(d: Drawing, random: Random, node: Host, n: number, small: boolean): Pod[] {
  const count = random.weighted([2, 1], [3, 2], [small ? 0 : 1, 3]);
  const style = random.weighted([3, "routed"], [3, "bridge"], [1, "ptp"]);
  const pods: Pod[] = [];
  if (style === "bridge") node.devices.push(device("cni0", "bridge", d.mac(node), [`10.244.${n}.1/24`]));
  for (let p = 2; p < 2 + count; p++) {
    const address = `10.244.${n}.${p}`;
    const host = d.host(`p${n}${p}`, "pod", node.name);
    const port = `v${p}`;
    const main = (to: string, gateway: string | undefined, dev: string) =>
      route(TABLE_MAIN, net(to), [{ device: dev, ...(gateway === undefined ? {} : { gateway: ip(gateway) }) }]);
    if (style === "bridge") {
      const hairpin = random.chance(0.5);
      const isolated = random.chance(0.05);
      node.devices.push(device(port, "veth", d.mac(node), [], { master: "cni0", port: { hairpin, isolated } }));
      host.devices.push(device("eth0", "veth", d.mac(host), [`${address}/24`]));
      host.routes.push(main("0.0.0.0/0", `10.244.${n}.1`, "eth0"));
    } else if (style === "routed") {
      node.devices.push(device(port, "veth", d.mac(node)));
      node.sysctls[`net.ipv4.conf.${port}.proxy_arp`] = "1";
      node.routes.push(main(`${address}/32`, undefined, port));
      host.devices.push(device("eth0", "veth", d.mac(host), [`${address}/32`]));
      host.routes.push(main("169.254.1.1/32", undefined, "eth0"), main("0.0.0.0/0", "169.254.1.1", "eth0"));
    } else {
      node.devices.push(device(port, "veth", d.mac(node), [`10.244.${n}.1/32`]));
      node.routes.push(
        route(TABLE_MAIN, hostPrefix(ip(address)), [{ device: port }], { prefSrc: ip(`10.244.${n}.1`) }),
      );
      host.devices.push(device("eth0", "veth", d.mac(host), [`${address}/24`]));
      host.routes.push(main("0.0.0.0/0", `10.244.${n}.1`, "eth0"));
    }
    d.cable(node, port, host, "eth0");
    pods.push({ host, node, address: ip(address), port, ...(style === "bridge" ? { bridge: "cni0" } : {}) });
  }
  return pods;
}

/** A bridge that filters by VLAN: mostly all are in one, now and then a port or the bridge itself is in another, or tagged, or in none. */
function drawBridgeVlans(random: Random, node: Host): void {
  const at = node.devices.findIndex((x) => x.kind === "bridge");
  if (at < 0 || random.chance(0.6)) return;
  node.devices[at] = { ...node.devices[at]!, bridge: { vlanFiltering: true } };
  for (const { name, master, kind } of node.devices) {
    if (kind !== "bridge" && master !== node.devices[at]!.name) continue;
    const id = random.weighted([8, 1], [1, 2], [0.5, undefined]);
    if (id === undefined) continue;
    const [pvid, untagged] = random.weighted([9, [true, true]], [0.5, [false, true]], [0.5, [true, false]]);
    node.bridgeVlans.push({ device: name, from: id, to: id, pvid: pvid!, untagged: untagged!, origin });
  }
}

const addressOn = (host: Host, name: string): Address | undefined =>
  host.devices.find((x) => x.name === name)?.addresses[0]?.prefix.address;

/** Each node's way to the others' pods, and out. */
function routeBetween(random: Random, nodes: readonly Host[], router: Host | undefined): void {
  for (const [i, node] of nodes.entries()) {
    for (const [j, other] of nodes.entries()) {
      const tunnelled = node.routes.some((r) => samePrefix(r.destination, net(`10.244.${j + 1}.0/24`)));
      if (i === j || tunnelled || random.chance(0.05)) continue;
      const cards = other.devices.filter(
        (x) => isCard(x) && x.addresses.length > 0 && addressOn(node, x.name) !== undefined,
      );
      const card = random.chance(0.8) ? cards[0]! : random.pick(cards);
      const hop = { gateway: addressOn(other, card.name)!, device: card.name };
      node.routes.push(route(TABLE_MAIN, net(`10.244.${j + 1}.0/24`), [hop]));
    }
    if (router === undefined) {
      if (random.chance(0.4))
        node.routes.push(route(TABLE_MAIN, DEFAULT, [{ gateway: ip("10.0.0.50"), device: "eth0" }]));
      continue;
    }
    const cards = node.devices.filter((x) => isCard(x) && x.addresses.length > 0);
    const card = random.chance(0.75) ? cards[0]! : random.pick(cards);
    const hop = (name: string) => ({ gateway: addressOn(router, name)!, device: name });
    const several = cards.length > 1 && random.chance(0.08);
    const hops = several ? cards.slice(0, 2).map((c) => hop(c.name)) : [hop(card.name)];
    node.routes.push(route(TABLE_MAIN, DEFAULT, hops));
  }
}

/** The router's ways to pods, to Service addresses and to a load balancer's. */
function routeInwards(random: Random, nodes: readonly Host[], router: Host): void {
  const hop = (node: Host) => {
    const cards = node.devices.filter((x) => isCard(x) && x.addresses.length > 0);
    const card = random.chance(0.7) ? cards[0]! : random.pick(cards);
    return { gateway: addressOn(node, card.name)!, device: card.name };
  };
  for (const [i, node] of nodes.entries()) {
    if (random.chance(0.8)) router.routes.push(route(TABLE_MAIN, net(`10.244.${i + 1}.0/24`), [hop(node)]));
  }
  if (random.chance(0.7)) router.routes.push(route(TABLE_MAIN, net("10.96.0.0/16"), [hop(random.pick(nodes))]));
  if (random.chance(0.7)) router.routes.push(route(TABLE_MAIN, net("198.51.100.0/24"), [hop(random.pick(nodes))]));
}

/** Service addresses on a device that is down, or on lo. */
function drawVips(d: Drawing, random: Random, node: Host): readonly Address[] {
  const all = ["10.96.0.1", "10.96.0.2", "198.51.100.1", "198.51.100.2"].map(ip);
  const some = random.some(all, 0.5);
  if (some.length === 0) return [];
  const shown = some.map((a) => `${formatAddress(a)}/32`);
  if (random.chance(0.7)) {
    node.devices.push(device("kube-ipvs0", "dummy", d.mac(node), shown, { up: false, carrier: false }));
  } else {
    node.devices.unshift(device("lo", "loopback", undefined, ["127.0.0.1/8", ...shown]));
  }
  return some;
}
