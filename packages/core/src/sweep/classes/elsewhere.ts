import { type Home, homeOf } from "../../explain/index.ts";
import type { Rule, Stack, World } from "../../model/index.ts";
import {
  type Address,
  contains,
  familyOf,
  formatPrefix,
  networkOf,
  type Prefix,
  parsePrefix,
} from "../../net/index.ts";
import type { Actors } from "./actors.ts";
import { Cuts } from "./cuts.ts";
import { Interned } from "./interned.ts";
import { RuleText } from "./rule-text.ts";
import { textOfRule } from "./slice.ts";

type Roles = Pick<Actors, "roleOfStack" | "roleOfAddress">;

/** What is said of one address, under the names of those who say it. */
interface Said {
  readonly home: Home | undefined;
  /** Who has it on a dummy device. */
  readonly holders: readonly string[];
  /** Who has servers behind it that are taken out and still known to old connections, and by which port. */
  readonly drained: readonly { readonly stack: string; readonly port: number }[];
  readonly rest: string;
}

const CARDS: ReadonlySet<string> = new Set(["ethernet", "bond", "vlan"]);

/**
 * What causes are looked for by in all of a World, also where no packet comes by: whose pods an address is numbered as, who has bound it as well, whom
 * rules are about that have dropped and are led to by nothing that was shown. Flows that get through have no causes; others are told apart by it.
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
  readonly #primary: ReadonlySet<Address | undefined>;

  constructor(world: World) {
    this.#world = world;
    this.#shown = world.stacks.filter((s) => s.assumed === undefined);
    this.#counted = new RuleText(this.#shown.map((s) => countedDrops(s)).join("\n"), new Interned(), new Interned());
    const { nodes, ipPools } = world.kubernetes;
    this.#primary = new Set(nodes.map((n) => n.addresses[0]));
    const devices = this.#shown.flatMap((s) => s.devices.items.map((device) => ({ stack: s.name, device })));
    for (const { stack, device } of devices)
      for (const { prefix } of device.kind === "dummy" ? device.addresses : []) {
        const known = this.#holders.get(prefix.address) ?? [];
        this.#holders.set(prefix.address, [...new Set([...known, stack])]);
      }
    const own = devices.flatMap(({ device }) => device.addresses.map((a) => ({ kind: device.kind, prefix: a.prefix })));
    const isPooled = ipPools.length > 0 || this.#shown.some((s) => s.ipsets.items.length > 0);
    this.#cards = isPooled ? networksOf(own.filter((o) => CARDS.has(o.kind)).map((o) => o.prefix)) : [];
    this.#cuts = new Cuts([
      ...nodes.flatMap((n) => n.podCidrs.flatMap((c) => parsePrefix(c) ?? [])),
      ...own.filter((o) => o.kind === "bridge").map((o) => o.prefix),
    ]);
  }

  /** Equal: the same is said of it, by as many others, beside those who take part. */
  of(address: Address, { roleOfStack, roleOfAddress }: Roles): string {
    const { home, holders, drained, rest } = this.#said(address);
    const at = home?.addresses.map((a) => roleOfAddress(a) ?? String(a)).join();
    const where = home === undefined ? "" : `${roleOfStack(home.name)} ${at} ${home.network.length}`;
    const who = (name: string): string => (roleOfStack(name) === name ? "-" : roleOfStack(name));
    const behind = drained.map((d) => `${who(d.stack)}:${d.port}`);
    return `${where};${holders.map(who).sort()};${behind.sort()};${rest}`;
  }

  /** The node that an address is numbered as one of, if any. */
  homeOf(address: Address): string | undefined {
    return this.#said(address).home?.name;
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
    const counted = this.#counted.unshareable ? String(address) : this.#counted.profile(address);
    const pool = ipPools.findIndex((p) => holds(p.cidr, address));
    const isNear = this.#cards.some((p) => holds(p, address));
    return {
      home: this.#home(address),
      holders: this.#holders.get(address) ?? [],
      drained: this.#shown.flatMap((s) => drainedPorts(s, address).map((port) => ({ stack: s.name, port }))),
      rest: `${counted} ${pool} ${isNear} ${this.#primary.has(address)}`,
    };
  }

  #home(address: Address): Home | undefined {
    const span = this.#cuts.of(address);
    if (!this.#homes.has(span)) this.#homes.set(span, homeOf(this.#world, address));
    return this.#homes.get(span);
  }
}

const holds = (prefix: Prefix, address: Address): boolean =>
  familyOf(prefix.address) === familyOf(address) && contains(prefix, address);

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

function drainedPorts({ ipvs, sysctls }: Stack, address: Address): readonly number[] {
  if (sysctls.get("net.ipv4.vs.conn_reuse_mode")?.value !== "0") return [];
  return ipvs.services.flatMap(({ key, realServers }) =>
    key.kind === "address" &&
    key.address === address &&
    realServers.some((r) => r.weight === 0 && (r.inactiveConnections ?? 0) > 0)
      ? [key.port]
      : [],
  );
}

const isDrop = ({ target, counters }: Rule): boolean =>
  (target.kind === "drop" || target.kind === "reject") && (counters?.packets ?? 0) > 0;

/** The rules of a stack that have dropped, where not all of their table was shown or they are not read. */
export function countedDrops({ netfilter: { tables, nativeNft } }: Stack): string {
  const lines = nativeNft.flatMap((t) => (t.drops ?? []).map((d) => `${d.packets} ${d.chain} ${d.rule}`));
  for (const { name, family, extent, chains } of tables)
    if (extent !== "whole")
      for (const chain of chains)
        for (const rule of chain.rules.filter(isDrop))
          lines.push(`${rule.counters?.packets} ${name} ${textOfRule(rule, chain.name, family)}`);
  return lines.join("\n");
}
