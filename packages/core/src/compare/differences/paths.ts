import type { Chain, IptablesTable, Rule, Stack } from "../../model/index.ts";
import type { Address, Family } from "../../net/index.ts";

/** Ways into a chain that are followed: one is enough to send a packet there, a few make it likely. */
const MAX_PATHS = 4;
const MAX_DEPTH = 16;

const callers = new WeakMap<
  IptablesTable,
  ReadonlyMap<string, readonly { readonly chain: Chain; readonly rule: Rule }[]>
>();

function callersIn(table: IptablesTable) {
  let known = callers.get(table);
  if (known === undefined) {
    const made = new Map<string, { chain: Chain; rule: Rule }[]>();
    for (const chain of table.chains) {
      for (const rule of chain.rules) {
        if (rule.target.kind !== "jump") continue;
        const list = made.get(rule.target.chain);
        if (list === undefined) made.set(rule.target.chain, [{ chain, rule }]);
        else if (list.length < MAX_PATHS) list.push({ chain, rule });
      }
    }
    known = made;
    callers.set(table, known);
  }
  return known;
}

/** Rules that jump to each other from a hook to a rule that is wanted, which comes last. None where no packet gets there. */
export function pathsTo(stack: Stack, family: Family, wanted: (rule: Rule) => boolean): readonly (readonly Rule[])[] {
  const out: (readonly Rule[])[] = [];
  for (const table of stack.netfilter.tables) {
    if (table.family !== family) continue;
    for (const chain of table.chains) {
      for (const rule of chain.rules) {
        if (!wanted(rule)) continue;
        for (const before of pathsInto(table, chain)) out.push([...before, rule]);
        if (out.length > MAX_PATHS * MAX_PATHS) return out;
      }
    }
  }
  return out;
}

/** Paths to the DNAT rules that send packets to an address, by that address. */
export function dnatTo(stack: Stack, address: Address): readonly (readonly Rule[])[] {
  let index = dnats.get(stack);
  if (index === undefined) {
    index = new Map();
    for (const table of stack.netfilter.tables) {
      for (const chain of table.chains) {
        for (const rule of chain.rules) {
          const to = rule.target.kind === "dnat" ? rule.target.to.addresses?.from : undefined;
          if (to === undefined) continue;
          const list = index.get(to);
          if (list === undefined) index.set(to, [{ table, chain, rule }]);
          else if (list.length < MAX_PATHS) list.push({ table, chain, rule });
        }
      }
    }
    dnats.set(stack, index);
  }
  const found = index.get(address) ?? [];
  return found.flatMap(({ table, chain, rule }) => pathsInto(table, chain).map((path) => [...path, rule]));
}

interface Placed {
  readonly table: IptablesTable;
  readonly chain: Chain;
  readonly rule: Rule;
}
const dnats = new WeakMap<Stack, Map<Address, Placed[]>>();

function pathsInto(table: IptablesTable, chain: Chain, depth = 0): readonly (readonly Rule[])[] {
  if (chain.policy !== undefined) return [[]];
  if (depth > MAX_DEPTH) return [];
  const out: (readonly Rule[])[] = [];
  for (const caller of callersIn(table).get(chain.name) ?? []) {
    for (const path of pathsInto(table, caller.chain, depth + 1)) out.push([...path, caller.rule]);
    if (out.length >= MAX_PATHS) break;
  }
  return out.slice(0, MAX_PATHS);
}
