import {
  BUILT_IN_CHAINS,
  type Chain,
  type Extent,
  type IptablesTable,
  type IptablesTableName,
  type Origin,
  type Rule,
} from "../model/index.ts";
import type { Family } from "../net/index.ts";
import { type RuleSpec, withOrigin } from "./rules.ts";

/** In the order in which the kernel registers them and iptables-save prints them. */
const WHOLE: Extent = "whole";

/** Rules gathered chain by chain; a chain exists once it is named. */
export class TableBuilder {
  readonly name: IptablesTableName;
  private readonly chains = new Map<string, Rule[]>();

  constructor(name: IptablesTableName) {
    this.name = name;
    for (const chain of BUILT_IN_CHAINS[name]) this.chains.set(chain, []);
  }

  /** Makes sure that the chain exists. */
  chain(name: string): Rule[] {
    let rules = this.chains.get(name);
    if (rules === undefined) {
      rules = [];
      this.chains.set(name, rules);
    }
    return rules;
  }

  has(name: string): boolean {
    return this.chains.has(name);
  }

  append(chain: string, spec: RuleSpec, origin: Origin): void {
    this.chain(chain).push(withOrigin(spec, origin));
  }

  prepend(chain: string, spec: RuleSpec, origin: Origin): void {
    this.chain(chain).unshift(withOrigin(spec, origin));
  }

  build(family: Family, origin: Origin): IptablesTable {
    const own = BUILT_IN_CHAINS[this.name];
    const others = [...this.chains.keys()].filter((name) => !own.includes(name)).sort();
    const chains = [...own, ...others].map((name): Chain => {
      const rules = this.chains.get(name)!;
      return own.includes(name)
        ? { name, policy: "ACCEPT", rules, extent: WHOLE, origin }
        : { name, rules, extent: WHOLE, origin: rules[0]?.origin ?? origin };
    });
    return { name: this.name, family, backend: "unknown", chains, extent: WHOLE, origin };
  }
}

/**
 * `later`'s table of the same name on top of this one: its rules stand before those of built-in chains, as whoever comes later prepends
 * its jumps; a chain of the later one that has rules replaces the earlier, as a restore of it does; a jump that is there is not made again.
 */
export function extend(earlier: IptablesTable, later: readonly IptablesTable[]): IptablesTable {
  const other = later.find((t) => t.name === earlier.name);
  if (other === undefined) return earlier;
  const known = new Map(earlier.chains.map((c) => [c.name, c]));
  const chains = other.chains.map((chain): Chain => {
    const before = known.get(chain.name);
    known.delete(chain.name);
    if (before === undefined) return chain;
    if (chain.policy === undefined) return chain.rules.length > 0 ? chain : before;
    const jumps = new Set(before.rules.map(targetChain));
    return { ...chain, rules: [...chain.rules.filter((r) => !isPlainJump(r, jumps)), ...before.rules] };
  });
  return { ...other, chains: sortChains([...chains, ...known.values()]) };
}

const targetChain = (rule: Rule): string | undefined => (rule.target.kind === "jump" ? rule.target.chain : undefined);
const isPlainJump = (rule: Rule, jumps: ReadonlySet<string | undefined>): boolean =>
  rule.matches.length === 0 && rule.target.kind === "jump" && jumps.has(rule.target.chain);

const byName = (a: Chain, b: Chain): number => (a.name < b.name ? -1 : 1);
const sortChains = (chains: readonly Chain[]): readonly Chain[] => [
  ...chains.filter((c) => c.policy !== undefined),
  ...chains.filter((c) => c.policy === undefined).sort(byName),
];
