import { type Text, text } from "@hairpin/core/messages/index.ts";
import type { RoutingRule } from "@hairpin/core/model/index.ts";
import { type IpCommand, ruleCommand } from "@hairpin/core/parse/iproute2/index.ts";
import { type Item, looked } from "../item.ts";
import { change, listed } from "./iproute2.ts";

type RuleCommand = Extract<IpCommand, { kind: "rule" }>;

const rulesNow = (family: 4 | 6): readonly RoutingRule[] =>
  listed("ip-rule", [`-${family}`, "rule", "show"]).flatMap((f) => (f.kind === "routing-rules" ? f.rules : []));

const without = (args: readonly string[], ...words: readonly string[]): readonly string[] => {
  const at = args.findIndex((w) => words.includes(w));
  return at < 0 ? args : [...args.slice(0, at), ...args.slice(at + 2)];
};

/** A routing rule, kept or kept out. One without a preference is the same rule wherever the kernel put it. */
export function ipRuleItem(command: string, { verb, rule: query }: RuleCommand): Item | Text {
  if (verb === "flush" || query.action === undefined) return text("guard.only-ip-rule");
  const rule: RoutingRule = { ...query, preference: query.preference ?? 0, action: query.action };
  const numbered = query.preference !== undefined;
  const key = (r: RoutingRule): string => {
    const args = without(ruleCommand(r), ...(query.protocol === undefined ? ["protocol"] : []));
    return (numbered ? args : without(args, "pref")).join(" ");
  };
  const wanted = key(rule);
  const found = (): RoutingRule | undefined => rulesNow(rule.family).find((r) => key(r) === wanted);
  const add = (r: RoutingRule, withPreference: boolean): void => {
    if (found() === undefined) change(withPreference ? ruleCommand(r) : without(ruleCommand(r), "pref"));
  };
  const remove = (): void => {
    const there = found();
    if (there !== undefined) change(ruleCommand(there).map((w) => (w === "add" ? "del" : w)));
  };
  const keeps = verb === "add";
  return {
    command,
    where: "ip rule",
    look: () => looked(() => ((found() !== undefined) === keeps ? "present" : "absent")),
    before: () => ({ preference: found()?.preference ?? null }),
    apply: () => (keeps ? add(rule, numbered) : remove()),
    revert: ({ preference }) => {
      if (keeps && preference === null) remove();
      if (!keeps && typeof preference === "number") add({ ...rule, preference }, true);
    },
  };
}
