import {
  type Chain,
  chainNamed,
  type IptablesTable,
  interfaceMatches,
  type Rule,
  ruleCount,
  rulesSaying,
  type Stack,
} from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { isPort } from "./nearby.ts";
import type { PodPorts } from "./pod-ports.ts";
import { isForAll, type Slice, type Slices } from "./slice.ts";

const NOBODY: readonly Address[] = [];
/** What is for single ports is left out. */
const NO_PORTS: ReadonlySet<number> = new Set();
/** A chain with more rules is not looked through. */
const MOST_RULES = 4096;

/**
 * What the rules of a stack say of one of its ports to which a route leads, apart from all that they say of hosts, of single ports and of other devices. Of
 * two ports of which they say the same, packets fare alike whomever they are from or to.
 */
export class PortRules {
  readonly #stack: Stack;
  readonly #slices: Slices;
  readonly #ports: PodPorts;
  #areApart: boolean | undefined;
  #everybodys: ReadonlySet<string> | undefined;

  constructor(stack: Stack, slices: Slices, ports: PodPorts) {
    this.#stack = stack;
    this.#slices = slices;
    this.#ports = ports;
  }

  /** What packets meet that come or go by the stack's own devices, or by this port. Undefined: what is said of it cannot be told apart from the rest. */
  of(port: string): Slice | undefined {
    this.#areApart ??= this.#tellsApart();
    if (!this.#areApart) return undefined;
    this.#everybodys ??= new Set(this.#slices.of(NOBODY, NO_PORTS, this.#ports.fixedOf(this.#stack)).chains);
    const slice = this.#slices.of(NOBODY, NO_PORTS, this.#ports.withPort(this.#stack, port));
    const own = slice.chains.filter((name) => !this.#everybodys!.has(name));
    return own.every((name) => this.#chainsNamed(name).every(isOfAll)) ? slice : undefined;
  }

  /** What packets meet that come or go by none of its ports. */
  ofNone(): Slice {
    return this.#slices.of(NOBODY, NO_PORTS, this.#ports.fixedOf(this.#stack));
  }

  #chainsNamed(name: string): readonly Chain[] {
    return this.#stack.netfilter.tables.flatMap((t) => chainNamed(t, name) ?? []);
  }

  /**
   * Whether no rule for some of its ports stands among rules for hosts or for single ports, beside which its place says something, too; and none is for
   * packets that come by some and go by some, by itself or by where it stands: what it says of one of these is not seen with this one alone.
   */
  #tellsApart(): boolean {
    const { devices, netfilter } = this.#stack;
    const ports = devices.items.filter((d) => isPort(d) && d.master === undefined).map((d) => d.name);
    const isForSome = (criterion: Rule["inInterface"]): boolean => {
      const taken = criterion === undefined ? 0 : ports.filter((name) => interfaceMatches(criterion, name)).length;
      return taken > 0 && taken < ports.length;
    };
    for (const table of netfilter.tables) {
      const chains = new Set<Chain>();
      const coming: Rule[] = [];
      const going: Rule[] = [];
      for (const flag of [" -i ", " -o "])
        for (const { chain, rule } of rulesSaying(table, flag)) {
          if (isForSome(rule.inInterface)) coming.push(rule);
          if (isForSome(rule.outInterface)) going.push(rule);
          if (isForSome(rule.inInterface) || isForSome(rule.outInterface)) chains.add(chain);
        }
      for (const chain of chains) if (!isOfAll(chain)) return false;
      if (leadTo(table, coming, (r) => isForSome(r.outInterface))) return false;
      if (leadTo(table, going, (r) => isForSome(r.inInterface))) return false;
    }
    return true;
  }
}

/** Whether some of these rules, or one that they lead to, is such a one. */
function leadTo(table: IptablesTable, rules: readonly Rule[], isSuch: (rule: Rule) => boolean): boolean {
  const seen = new Set<string>();
  const waiting = [...rules];
  for (let rule = waiting.pop(); rule !== undefined; rule = waiting.pop()) {
    if (isSuch(rule)) return true;
    const { target } = rule;
    if (target.kind !== "jump" || seen.has(target.chain)) continue;
    seen.add(target.chain);
    const chain = chainNamed(table, target.chain);
    // What cannot be looked through may be.
    if (chain !== undefined && ruleCount(chain) > MOST_RULES) return true;
    for (const next of chain?.rules ?? []) waiting.push(next);
  }
  return false;
}

/** It has no rule for single addresses or ports. */
export const isOfAll = (chain: Chain): boolean => ruleCount(chain) <= MOST_RULES && chain.rules.every(isForAll);
