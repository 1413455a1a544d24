import { text } from "@hairpin/core/messages/index.ts";
import type { Match, Rule } from "@hairpin/core/model/index.ts";
import { type IptablesCommand, type IptablesOperation, printRuleSpec } from "@hairpin/core/parse/iptables/index.ts";
import { chainName, ruleLine } from "../gate.ts";
import { type Backend, changeTable, readTable } from "../iptables-tool.ts";
import { type Item, looked, type Prior, Trouble } from "../item.ts";

type Kept = Extract<IptablesOperation, { kind: "append" | "insert" }>;
type Removed = Extract<IptablesOperation, { kind: "delete" }>;

/** Our rules carry this comment: they are told from equal ones of somebody else, and anybody who lists them sees whose they are. */
const COMMENT: Match = { kind: "comment", text: "hairpin guard" };

const isComment = (m: Match): boolean => m.kind === "comment";

/** A chain of the node, rules as the core prints them: the same rule is the same text, comments aside. */
function chainOf({ family, table }: IptablesCommand, backend: Backend, chain: string) {
  chainName(chain);
  const tool = `${family === 6 ? "ip6tables" : "iptables"}-${backend}`;
  const bare = (rule: Rule): string =>
    printRuleSpec({ ...rule, matches: rule.matches.filter((m) => !isComment(m)) }, family);
  const owned = (rule: Rule): string =>
    printRuleSpec({ ...rule, matches: [...rule.matches.filter((m) => !isComment(m)), COMMENT] }, family);
  const now = (): readonly Rule[] => {
    const rules = readTable(tool, table).chains.find((c) => c.name === chain)?.rules;
    if (rules === undefined) throw new Trouble(text("guard.no-chain", { tool, table, chain }));
    return rules;
  };
  const exact = (rule: Rule): string => printRuleSpec(rule, family);
  return { bare, owned, exact, now, change: (...lines: readonly string[]) => changeTable(tool, table, lines) };
}

/** A rule kept in a chain. */
export function keptRule(
  command: string,
  typed: IptablesCommand,
  { kind, chain, rule, ...rest }: Kept,
  backend: Backend,
): Item {
  const position = kind === "insert" && "position" in rest ? (rest.position as number) : undefined;
  const { bare, owned, exact, now, change } = chainOf(typed, backend, chain);
  const wanted = bare(rule);
  const ours = ruleLine(owned(rule));
  const isOurs = (r: Rule): boolean => exact(r) === ours;
  const put = (count: number): string =>
    position === undefined ? `-A ${chain} ${ours}` : `-I ${chain} ${Math.min(position, count + 1)} ${ours}`;

  /** Something it was put in front of has come to stand before it. */
  const displaced = (rules: readonly Rule[], prior: Prior | undefined): boolean => {
    const behind = new Set((prior?.behind as readonly string[] | undefined) ?? []);
    const at = rules.findIndex((r) => bare(r) === wanted);
    return rules.slice(0, Math.max(0, at)).some((r) => behind.has(bare(r)));
  };
  return {
    command,
    where: `${typed.table} ${chain}`,
    look: (prior) =>
      looked(() => {
        const rules = now();
        if (!rules.some((r) => bare(r) === wanted)) return "absent";
        return displaced(rules, prior) ? "displaced" : "present";
      }),
    before: () => {
      const rules = now();
      return {
        there: rules.some((r) => bare(r) === wanted && !isOurs(r)),
        behind:
          position === undefined
            ? []
            : rules
                .slice(position - 1)
                .map(bare)
                .filter((text) => text !== wanted),
      };
    },
    apply: (prior) => {
      const rules = now();
      if (!rules.some((r) => bare(r) === wanted)) change(put(rules.length));
      else if (displaced(rules, prior))
        change(...(rules.some(isOurs) ? [`-D ${chain} ${ours}`] : []), put(rules.length - 1));
    },
    revert: () => {
      const mine = now().filter(isOurs).length;
      if (mine > 0) change(...Array.from({ length: mine }, () => `-D ${chain} ${ours}`));
    },
  };
}

/** A rule kept out of a chain. */
export function removedRule(command: string, typed: IptablesCommand, { chain, rule }: Removed, backend: Backend): Item {
  const { exact, now, change } = chainOf(typed, backend, chain);
  const unwanted = ruleLine(exact(rule));
  const at = (): number => now().findIndex((r) => exact(r) === unwanted) + 1;
  return {
    command,
    where: `${typed.table} ${chain}`,
    look: () => looked(() => (at() === 0 ? "present" : "absent")),
    before: () => ({ at: at() }),
    apply: () => {
      if (at() > 0) change(`-D ${chain} ${unwanted}`);
    },
    revert: (prior) => {
      const position = Number(prior.at);
      if (position > 0 && at() === 0) change(`-I ${chain} ${Math.min(position, now().length + 1)} ${unwanted}`);
    },
  };
}
