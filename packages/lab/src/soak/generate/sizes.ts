import type { Link, Route } from "@hairpin/core/model/index.ts";
import type { Random } from "../random.ts";
import type { Host, Site } from "./site.ts";

/** Narrower than Ethernet's 1500, and no less than IPv6 wants. */
const NARROW = [1280, 1300, 1400, 1450];

/** How large a question is, as an IP packet: mostly as small as ever; else what just fits, what needs two fragments, or many. */
export function drawSize(random: Random, large = false): { readonly size?: number } {
  if (random.chance(0.65) && !large) return {};
  return { size: random.pick([600, 1281, 1400, 1401, 1451, 1500, 1501, 3000, 4100]) };
}

/** Data of a stream: what just fits one segment, or several of them. */
export function drawStreamSize(random: Random, large = false): { readonly size?: number } {
  if (random.chance(0.75) && !large) return {};
  return { size: random.pick([600, 1280, 1380, 1450, 1500, 3000, 6000]) };
}

/**
 * Paths that carry less than their ends think: narrow cards, a veth whose other end is narrower, routes with an MTU (locked or not) or an MSS of their own, hosts
 * that do not discover a path's MTU, tunnels that are as wide as what carries them.
 */
export function drawWidths(random: Random, site: Site, large = false): void {
  if (random.chance(0.4) && !large) return;
  for (let n = random.between(1, 3); n > 0; n--) {
    const host = random.pick(site.hosts);
    switch (random.weighted([3, "card"], [3, "port"], [1, "pod"], [3, "route"], [1.5, "blind"], [1, "tunnel"])) {
      case "card":
        narrowLan(site, random.pick(site.links), random.pick(NARROW));
        break;
      case "port": {
        if (site.pods.length === 0) break;
        const { node, port } = random.pick(site.pods);
        setMtu(node, port, random.pick(NARROW));
        break;
      }
      case "pod":
        if (site.pods.length > 0) setMtu(random.pick(site.pods).host, "eth0", random.pick(NARROW));
        break;
      case "route":
        drawMetrics(random, host);
        break;
      case "blind":
        host.sysctls["net.ipv4.ip_no_pmtu_disc"] = random.pick(["1", "1", "2", "3"]);
        break;
      case "tunnel":
        if (site.overlay !== undefined)
          for (const node of site.nodes) setMtu(node, site.overlay.device, widestOn(node, site.overlay.device));
        break;
    }
  }
  for (const host of site.hosts) narrowRoutes(host);
}

/** A route no wider than its device: what a card sends that is longer is its hardware's to say. */
function narrowRoutes(host: Host): void {
  const widthOf = (name: string | undefined): number => host.devices.find((d) => d.name === name)?.mtu ?? 1500;
  for (const [i, route] of host.routes.entries()) {
    if (route.mtu === undefined) continue;
    const mtu = Math.min(route.mtu, ...route.nexthops.map((hop) => widthOf(hop.device)));
    host.routes[i] = { ...route, mtu };
  }
}

/** All cards of a LAN: what a card takes that is longer than its own MTU is its hardware's to say. */
function narrowLan({ hosts }: Site, link: Link, mtu: number): void {
  if (link.type !== "l2") return;
  for (const end of link.ends) {
    const host = hosts.find((h) => h.name === end.stack)!;
    setMtu(host, end.device, mtu);
    for (const above of host.devices.filter((d) => d.lower === end.device))
      setMtu(host, above.name, Math.min(above.mtu ?? mtu, widestOn(host, above.name)));
  }
}

/** vxlan_change_mtu() and vlan_dev_change_mtu(): what stands on a device leaves room for its own headers. */
function widestOn(host: Host, name: string): number {
  const above = host.devices.find((d) => d.name === name);
  const lower = host.devices.find((d) => d.name === above?.lower)?.mtu ?? 1500;
  return above?.lower !== undefined && above.kind === "vxlan" ? lower - VXLAN_HEADROOM : lower;
}

const VXLAN_HEADROOM = 50;

function setMtu(host: Host, name: string, mtu: number): void {
  const at = host.devices.findIndex((d) => d.name === name);
  if (at >= 0) host.devices[at] = { ...host.devices[at]!, mtu };
}

function drawMetrics(random: Random, host: Host): void {
  const at = host.routes.findIndex((r) => r.type === "unicast" && random.chance(0.6));
  if (at < 0) return;
  const metrics = random.weighted<Partial<Route>>(
    [3, { mtu: random.pick(NARROW) }],
    [2, { mtu: random.pick(NARROW), locked: ["mtu"] }],
    [2, { advmss: random.pick([500, 1000, 1200]) }],
    [1, { extra: ["hoplimit 3"] }],
  );
  host.routes[at] = { ...host.routes[at]!, ...metrics };
}
