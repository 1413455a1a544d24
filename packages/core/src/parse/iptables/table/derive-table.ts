import { BUILT_IN_CHAINS, type IptablesTableName, type Rule, wellKnownTables } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { extensionOfMatch, extensionOfTarget } from "../rule/registry.ts";
import { TABLES } from "../save/settle.ts";

/** A line whose table is to be found. */
export interface Placed {
  readonly chain: string;
  readonly rule: Rule | undefined;
  /** Lines of one section are of one table: iptables-save prints all chain lines of a table before its rules. */
  readonly section: number;
}

export interface Assignment {
  readonly tables: readonly IptablesTableName[];
  /** No choice was left anywhere. */
  readonly certain: boolean;
}

/** Which table is meant where several are possible: the one people mean when they name none. */
const PREFERENCE: readonly IptablesTableName[] = ["filter", "nat", "mangle", "raw", "security"];

type Tables = ReadonlySet<IptablesTableName>;
const ALL: Tables = new Set(TABLES);
const both = (a: Tables, b: Tables): Tables => new Set([...a].filter((table) => b.has(table)));
const narrowed = (a: Tables, names: readonly IptablesTableName[] | undefined): Tables =>
  names === undefined ? a : both(a, new Set(names));
/** Habits of programs yield to what the kernel allows. */
const preferring = (a: Tables, names: readonly IptablesTableName[] | undefined): Tables => {
  const fewer = narrowed(a, names);
  return fewer.size > 0 ? fewer : a;
};

/** The tables that can hold this line. */
function possible({ chain, rule }: Placed, family: Family): Tables {
  const hooks = TABLES.filter((table) => BUILT_IN_CHAINS[table].includes(chain));
  let tables = hooks.length > 0 ? new Set(hooks) : ALL;
  if (rule !== undefined) {
    for (const match of rule.matches)
      tables = narrowed(tables, extensionOfMatch(match, family)?.tables) as typeof tables;
    tables = narrowed(tables, extensionOfTarget(rule.target, family)?.tables) as typeof tables;
    if (rule.target.kind === "jump") tables = preferring(tables, wellKnownTables(rule.target.chain)) as typeof tables;
  }
  return preferring(tables, wellKnownTables(chain));
}

const choose = (tables: Tables): IptablesTableName => PREFERENCE.find((table) => tables.has(table)) ?? "filter";

/**
 * A section is of one table if one can hold all of it. Otherwise chains that jump to one another are in one table, so
 * that what one of them can hold decides for all; and where even that fails, each line is taken by itself.
 */
export function assignTables(
  lines: readonly Placed[],
  family: Family,
  known: IptablesTableName | undefined,
): Assignment {
  if (known !== undefined) return { tables: lines.map(() => known), certain: true };
  const own = lines.map((line) => possible(line, family));
  const sections = new Map<number, Tables>();
  for (const [i, { section }] of lines.entries()) sections.set(section, both(sections.get(section) ?? ALL, own[i]!));
  const components = componentsOf(lines, own);
  const taken = new Set([...sections.values()].filter((s) => s.size === 1).map((s) => [...s][0]!));
  let certain = true;
  const chosen = new Map<number, Tables>();
  for (const [section, tables] of sections) {
    // One iptables-save shows a table once.
    const free = new Set([...tables].filter((t) => !taken.has(t)));
    chosen.set(section, tables.size > 1 && free.size > 0 && sections.size > 1 ? free : tables);
  }
  const tables = lines.map((line, i) => {
    const whole = chosen.get(line.section)!;
    const component = components(line.chain);
    const candidates = whole.size > 0 ? whole : component.size > 0 ? component : own[i]!;
    if (candidates.size !== 1) certain = false;
    return choose(candidates);
  });
  return { tables, certain };
}

/** Joins chains by their jumps. */
function componentsOf(lines: readonly Placed[], own: readonly Tables[]): (chain: string) => Tables {
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
  const tables = new Map<string, Tables>();
  for (const [i, { chain }] of lines.entries()) {
    const root = find(chain);
    tables.set(root, both(tables.get(root) ?? ALL, own[i]!));
  }
  return (chain) => tables.get(find(chain)) ?? ALL;
}
