import type { IptablesTableName, Rule } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { BUILT_IN_CHAINS } from "./place.ts";
import { extensionOfMatch, extensionOfTarget } from "./registry.ts";
import { TABLES } from "./settle.ts";

/** A line whose table is to be found. */
export interface Placed {
  readonly chain: string;
  readonly rule: Rule | undefined;
}

export interface Assignment {
  readonly tables: readonly IptablesTableName[];
  /** No choice was left anywhere. */
  readonly certain: boolean;
}

/** Which table is meant where several are possible: the one people mean when they name none. */
const PREFERENCE: readonly IptablesTableName[] = ["filter", "nat", "mangle", "raw", "security"];

const ALL = new Set(TABLES);
const without = (a: ReadonlySet<IptablesTableName>, b: ReadonlySet<IptablesTableName>) =>
  new Set([...a].filter((table) => b.has(table)));

/** The tables that can hold this line. */
function possible({ chain, rule }: Placed, family: Family): ReadonlySet<IptablesTableName> {
  let tables: ReadonlySet<IptablesTableName> = ALL;
  const hook = TABLES.filter((table) => BUILT_IN_CHAINS[table].includes(chain));
  if (hook.length > 0) tables = new Set(hook);
  if (rule === undefined) return tables;
  const narrow = (allowed: readonly IptablesTableName[] | undefined) => {
    if (allowed !== undefined) tables = without(tables, new Set(allowed));
  };
  for (const match of rule.matches) narrow(extensionOfMatch(match, family)?.tables);
  narrow(extensionOfTarget(rule.target, family)?.tables);
  return tables;
}

/**
 * Chains that jump to one another are in one table, so what one of them can hold decides for all. Where lines of two
 * tables stand together under one chain's name, each line is taken by itself.
 */
export function assignTables(
  lines: readonly Placed[],
  family: Family,
  known: IptablesTableName | undefined,
): Assignment {
  if (known !== undefined) return { tables: lines.map(() => known), certain: true };
  const parent = new Map<string, string>();
  const find = (name: string): string => {
    let root = name;
    while (parent.has(root) && parent.get(root) !== root) root = parent.get(root)!;
    for (let at = name; at !== root; ) {
      const next = parent.get(at) ?? root;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { chain, rule } of lines) {
    if (rule?.target.kind === "jump") parent.set(find(chain), find(rule.target.chain));
  }
  const own = lines.map((line) => possible(line, family));
  const groups = new Map<string, ReadonlySet<IptablesTableName>>();
  for (const [i, { chain }] of lines.entries()) {
    const root = find(chain);
    groups.set(root, without(groups.get(root) ?? ALL, own[i]!));
  }
  let certain = true;
  const tables = lines.map(({ chain }, i) => {
    const group = groups.get(find(chain))!;
    const candidates = group.size > 0 ? group : own[i]!;
    if (candidates.size !== 1) certain = false;
    return PREFERENCE.find((table) => candidates.has(table)) ?? "filter";
  });
  return { tables, certain };
}
