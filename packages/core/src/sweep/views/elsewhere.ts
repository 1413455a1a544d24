import { type Home, homeOf, primaryOf } from "../../explain/index.ts";
import { chainNamed, type Rule, type Stack, type World } from "../../model/index.ts";
import { type Address, contains, formatPrefix, networkOf, type Prefix, parsePrefix } from "../../net/index.ts";
import type { Actors } from "./actors.ts";
import { Cuts } from "./cuts.ts";
import { Interned } from "./interned.ts";
import { RuleText } from "./rule-text.ts";
import { textOfRule } from "./slice.ts";

type Roles = Pick<Actors, "roleOfStack" | "roleOfAddress">;

/** What is said of one address, under the names of those who say it. */
interface Said {
  /** Who has it on a dummy device. */
  readonly holders: readonly string[];
  /** Who has servers behind it that are taken out and still known to old connections, and by which port. */
  readonly drained: readonly { readonly stack: string; readonly port: number }[];
  readonly rest: string;
}

const CARDS: ReadonlySet<string> = new Set(["ethernet", "bond", "vlan"]);

/**
 * What causes are looked for by in all of a World, also where no packet comes by: whose pods an address is numbered as, who has bound it as well, whom
 * rules are about that have dropped and are led to by nothing that was shown. A walk that gets through is no last word where one of these is suspected.
 */
export class Elsewhere {
  readonly #world: World;
  readonly #shown: readonly Stack[];
  readonly #counted: RuleText;
  readonly #cards: readonly Prefix[];
  readonly #cuts: Cuts;
  readonly #homes = new Map<Address | number, Home | undefined>();
  readonly #known = new Map<Address, Said>();
  readonly #holders = new Map<Address, string[]>();
  readonly #drained = new Map<Address, { readonly stack: string; readonly port: number }[]>();
  readonly #primary: ReadonlySet<Address>;

  constructor(world: World) {
    this.#world = world;
    this.#shown = world.stacks.filter((s) => s.assumed === undefined);
    const drops = this.#shown.flatMap((s) => countedDrops(s) || []);
    this.#counted = new RuleText(drops.join("\n"), new Interned(), new Interned());
    const { nodes, ipPools, kubeProxyConfigs } = world.kubernetes;
    this.#primary = new Set(kubeProxyConfigs.length === 0 ? [] : nodes.flatMap(primaryOf));
    const devices = this.#shown.flatMap((s) => s.devices.items.map((device) => ({ stack: s.name, device })));
    for (const { stack, device } of devices)
      for (const { prefix } of device.kind === "dummy" ? device.addresses : []) {
        const known = this.#holders.get(prefix.address);
        if (known === undefined) this.#holders.set(prefix.address, [stack]);
        else if (known.at(-1) !== stack) known.push(stack);
      }
    for (const stack of this.#shown)
      for (const { address, port } of drainedOn(stack)) {
        const known = this.#drained.get(address);
        if (known === undefined) this.#drained.set(address, [{ stack: stack.name, port }]);
        else known.push({ stack: stack.name, port });
      }
    const own = devices.flatMap(({ device }) => device.addresses.map((a) => ({ kind: device.kind, prefix: a.prefix })));
    const isPooled = ipPools.length > 0 || this.#shown.some((s) => s.ipsets.items.length > 0);
    this.#cards = isPooled ? networksOf(own.filter((o) => CARDS.has(o.kind)).map((o) => o.prefix)) : [];
    this.#cuts = new Cuts([
      ...nodes.flatMap((n) => n.podCidrs.flatMap((c) => parsePrefix(c) ?? [])),
      ...own.filter((o) => o.kind === "bridge").map((o) => o.prefix),
    ]);
  }

  /** Equal: nobody whom its packets do not meet says anything else of it, beside those who take part. Most of the time nothing is said. */
  of(address: Address, roles: Pick<Roles, "roleOfStack">): string {
    const { holders, drained, rest } = this.#said(address);
    if (holders.length === 0 && drained.length === 0) return rest;
    const behind = drained.map((d) => d.stack);
    const ports = drained.map((d) => `:${d.port}`).sort();
    return `${this.#namesOf(holders, roles)} ${this.#namesOf(behind, roles)}${ports} ${rest}`;
  }

  /** By the roles of those who take part, and how many others there are. */
  #namesOf(names: readonly string[], { roleOfStack }: Pick<Roles, "roleOfStack">): string {
    const players = names.filter((name) => roleOfStack(name) !== name);
    return `${players.map(roleOfStack).sort()}+${names.length - players.length}`;
  }

  /** The same of a flow that does not get through: whose pod it is numbered as is looked for, too. */
  ofStopped(address: Address, roles: Roles): string {
    const home = this.#home(address);
    const said = this.of(address, roles);
    if (home === undefined) return said;
    const at = home.addresses.map((a) => roles.roleOfAddress(a) ?? String(a));
    return `${roles.roleOfStack(home.name)} ${at} ${home.network.length};${said}`;
  }

  /** The node that an address is numbered as one of, if any. */
  homeOf(address: Address): string | undefined {
    return this.#home(address)?.name;
  }

  #said(address: Address): Said {
    let said = this.#known.get(address);
    if (said === undefined) {
      said = this.#look(address);
      this.#known.set(address, said);
    }
    return said;
  }

  #look(address: Address): Said {
    const { ipPools } = this.#world.kubernetes;
    const counted =
      this.#counted.text === "" ? "" : this.#counted.unshareable ? String(address) : this.#counted.profile(address);
    const pool = ipPools.length === 0 ? "" : ipPools.findIndex((p) => contains(p.cidr, address));
    const isNear = this.#cards.some((p) => contains(p, address)) ? "near" : "";
    const isPrimary = this.#primary.has(address) ? "primary" : "";
    return {
      holders: this.#holders.get(address) ?? [],
      drained: this.#drained.get(address) ?? [],
      rest: `${counted} ${pool} ${isNear} ${isPrimary}`.trim(),
    };
  }

  #home(address: Address): Home | undefined {
    const span = this.#cuts.of(address);
    if (!this.#homes.has(span)) this.#homes.set(span, homeOf(this.#world, address));
    return this.#homes.get(span);
  }
}

/** Each once, and no single hosts. */
function networksOf(prefixes: readonly Prefix[]): readonly Prefix[] {
  const found = new Map<string, Prefix>();
  for (const prefix of prefixes)
    if (prefix.length < 32) {
      const network = networkOf(prefix);
      found.set(formatPrefix(network), network);
    }
  return [...found.values()];
}

/** Virtual servers of which a server was taken out that old connections are known to still go to. */
function drainedOn({ ipvs, sysctls }: Stack): readonly { readonly address: Address; readonly port: number }[] {
  if (sysctls.get("net.ipv4.vs.conn_reuse_mode")?.value !== "0") return [];
  return ipvs.services.flatMap(({ key, realServers }) =>
    key.kind === "address" && realServers.some((r) => r.weight === 0 && (r.inactiveConnections ?? 0) > 0)
      ? [{ address: key.address, port: key.port }]
      : [],
  );
}

const isDrop = ({ target, counters }: Rule): boolean =>
  (target.kind === "drop" || target.kind === "reject") && (counters?.packets ?? 0) > 0;

const isFull = ({ sysctls }: Stack, count: number, limit: string, part: number): boolean => {
  const most = Number(sysctls.get(limit)?.value ?? 0);
  return most > 0 && count >= most * part;
};

/** What of a stack is suspected to be why a flow fails that does not come by there: equal, where that is as it was. */
export function suspectedFrom(stack: Stack): string {
  const { sysctls, neighbours, netfilter, fromObjects } = stack;
  const tracked = Number(sysctls.get("net.netfilter.nf_conntrack_count")?.value ?? 0);
  // Of a node without a dump nothing is made to be looked at.
  const tables = fromObjects === true ? [] : netfilter.tables;
  const policies = tables.filter((t) => t.name === "filter").map((t) => chainNamed(t, "FORWARD")?.policy);
  return JSON.stringify([
    isFull(stack, tracked, "net.netfilter.nf_conntrack_max", 0.95),
    neighbours.extent === "whole" && isFull(stack, neighbours.items.length, "net.ipv4.neigh.default.gc_thresh3", 1),
    sysctls.get("net.ipv4.tcp_tw_recycle")?.value ?? "0",
    drainedOn(stack).map(({ address, port }) => [String(address), port]),
    policies,
    countedDrops(stack),
  ]);
}

/** The rules of a stack that have dropped, where not all of their table was shown or they are not read. */
export function countedDrops({ netfilter, fromObjects }: Stack): string {
  if (fromObjects === true) return "";
  const { tables, nativeNft } = netfilter;
  const lines = nativeNft.flatMap((t) => (t.drops ?? []).map((d) => `${d.packets} ${d.chain} ${d.rule}`));
  // Chains of a table that was shown whole are not even listed: whoever asks for them has them made.
  for (const table of tables.filter((t) => t.extent !== "whole"))
    for (const chain of table.chains)
      for (const rule of chain.rules.filter(isDrop))
        lines.push(`${rule.counters?.packets} ${table.name} ${textOfRule(rule, chain.name, table.family)}`);
  return lines.join("\n");
}
