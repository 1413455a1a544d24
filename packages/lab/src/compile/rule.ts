import type { Rule } from "@hairpin/core/model/index.ts";
import { ruleArguments } from "@hairpin/core/parse/iptables/print.ts";
import { Unspeakable } from "./words.ts";

/** What follows `-A CHAIN` in the input of iptables-restore, each word quoted as add_param_to_argv() reads it. */
export function printRule(rule: Rule, family: 4 | 6): string {
  for (const match of rule.matches) {
    if (match.kind === "unknown") throw new Unspeakable(`a match that was not understood: ${match.text}`);
  }
  if (rule.target.kind === "unknown") throw new Unspeakable(`a target that was not understood: ${rule.target.text}`);
  return ruleArguments(rule, family).map(quote).join(" ");
}

function quote(word: string): string {
  // iptables-restore obeys --modprobe=COMMAND in a rule.
  if (/^(?:-M|--modp)/.test(word)) throw new Unspeakable(`${JSON.stringify(word)} is not passed on`);
  if (word.length > 1000) throw new Unspeakable("a word longer than iptables-restore takes");
  if (/^[A-Za-z0-9_.:,/=+@!~%^|-]+$/.test(word)) return word;
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}
