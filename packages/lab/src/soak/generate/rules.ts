import {
  BUILT_IN_CHAINS,
  type Chain,
  type IptablesTable,
  type IptablesTableName,
  is,
  isNot,
  type Match,
  type Rule,
  type Target,
} from "@hairpin/core/model/index.ts";
import { type Address, hostPrefix, maskOf, PROTO, type Prefix, singlePort } from "@hairpin/core/net/index.ts";
import { origin } from "../records.ts";

export type Where = Prefix | Address;
const prefixOf = (where: Where): Prefix => (typeof where === "object" ? where : hostPrefix(where));

export interface Selector {
  readonly s?: Where;
  readonly notS?: Where;
  readonly d?: Where;
  readonly notD?: Where;
  readonly i?: string;
  readonly notI?: string;
  readonly o?: string;
  readonly notO?: string;
  readonly p?: "tcp" | "udp" | "icmp";
  readonly dport?: number;
  readonly m?: readonly Match[];
}

export const masked = (where: Where) => {
  const prefix = prefixOf(where);
  return { address: prefix.address, mask: maskOf(prefix.length) };
};

export function rule(s: Selector, target: Target): Rule {
  const ports: readonly Match[] =
    s.dport === undefined || s.p === "icmp" || s.p === undefined ? [] : [{ kind: s.p, dport: is(singlePort(s.dport)) }];
  return {
    ...(s.s === undefined ? {} : { source: is(masked(s.s)) }),
    ...(s.notS === undefined ? {} : { source: isNot(masked(s.notS)) }),
    ...(s.d === undefined ? {} : { destination: is(masked(s.d)) }),
    ...(s.notD === undefined ? {} : { destination: isNot(masked(s.notD)) }),
    ...(s.i === undefined ? {} : { inInterface: is(s.i) }),
    ...(s.notI === undefined ? {} : { inInterface: isNot(s.notI) }),
    ...(s.o === undefined ? {} : { outInterface: is(s.o) }),
    ...(s.notO === undefined ? {} : { outInterface: isNot(s.notO) }),
    ...(s.p === undefined ? {} : { protocol: is(PROTO[s.p]) }),
    matches: [...ports, ...(s.m ?? [])],
    target,
    origin,
  };
}

export const jump = (chain: string): Target => ({ kind: "jump", chain, goto: false });
export const goto = (chain: string): Target => ({ kind: "jump", chain, goto: true });
export const mark = (value: number, mask = 0xffffffff): Target => ({ kind: "mark", value, mask });
export const ACCEPT: Target = { kind: "accept" };
export const DROP: Target = { kind: "drop" };
export const RETURN: Target = { kind: "return" };
export const masquerade = (randomFully = false): Target => ({ kind: "masquerade", random: false, randomFully });
export const dnat = (address: Address, port?: number): Target => ({
  kind: "dnat",
  to: { addresses: { from: address, to: address }, ...(port === undefined ? {} : { ports: singlePort(port) }) },
  random: false,
  randomFully: false,
  persistent: false,
});
export const snat = (address: Address): Target => ({
  kind: "snat",
  to: { addresses: { from: address, to: address } },
  random: false,
  randomFully: false,
  persistent: false,
});
export const marked = (value: number, negated = false): Match => ({ kind: "mark", value, mask: value, negated });
export const ctstate = (
  ...states: ("NEW" | "ESTABLISHED" | "RELATED" | "INVALID" | "DNAT" | "SNAT" | "UNTRACKED")[]
): Match => ({
  kind: "conntrack",
  states: is(states),
});
export const dstLocal: Match = { kind: "addrtype", destination: is(["LOCAL"]), limitIn: false, limitOut: false };

export const setMatch = (name: string, directions: readonly ("src" | "dst")[], negated = false): Match => ({
  kind: "set",
  name,
  directions,
  negated,
  returnNomatch: false,
  noUpdateCounters: false,
  noUpdateSubcounters: false,
});

export type Chains = Map<string, Rule[]>;

/** Tables under construction: chains come into being when a rule is added. */
export class Draft {
  readonly tables = new Map<IptablesTableName, Chains>();

  add(table: IptablesTableName, chain: string, ...rules: readonly Rule[]): void {
    const chains = this.tables.get(table) ?? new Map<string, Rule[]>();
    this.tables.set(table, chains);
    const there = chains.get(chain) ?? [];
    chains.set(chain, there);
    there.push(...rules);
  }

  chains(table: IptablesTableName): readonly string[] {
    return [...(this.tables.get(table)?.keys() ?? [])];
  }

  /** Every chain that is jumped to is there; built-in ones always are. */
  finish(backend: "legacy" | "nft", policies: ReadonlyMap<string, "ACCEPT" | "DROP">): readonly IptablesTable[] {
    return [...this.tables].map(([name, chains]): IptablesTable => {
      for (const rules of [...chains.values()]) {
        for (const { target } of rules)
          if (target.kind === "jump" && !chains.has(target.chain)) chains.set(target.chain, []);
      }
      const builtIn = BUILT_IN_CHAINS[name];
      const chain = (chainName: string, rules: readonly Rule[]): Chain => ({
        name: chainName,
        ...(builtIn.includes(chainName) ? { policy: policies.get(`${name}/${chainName}`) ?? "ACCEPT" } : {}),
        rules,
        extent: "whole",
        origin,
      });
      return {
        name,
        family: 4,
        backend,
        extent: "whole",
        origin,
        chains: [
          ...builtIn.map((c) => chain(c, chains.get(c) ?? [])),
          ...[...chains].filter(([c]) => !builtIn.includes(c)).map(([c, rules]) => chain(c, rules)),
        ],
      };
    });
  }
}
