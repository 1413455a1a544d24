import { type Text, text } from "@hairpin/core/messages/index.ts";
import type { NftChain, NftRule, NftTable } from "@hairpin/core/model/index.ts";
import { sourceOf } from "@hairpin/core/parse/index.ts";
import { printNftRule, readRuleset } from "@hairpin/core/parse/nft/index.ts";
import { nftName } from "../gate.ts";
import { type Item, looked, type Prior, Trouble } from "../item.ts";
import { changeNft, readNftTable } from "../nft-tool.ts";

const FAMILY = "(ip6?|inet|arp|bridge|netdev)";
const TABLE = new RegExp(`^add table ${FAMILY} (\\S+)$`);
const CHAIN = new RegExp(`^add chain ${FAMILY} (\\S+) (\\S+) (\\{.+\\})$`);
const POLICY = new RegExp(`^(?:add )?chain ${FAMILY} (\\S+) (\\S+) \\{ policy (accept|drop) ; \\}$`);
const RULE = new RegExp(`^(add|insert) rule ${FAMILY} (\\S+) (\\S+) (.+)$`);

interface ChainName {
  readonly family: string;
  readonly table: string;
  readonly chain: string;
}

/** `nft add table`, `add chain`, a policy, and rules added or inserted; what else nft does is not kept. */
export function nftItem(command: string, typed: string): Item | Text {
  const policy = POLICY.exec(typed);
  if (policy !== null) {
    const [, family = "", table = "", chain = "", wanted = ""] = policy;
    return policyItem(command, { family, table, chain }, wanted as "accept" | "drop");
  }
  const made = TABLE.exec(typed) ?? CHAIN.exec(typed);
  if (made !== null) {
    const [, family = "", table = "", chain, head] = made;
    return chain === undefined
      ? tableItem(command, family, table)
      : chainItem(command, { family, table, chain }, head ?? "");
  }
  const rule = RULE.exec(typed);
  if (rule === null) return text("guard.only-rules");
  const [, verb, family = "", table = "", chain = "", words = ""] = rule;
  return ruleItem(command, { family, table, chain }, words, verb === "insert");
}

const named = ({ family, table, chain }: ChainName): string =>
  [family, table, chain].map((name) => nftName(name)).join(" ");

const tableItem = (command: string, family: string, table: string): Item => ({
  command,
  where: `${nftName(family)} ${nftName(table)}`,
  look: () => looked(() => (readNftTable(family, table) === undefined ? "absent" : "present")),
  before: () => ({ there: readNftTable(family, table) !== undefined }),
  apply: () => changeNft([`add table ${family} ${table}`]),
  revert: (prior) => {
    const now = readNftTable(family, table);
    // Somebody else may have put something there meanwhile.
    if (prior.there !== true && now !== undefined && now.chains.length === 0)
      changeNft([`delete table ${family} ${table}`]);
  },
});

const chainIn = (table: NftTable | undefined, name: string): NftChain | undefined =>
  table?.chains.find((c) => c.name === name);

/** What a head says, printed from what was read of it: its text goes nowhere. */
function headOf(place: ChainName, head: string): string {
  const { tables } = readRuleset(
    sourceOf("nft", `add table ${place.family} t\nadd chain ${place.family} t c ${head}\n`),
  );
  const base = chainIn(tables[0], "c")?.base;
  if (base === undefined || base.devices.length > 0) throw new Trouble(text("guard.only-rules"));
  return `{ type ${base.type} hook ${base.hook} priority ${base.priority}; policy ${base.policy}; }`;
}

function chainItem(command: string, place: ChainName, head: string): Item {
  const { family, table, chain } = place;
  const printed = headOf(place, head);
  const now = (): NftChain | undefined => chainIn(readNftTable(family, table), chain);
  return {
    command,
    where: named(place),
    look: () => looked(() => (now() === undefined ? "absent" : "present")),
    before: () => ({ there: now() !== undefined }),
    apply: () => changeNft([`add table ${family} ${table}`, `add chain ${named(place)} ${printed}`]),
    revert: (prior) => {
      const there = now();
      if (prior.there !== true && there !== undefined && there.rules.length === 0)
        changeNft([`delete chain ${named(place)}`]);
    },
  };
}

function policyItem(command: string, place: ChainName, wanted: "accept" | "drop"): Item {
  const { family, table, chain } = place;
  const now = (): "accept" | "drop" => {
    const base = chainIn(readNftTable(family, table), chain)?.base;
    if (base === undefined)
      throw new Trouble(text("guard.no-chain", { tool: "nft", table: `${family} ${table}`, chain }));
    return base.policy;
  };
  const set = (policy: "accept" | "drop") => changeNft([`add chain ${named(place)} { policy ${policy}; }`]);
  return {
    command,
    where: named(place),
    look: () => looked(() => (now() === wanted ? "present" : "absent")),
    before: () => ({ policy: now() }),
    apply: () => set(wanted),
    revert: (prior) => {
      if (prior.policy === "accept" || prior.policy === "drop") set(prior.policy);
    },
  };
}

/** A number for a rule by what it says: nft prints rules otherwise than they were typed, and keeps their comments. */
function numberOf(rule: string): string {
  let hash = 0x811c9dc5;
  for (const char of rule) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

function ruleItem(command: string, place: ChainName, typed: string, first: boolean): Item {
  const { family, table, chain } = place;
  const source = sourceOf("nft", `add table ${family} t\nadd chain ${family} t c\nadd rule ${family} t c ${typed}\n`);
  const { tables, diagnostics } = readRuleset(source);
  const rule = chainIn(tables[0], "c")?.rules[0];
  if (rule === undefined || diagnostics.length > 0) throw new Trouble(text("guard.only-rules"));
  const { comment: _, ...bare } = rule;
  // Ours carry this comment: they are told from equal ones of somebody else, and anybody who lists them sees whose they are.
  const comment = `hairpin guard ${numberOf(printNftRule(bare))}`;
  const printed = printNftRule({ ...bare, comment });
  const isOurs = (r: NftRule): boolean => r.comment === comment;
  const now = (): readonly NftRule[] => {
    const found = chainIn(readNftTable(family, table), chain);
    if (found === undefined)
      throw new Trouble(text("guard.no-chain", { tool: "nft", table: `${family} ${table}`, chain }));
    return found.rules;
  };
  const textOf = (r: NftRule): string => printNftRule(r).replace(/ ?counter packets \d+ bytes \d+/, "");
  const displaced = (rules: readonly NftRule[], prior: Prior | undefined): boolean => {
    const behind = new Set((prior?.behind as readonly string[] | undefined) ?? []);
    return rules.slice(0, Math.max(0, rules.findIndex(isOurs))).some((r) => behind.has(textOf(r)));
  };
  const put = `${first ? "insert" : "add"} rule ${named(place)} ${printed}`;
  const removal = (rules: readonly NftRule[]): readonly string[] =>
    rules
      .filter(isOurs)
      .flatMap((r) => (r.handle === undefined ? [] : [`delete rule ${named(place)} handle ${r.handle}`]));
  return {
    command,
    where: named(place),
    look: (prior) =>
      looked(() => {
        const rules = now();
        if (!rules.some(isOurs)) return "absent";
        return displaced(rules, prior) ? "displaced" : "present";
      }),
    before: () => ({
      behind: first
        ? nowOrNone(now)
            .filter((r) => !isOurs(r))
            .map(textOf)
        : [],
    }),
    apply: (prior) => {
      const rules = now();
      if (!rules.some(isOurs)) changeNft([put]);
      else if (displaced(rules, prior)) changeNft([...removal(rules), put]);
    },
    revert: () => {
      const gone = removal(nowOrNone(now));
      if (gone.length > 0) changeNft(gone);
    },
  };
}

/** A chain that this very fix makes is not there before it. */
function nowOrNone(now: () => readonly NftRule[]): readonly NftRule[] {
  try {
    return now();
  } catch (error) {
    if (error instanceof Trouble) return [];
    throw error;
  }
}
