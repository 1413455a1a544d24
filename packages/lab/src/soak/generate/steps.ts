import type { Stack } from "@hairpin/core/model/index.ts";
import { type Packet, TABLE_MAIN, TCP } from "@hairpin/core/model/index.ts";
import { type Address, hostPrefix, PROTO } from "@hairpin/core/net/index.ts";
import { confKey } from "../../compile/sysctls.ts";
import type { Change } from "../../plan.ts";
import type { Random } from "../random.ts";
import { ip, net, route, rule } from "../records.ts";
import type { SoakStep } from "../scenario.ts";
import { MARKS } from "./policy-routing.ts";
import * as r from "./rules.ts";
import type { Service } from "./services.ts";
import { type Host, isCard, type Site } from "./site.ts";
import { drawSize, drawStreamSize } from "./sizes.ts";

interface Target {
  readonly to: Address;
  readonly port: number;
  readonly protocol?: "tcp" | "udp";
}

/** What is asked of a site: connections, datagrams, pings, strays, and changes between them. */
export function drawSteps(
  random: Random,
  site: Site,
  services: readonly Service[],
  stacks: readonly Stack[],
  { small: many = false, large = false }: { readonly small?: boolean; readonly large?: boolean } = {},
): readonly SoakStep[] {
  const steps: SoakStep[] = [];
  const open: string[] = [];
  const count = many ? random.between(16, 24) : random.between(7, 13);
  const beside = random.fork("sizes and sockets");
  const asking = [...site.pods.map((p) => p.host), ...site.nodes, ...site.clients];
  for (let n = 0; steps.length < count; n++) {
    const host = random.weighted(
      [4, site.pods.length > 0 ? random.pick(site.pods).host : random.pick(asking)],
      [3, random.pick(site.nodes)],
      [4, random.pick(site.clients)],
    );
    const what = random.weighted([10, "connect"], [3, "udp"], [2, "ping"], [5, "inject"], [2, "change"], [2, "again"]);
    const target = drawTarget(random, site, services, host);
    const mark = host.kind !== "pod" && random.chance(0.05) ? { mark: random.pick(MARKS) } : {};
    switch (what) {
      case "connect": {
        const id = `c${n}`;
        // The same source port from several hosts: translated to one address they clash.
        const clash =
          random.chance(0.25) &&
          !steps.some((s) => s.kind === "connect" && s.stack === host.name && s.sport === 39_999);
        const sport = clash ? 39_999 : 40_000 + n;
        const own = host.devices.flatMap((d) => d.addresses.map((a) => a.prefix.address));
        const bound = random.chance(0.06) ? { bindAddress: random.pick([...own, ip("127.0.0.1")]) } : {};
        steps.push({
          kind: "connect",
          id,
          stack: host.name,
          to: target.to,
          port: target.port,
          sport,
          ...bound,
          ...mark,
          ...drawSocket(beside, host),
          ...drawStreamSize(beside, large),
        });
        open.push(id);
        break;
      }
      case "udp":
      case "ping": {
        const { to, port } = target;
        const more = { ...mark, ...drawSocket(beside, host), ...drawSize(beside, large) };
        const step: SoakStep =
          what === "udp"
            ? { kind: "udp", stack: host.name, to, port, sport: 41_000 + n, ...more }
            : { kind: "ping", stack: host.name, to, ident: 300 + n, ...more };
        steps.push(step);
        if (random.chance(0.3)) steps.push(step);
        break;
      }
      case "inject": {
        const step = drawInjection(random, site, services, n);
        if (step === undefined) break;
        steps.push(step);
        if (random.chance(0.15)) steps.push(step);
        break;
      }
      case "change": {
        const node = random.pick(site.nodes);
        const change = drawChange(random, site, node, stacks.find((s) => s.name === node.name)!);
        if (change !== undefined && !steps.some((s) => s.kind === "change")) {
          steps.push({ kind: "change", stack: node.name, change });
        }
        break;
      }
      case "again": {
        const id = open.length === 0 ? undefined : random.pick(open);
        if (id === undefined) break;
        if (random.chance(0.6)) steps.push({ kind: "send", id, ...drawStreamSize(beside, large) });
        else {
          steps.push({ kind: "close", id, how: random.pick(["fin", "reset"] as const) });
          open.splice(open.indexOf(id), 1);
        }
        break;
      }
    }
  }
  return steps;
}

/** SO_BINDTODEVICE and IP_TOS, now and then. */
function drawSocket(random: Random, host: Host): { readonly bindDevice?: string; readonly tos?: number } {
  // Who is bound to a tunnel asks for its neighbours through it, and to a port of a bridge hears no answer.
  const devices = host.devices.filter((d) => d.up && d.tunnel === undefined && d.master === undefined);
  return {
    ...(random.chance(0.05) && devices.length > 0 && { bindDevice: random.pick(devices).name }),
    ...(random.chance(0.08) && { tos: random.pick([0x10, 0x08, 0xb8]) }),
  };
}

function drawTarget(random: Random, site: Site, services: readonly Service[], from: Host): Target {
  const service = random.pick(services);
  const nodeAddresses = site.nodes.flatMap((n) =>
    n.devices.filter(isCard).flatMap((d) => d.addresses.map((a) => a.prefix.address)),
  );
  const options: (readonly [number, Target])[] = [
    [6, { to: service.clusterIp, port: service.port }],
    [3, { to: service.loadBalancerIp ?? service.clusterIp, port: service.port }],
    [3, { to: random.pick(nodeAddresses), port: service.nodePort ?? 30080 }],
    [2, { to: random.pick(nodeAddresses), port: random.pick([8080, 8080, 81]) }],
    [0.5, { to: random.pick(site.clients).devices[0]!.addresses[0]!.prefix.address, port: 8080 }],
    [0.3, { to: ip(random.pick(["10.244.9.9", "10.0.0.77", "192.0.2.1"])), port: 80 }],
  ];
  if (site.pods.length > 0) {
    options.push([3, { to: random.pick(site.pods).address, port: random.pick([8080, 8080, 8080, 81]) }]);
  }
  if (site.overlay !== undefined) {
    const ends = site.nodes.flatMap((n) => n.devices.filter((d) => d.name === site.overlay!.device));
    options.push([1, { to: random.pick(ends).addresses[0]!.prefix.address, port: random.pick([8080, 8080, 81]) }]);
  }
  if (from.kind === "node") options.push([1.5, { to: ip("127.0.0.1"), port: service.nodePort ?? 8080 }]);
  return random.weighted(...options);
}

/** A stray or forged packet out of a pod's or client's card, addressed to the next hop's MAC. */
function drawInjection(random: Random, site: Site, services: readonly Service[], n: number): SoakStep | undefined {
  const hosts = [...site.pods.map((p) => p.host), ...site.clients];
  const host = random.pick(hosts);
  const card = host.devices.find((d) => d.name === "eth0")!;
  const next = nextHop(random, site, host);
  if (next === undefined || card.mac === undefined) return undefined;
  const own = card.addresses[0]!.prefix.address;
  const target = drawTarget(random, site, services, host);
  const node = random.pick(site.nodes);
  const nodeAddress = node.devices.find((d) => d.name === "eth0")!.addresses[0]!.prefix.address;
  const forged = random.weighted<Address>(
    [6, own],
    [2, nodeAddress],
    [1, services[0]!.clusterIp],
    [1, site.pods.length > 0 ? random.pick(site.pods).address : own],
    [0.5, ip("127.0.0.1")],
    [0.5, ip("192.0.2.99")],
  );
  const base = {
    src: forged,
    dst: target.to,
    sport: 20_000 + n,
    dport: target.port,
    tcpFlags: 0,
    ttl: random.weighted([10, 64], [1, 1], [1, 2]),
    tos: 0,
    df: false,
    length: 40,
  };
  const tcp = (flags: number): Packet => ({ ...base, protocol: PROTO.tcp, tcpFlags: flags });
  const inner: Packet = {
    ...tcp(TCP.SYN),
    src: target.to,
    dst: own,
    sport: target.port,
    dport: 40_000 + random.below(n + 1),
  };
  const icmp = (type: number, code: number, quoted?: Packet): Packet => ({
    ...base,
    protocol: PROTO.icmp,
    sport: 0,
    dport: 0,
    length: quoted === undefined ? 28 : 68,
    icmp: { type, code, id: quoted === undefined ? 20_000 + n : 0, ...(quoted === undefined ? {} : { inner: quoted }) },
  });
  const packet = random.weighted<Packet>(
    [5, tcp(TCP.SYN)],
    [3, tcp(TCP.ACK)],
    [2, tcp(TCP.SYN | TCP.ACK)],
    [1, tcp(TCP.RST)],
    [1, tcp(TCP.FIN | TCP.ACK)],
    [2, { ...base, protocol: PROTO.udp, length: 28 }],
    [1, icmp(0, 0)],
    [1, icmp(8, 0)],
    [1, icmp(3, 3, inner)],
    [0.5, icmp(3, 1, inner)],
  );
  return { kind: "inject", stack: host.name, device: "eth0", packet, sourceMac: card.mac, destinationMac: next };
}

function nextHop(random: Random, site: Site, host: Host): string | undefined {
  const pod = site.pods.find((p) => p.host === host);
  if (pod !== undefined) {
    return pod.node.devices.find((d) => d.name === (pod.bridge ?? pod.port))?.mac;
  }
  if (host.name === "ext") return site.router?.devices.find((d) => d.name === "out0")?.mac;
  const there = random.pick([...site.nodes, ...(site.router === undefined ? [] : [site.router])]);
  return there.devices.find((d) => d.name === "eth0")?.mac;
}

/** Something that happens to a node in mid-flow. */
function drawChange(random: Random, site: Site, node: Host, stack: Stack): Change | undefined {
  const names = node.devices.map((d) => d.name).filter((x) => x !== "lo");
  const main = stack.routeTables.find((t) => t.id === TABLE_MAIN)!.routes.filter((x) => x.protocol !== "kernel");
  const tables = stack.netfilter.tables.filter((t) => t.backend !== "unknown");
  const rules = stack.routingRules.items.filter((x) => x.preference > 0 && x.preference < 32766);
  const options: (readonly [number, Change | undefined])[] = [
    [2, { kind: "sysctl", key: confKey(4, random.pick(names), "rp_filter"), value: random.pick(["0", "1", "2"]) }],
    [1, { kind: "sysctl", key: "net.ipv4.conf.all.rp_filter", value: random.pick(["0", "1"]) }],
    [0.5, { kind: "sysctl", key: confKey(4, random.pick(names), "accept_local"), value: "1" }],
  ];
  if (main.length > 0) {
    options.push([2, { kind: "route", action: "delete", route: random.pick(main) }]);
  }
  if (random.chance(0.5) && site.pods.length > 0) {
    const made = route(TABLE_MAIN, hostPrefix(random.pick(site.pods).address), [], { type: "blackhole" });
    if (!main.some((x) => x.destination.address === made.destination.address)) {
      options.push([1, { kind: "route", action: "add", route: made }]);
    }
  }
  if (rules.length > 0) options.push([2, { kind: "rule", action: "delete", rule: random.pick(rules) }]);
  options.push([
    1,
    { kind: "rule", action: "add", rule: rule(50, { kind: "unreachable" }, { from: net("10.244.1.0/24") }) },
  ]);
  const table = tables.length === 0 ? undefined : random.pick(tables);
  if (table !== undefined && table.backend !== "unknown") {
    const chain = random.pick(table.chains);
    const place = { kind: "iptables", family: 4, backend: table.backend, table: table.name } as const;
    options.push([3, { ...place, edit: { kind: "flush", chain: chain.name } }]);
    if (table.name === "filter") {
      options.push([1, { ...place, edit: { kind: "append", chain: "FORWARD", rule: r.rule({ p: "tcp" }, r.DROP) } }]);
    }
  }
  const [service] = stack.ipvs.services;
  const server = service?.realServers[0];
  if (service !== undefined && server !== undefined) {
    options.push([3, { kind: "ipvs", action: "delete", service: service.key, server }]);
    options.push([2, { kind: "ipvs", action: "edit", service: service.key, server: { ...server, weight: 0 } }]);
  }
  return random.weighted(...options);
}
