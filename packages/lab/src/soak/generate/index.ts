import type { Stack } from "@hairpin/core/model/index.ts";
import { whole } from "@hairpin/core/model/index.ts";
import { type Address, formatAddress } from "@hairpin/core/net/index.ts";
import { Random } from "../random.ts";
import { device, listener, stack, world } from "../records.ts";
import type { Scenario } from "../scenario.ts";
import { drawBesideFacts, drawBesidePolicy } from "./beside.ts";
import { dualStack } from "./dual-stack.ts";
import { drawIpvs, drawIpvsSysctls } from "./ipvs.ts";
import { drawRules, type Rules } from "./netfilter.ts";
import { drawNft } from "./nft/index.ts";
import { drawPolicy } from "./policy-routing.ts";
import { drawServices } from "./services.ts";
import { drawSite, type Host, type SiteOptions } from "./site.ts";
import { drawWidths } from "./sizes.ts";
import { drawSteps } from "./steps.ts";
import { drawSysctls } from "./sysctls.ts";

export interface GenerateOptions extends SiteOptions {
  /** The kernel's release, as it decides some of the walk. */
  readonly kernel: string;
  readonly ipvs: boolean;
  /** The share of nodes with native nftables tables. */
  readonly nft?: number;
  /** Fewer stacks and more steps: for a kernel that is slow to be furnished. */
  readonly small?: boolean;
  /** Every question is large, and every site has narrow paths. */
  readonly large?: boolean;
  /** Both families, and half of the packets IPv6. */
  readonly ipv6?: boolean;
}

/** The n-th scenario of a seed. */
export function generate(seed: number, n: number, options: GenerateOptions): Scenario {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b));
  const site = drawSite(random.fork("site"), options);
  drawWidths(random.fork("widths"), site, options.large);
  const services = drawServices(random.fork("services"), site);
  const parts = random.fork("hosts");
  const made = site.hosts.map((host): Stack => {
    const own = parts.fork(host.name);
    const common = { name: host.name, kind: host.kind, kernel: options.kernel } as const;
    if (host.kind !== "node") {
      return stack({
        ...common,
        ...placed(host),
        devices: host.devices,
        routes: host.routes,
        sysctls: host.sysctls,
        listeners: LISTENING,
      });
    }
    const ipvs = options.ipvs && own.chance(0.9);
    if (ipvs)
      bindServices(
        host,
        services.flatMap((s) => [s.clusterIp, ...(s.loadBalancerIp === undefined ? [] : [s.loadBalancerIp])]),
      );
    drawSysctls(own.fork("sysctls"), host);
    if (ipvs) drawIpvsSysctls(own.fork("vs"), host.sysctls);
    drawBesideFacts(own.fork("facts beside"), site, host);
    const policy = drawPolicy(own.fork("policy"), site, host);
    const native = own.fork("native");
    const nft = native.chance(options.nft ?? NATIVE)
      ? drawNft(native, site, host, services, !ipvs, options.ipv6 === true)
      : [];
    // Beside iptables, or alone.
    const alone = nft.length > 0 && native.chance(0.5);
    const rules = alone ? NO_RULES : drawRules(own.fork("rules"), site, host, services, ipvs);
    const nativeRegistered = native.pick(["first", "last"] as const);
    return stack({
      ...common,
      devices: host.devices,
      routes: [...host.routes, ...policy.routes],
      rules: [...drawBesidePolicy(own.fork("policy beside"), site, host), ...policy.rules],
      sysctls: host.sysctls,
      listeners: LISTENING,
      rest: {
        netfilter: {
          tables: rules.tables,
          nativeNft: [],
          ...(nft.length === 0 ? {} : { nft, nativeRegistered }),
          ...(rules.firstRegistered === undefined ? {} : { firstRegistered: rules.firstRegistered }),
        },
        neighbours: whole(host.neighbours),
        fdb: whole(host.fdb),
        bridgeVlans: whole(host.bridgeVlans),
        ipsets: whole(rules.ipsets),
        ipvs: { services: ipvs ? drawIpvs(own.fork("ipvs"), host, services) : [], connections: [], extent: "whole" },
      },
    });
  });
  const steps = drawSteps(random.fork("steps"), site, services, made, options);
  const scenario: Scenario = { world: world(onOneMachine(made), site.links), steps };
  return options.ipv6 === true ? dualStack(scenario, random.fork("dual stack")) : scenario;
}

/** All share a kernel: what a device of one has it load is there for the others. */
function onOneMachine(stacks: readonly Stack[]): readonly Stack[] {
  const kinds = new Set(stacks.flatMap((s) => s.devices.items.map((d) => d.kind)));
  const loaded = [...(kinds.has("ipip") ? ["ipip"] : []), ...(kinds.has("gre") ? ["ip_gre"] : [])];
  if (loaded.length === 0) return stacks;
  const modules = ["bridge", "br_netfilter", ...loaded];
  return stacks.map((s) => ({ ...s, machine: { ...s.machine, modules } }));
}

const NATIVE = 0.5;
const NO_RULES: Rules = { tables: [], ipsets: [] };
const LISTENING = [listener("tcp", 8080), listener("udp", 8080)];
const placed = (host: Host) => (host.node === undefined ? {} : { node: host.node });

/** kube-ipvs0 has every Service's address. */
function bindServices(host: Host, addresses: readonly Address[]): void {
  const shown = [...new Set(addresses)].map((a) => `${formatAddress(a)}/32`);
  const kept = host.devices.filter((d) => d.name !== "kube-ipvs0" && d.name !== "lo");
  host.devices.splice(0, host.devices.length, ...kept);
  host.devices.push(
    device("kube-ipvs0", "dummy", `02:50:00:ee:00:${host.name.slice(1).padStart(2, "0")}`, shown, {
      up: false,
      carrier: false,
    }),
  );
}
