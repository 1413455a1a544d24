import type { Match, Rule, Target } from "@hairpin/core/model/index.ts";
import {
  BadWord,
  chainWord,
  interfacePattern,
  macWord,
  nameWord,
  ruleWord,
  setWord,
  type Word,
} from "@hairpin/core/model/word.ts";
import { ruleArguments } from "@hairpin/core/parse/iptables/rule/print.ts";
import { Unspeakable } from "./refusal.ts";

/** What follows `-A CHAIN` in the input of iptables-restore, each word quoted as add_param_to_argv() reads it. */
export function ruleWords(rule: Rule, family: 4 | 6): readonly Word[] {
  for (const side of [rule.inInterface, rule.outInterface]) if (side !== undefined) interfacePattern(side.value);
  if (rule.protocolName !== undefined) nameWord(rule.protocolName);
  for (const match of rule.matches) checkMatch(match);
  checkTarget(rule.target);
  const args = ruleArguments(rule, family);
  const isText = (i: number): boolean => TEXTS.has(args[i - 1] ?? "");
  for (const [i, word] of args.entries()) {
    if (isText(i)) continue;
    if (word.startsWith("-") && !OPTION.test(word)) throw new BadWord("rule-word", word);
    const before = isText(i - 1) ? "" : args[i - 1];
    if (before === "-m") nameWord(word);
    else if (before === "-j" || before === "-g") chainWord(word);
  }
  return args.map(ruleWord);
}

/** What may stand where iptables looks for an option: no value joined to it, no cluster of letters. */
const OPTION = /^(?:-[a-z]|--[a-z0-9][a-z0-9-]*)$/;
/** Options whose next word is a text of somebody's own, and is taken as it is (required_argument of getopt). */
const TEXTS: ReadonlySet<string> = new Set(["--comment", "--log-prefix", "--nflog-prefix"]);

/** A text of somebody's own is held by quotes; every other is looked at before it is printed among the options. */
function checkMatch(match: Match): void {
  switch (match.kind) {
    case "unknown":
      throw new Unspeakable(`a match that was not understood: ${match.text}`);
    case "comment":
      return;
    case "set":
      setWord(match.name);
      break;
    case "physdev":
      for (const side of [match.in, match.out]) if (side !== undefined) interfacePattern(side.value);
      return;
    case "mac":
      macWord(match.source);
      return;
    case "other":
      nameWord(match.name);
      break;
    default:
  }
  checkTexts(match, match.kind === "other" || "options" in match);
}

function checkTarget(target: Target): void {
  switch (target.kind) {
    case "unknown":
      throw new Unspeakable(`a target that was not understood: ${target.text}`);
    case "jump":
      chainWord(target.chain);
      return;
    case "set":
      setWord(target.name);
      break;
    case "log":
    case "nflog":
      checkTexts({ ...target, prefix: undefined }, true);
      return;
    case "other":
      nameWord(target.name);
      break;
    default:
  }
  checkTexts(target, "options" in target);
}

/** Every text below this value: none begins like an option, but those that are words of options themselves. */
function checkTexts(value: unknown, options: boolean, key = ""): void {
  if (typeof value === "string") {
    const option = options && key === "options" && OPTION.test(value);
    if (value.startsWith("-") && !option) throw new BadWord("rule-word", value);
  } else if (Array.isArray(value)) {
    for (const one of value) checkTexts(one, options, key);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) checkTexts(one, options, key === "options" ? key : name);
  }
}
