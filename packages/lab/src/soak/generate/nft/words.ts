import { formatAddress } from "@hairpin/core/net/index.ts";
import type { Random } from "../../random.ts";
import { MARKS } from "../policy-routing.ts";
import type { Service } from "../services.ts";
import type { Host, Site } from "../site.ts";

export const IP_HOOKS = ["prerouting", "input", "forward", "output", "postrouting"] as const;
export type IpHook = (typeof IP_HOOKS)[number];

/** Priorities that no fixed hook of the kernel has: conntrack, NAT and IPVS stand at others. */
const FREE = [-450, -310, -300, -250, -180, -150, -120, -90, -10, 0, 0, 0, 10, 50, 90, 110, 150, 300];

/** What matches and statements are made of: addresses, devices, ports and marks that some of the site's packets have. */
export class Words {
  readonly random: Random;
  readonly site: Site;
  readonly node: Host;
  readonly services: readonly Service[];
  readonly addresses: readonly string[];
  readonly devices: readonly string[];

  constructor(random: Random, site: Site, node: Host, services: readonly Service[]) {
    this.random = random;
    this.site = site;
    this.node = node;
    this.services = services;
    this.addresses = site.hosts.flatMap((h) =>
      h.devices.flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address))),
    );
    this.devices = node.devices.map((d) => d.name);
  }

  get family(): "ip" | "inet" {
    return this.random.pick(["ip", "inet"] as const);
  }

  priority(): number {
    return this.random.pick(FREE);
  }

  address(): string {
    const vips = this.services.map((s) => formatAddress(s.clusterIp));
    return this.random.chance(0.3) ? this.random.pick(vips) : this.random.pick(this.addresses);
  }

  pod(): string {
    return this.site.pods.length > 0 ? formatAddress(this.random.pick(this.site.pods).address) : "10.0.0.1";
  }

  own(): string {
    const own = this.node.devices
      .filter((d) => d.name !== "lo")
      .flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address)));
    return own.length === 0 ? "10.0.0.1" : this.random.pick(own);
  }

  where(): string {
    const { random } = this;
    return random.weighted(
      [4, this.address()],
      [1, "10.244.0.0/16"],
      [1, random.pick(["10.0.0.0/24", "10.96.0.0/16", "10.244.1.0/24"])],
      [1, `{ ${this.distinct(() => this.address(), 3).join(", ")} }`],
      [0.5, "{ 10.244.0.0/16, 10.0.0.0/24 }"],
      [0.5, "10.244.1.2-10.244.2.9"],
    );
  }

  distinct(draw: () => string, count: number): readonly string[] {
    return [...new Set(Array.from({ length: count }, draw))];
  }

  port(): number {
    return this.random.pick([80, 8080, 8080, 30080, 81, 53]);
  }

  mark(): string {
    return `0x${this.random.pick(MARKS).toString(16)}`;
  }

  device(): string {
    return this.random.chance(0.15)
      ? `"${this.random.pick(["eth*", "v*", "br*"])}"`
      : `"${this.random.pick(this.devices)}"`;
  }

  not(): string {
    return this.random.chance(0.25) ? "!= " : "";
  }

  /** A match that may stand at this hook, without ports. */
  match(hook: IpHook): string {
    const { random } = this;
    const options: (readonly [number, string])[] = [
      [3, `ip saddr ${this.not()}${this.where()}`],
      [3, `ip daddr ${this.not()}${this.where()}`],
      [2, `tcp dport ${this.not()}${random.weighted([3, String(this.port())], [1, "{ 80, 8080 }"], [1, "8000-9000"])}`],
      [1, `udp dport ${this.not()}{ 53, 8080 }`],
      [1, `th dport ${this.port()}`],
      [1, `meta l4proto ${random.pick(["tcp", "udp", "icmp", "{ tcp, udp }", "!= tcp"])}`],
      [1, `ip protocol ${random.pick(["tcp", "udp", "icmp"])}`],
      [
        1,
        `icmp type ${random.pick(["echo-request", "echo-reply", "destination-unreachable", "{ echo-request, echo-reply }"])}`,
      ],
      [2, `meta mark ${this.not()}${this.mark()}`],
      [1, `meta mark & ${this.mark()} ${random.pick(["== ", "!= "])}${random.pick(["0", "0x4000"])}`],
      [
        2,
        `ct state ${random.pick(["new", "established", "established,related", "invalid", "untracked", "!= new", "{ new, established }"])}`,
      ],
      [1, `ct mark ${this.not()}${this.mark()}`],
      [1, `ct status ${random.pick(["dnat", "snat", "seen-reply", "confirmed", "assured", "& dnat == 0"])}`],
      [1, `ct direction ${random.pick(["original", "reply"])}`],
      [0.5, `ct original ip daddr ${this.address()}`],
      [0.5, `ct reply ip saddr ${this.address()}`],
      [1, `fib daddr type ${random.pick(["local", "unicast", "!= local"])}`],
      [1, `fib saddr type ${random.pick(["local", "unicast"])}`],
      [
        1,
        `tcp flags ${random.pick(["syn", "syn / fin,syn,rst,ack", "& (syn | ack) == syn", "& (syn | ack) == (syn | ack)", "! ack", "== syn"])}`,
      ],
      [0.7, `ip ttl ${random.pick(["< 64", "64", "> 62", "!= 63"])}`],
      [0.5, `ip dscp ${random.pick(["0", "cs1", "!= 0"])}`],
      [0.5, `meta pkttype ${random.pick(["host", "broadcast"])}`],
      [0.5, `meta nfproto ipv4`],
      [0.5, `meta protocol ip`],
      [1, `ip saddr . ip daddr { ${this.distinct(() => `${this.address()} . ${this.address()}`, 4).join(", ")} }`],
      [1, `ip daddr . tcp dport { ${this.distinct(() => `${this.address()} . ${this.port()}`, 4).join(", ")} }`],
      [0.7, `ip saddr . tcp dport { 10.244.0.0/16 . 80-9000, 10.0.0.0/24 . 8080 }`],
    ];
    if (hook !== "output")
      options.push(
        [1, `iifname ${this.not()}${this.device()}`],
        [0.5, `iifname { ${this.distinct(() => `"${random.pick(this.devices)}"`, 2).join(", ")} }`],
      );
    if (hook === "forward" || hook === "output" || hook === "postrouting")
      options.push([1, `oifname ${this.not()}${this.device()}`]);
    if (hook === "prerouting" || hook === "input" || hook === "forward")
      options.push(
        [0.7, `fib saddr . iif oif ${random.pick(["missing", "exists"])}`],
        [0.4, `fib saddr . mark . iif oif missing`],
      );
    return random.weighted(...options);
  }

  matches(hook: IpHook, most = 2): string {
    return Array.from({ length: this.random.between(1, most) }, () => this.match(hook)).join(" ");
  }

  reject(): string {
    return this.random.pick([
      "reject",
      "reject with icmp host-unreachable",
      "reject with icmp admin-prohibited",
      "reject with icmpx port-unreachable",
      "reject with icmpx admin-prohibited",
      "reject with icmpx no-route",
      "meta l4proto tcp reject with tcp reset",
    ]);
  }
}
