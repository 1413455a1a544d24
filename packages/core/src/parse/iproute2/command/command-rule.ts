import { TABLE_MAIN } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import type { Family } from "../../../net/index.ts";
import { emptyRule, familyOfRule, takeAction, takeSelector } from "../rule/rule-words.ts";
import { numberOf } from "../words.ts";
import type { IpCommand } from "./command.ts";
import { cursorFrom, refuse, resolve, type Typed } from "./command-cursor.ts";

/** Words iprule_modify() takes in full or abbreviated, in its order, by the word the listing prints. */
const EXACT: Readonly<Record<string, string>> = lookup({
  lookup: "lookup",
  tos: "tos",
  sup_pl: "suppress_prefixlength",
  sup_group: "suppress_ifgroup",
  dev: "iif",
  nat: "map-to",
  proto: "proto",
  flowlabel: "flowlabel",
});
const ABBREVIATED: readonly (readonly [string, string])[] = [
  ["preference", "preference"],
  ["order", "preference"],
  ["priority", "preference"],
  ["dsfield", "tos"],
  ["realms", "realms"],
  ["protocol", "proto"],
  ["tun_id", "tun_id"],
  ["table", "lookup"],
  ["suppress_prefixlength", "suppress_prefixlength"],
  ["suppress_ifgroup", "suppress_ifgroup"],
  ["map-to", "map-to"],
  ["goto", "goto"],
  ["nop", "nop"],
  ["blackhole", "blackhole"],
  ["unreachable", "unreachable"],
  ["prohibit", "prohibit"],
];
const PLAIN: ReadonlySet<string> = new Set([
  "not",
  "from",
  "to",
  "fwmark",
  "iif",
  "oif",
  "uidrange",
  "ipproto",
  "sport",
  "dport",
  "dscp",
]);

function ruleWord(text: string): string {
  if (PLAIN.has(text)) return text;
  return EXACT[text] ?? ABBREVIATED.find(([whole]) => whole.startsWith(text))?.[1] ?? text;
}

/** Reads `ip rule VERB …`; `asked` is the family of -4 or -6. */
export function readRuleCommand(typed: Typed, requested: Family | undefined): IpCommand {
  const verb = resolve(typed.words[typed.first], ["list", "show", "add", "delete", "flush", "save", "restore"]);
  if (verb !== "add" && verb !== "delete" && verb !== "flush") return refuse(typed, "this changes no rule");
  const cursor = cursorFrom(typed, 1);
  if (verb !== "flush" && cursor.done) return refuse(typed, `"ip rule ${verb}" needs arguments`);
  const draft = emptyRule();
  while (!cursor.done) {
    const text = cursor.take()!;
    if (text === "type") continue;
    const key = ruleWord(text);
    if (key === "preference") {
      const preference = numberOf(cursor.take());
      if (preference === undefined) return refuse(typed, `not a value for "${text}"`, cursor);
      draft.preference = preference;
      continue;
    }
    if (key === "l3mdev") {
      draft.l3mdev = true;
      draft.action = { kind: "lookup", table: 0 };
      continue;
    }
    let outcome = takeSelector(key, cursor, draft);
    if (outcome === "unknown") outcome = takeAction(key, cursor, draft);
    if (outcome === "bad-value") return refuse(typed, `not a value for "${text}"`, cursor);
    if (outcome === "unknown") return refuse(typed, `"${text}" is not known in a rule`, cursor);
  }
  // Mark 0 without a mask compares no bit: fib_nl2rule() sets the mask of a mark that is not zero.
  if (draft.fwmark === 0 && draft.fwmask === undefined) delete draft.fwmark;
  if (verb === "add" && draft.action === undefined) draft.action = { kind: "lookup", table: TABLE_MAIN };
  const family = familyOfRule(draft) ?? requested ?? 4;
  return { kind: "rule", verb, rule: { family, ...draft, origin: typed.origin }, origin: typed.origin };
}
