import type { Policy, Rule } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import type { RuleSetting } from "../rule/reader.ts";
import { readRule } from "../rule/rule.ts";
import type { Words } from "../rule/words.ts";
import type { IptablesOperation } from "./command.ts";

export interface OperationProblem {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly word: number;
}

export type OperationReading =
  | { readonly operations: readonly IptablesOperation[] }
  | { readonly problem: OperationProblem };

const LONG: Readonly<Record<string, string>> = lookup({
  "--append": "A",
  "--check": "C",
  "--delete": "D",
  "--insert": "I",
  "--replace": "R",
  "--flush": "F",
  "--zero": "Z",
  "--new-chain": "N",
  "--new": "N",
  "--delete-chain": "X",
  "--policy": "P",
  "--rename-chain": "E",
  "--list": "L",
  "--list-rules": "S",
});
const LETTERS = "ACDIRFZNXPELS";

/** The letter of a word such as `-A`, `--append`; undefined if it is no operation. */
export const operationOf = (word: string): string | undefined =>
  word.length === 2 && word[0] === "-" && LETTERS.includes(word[1]!) ? word[1] : LONG[word];

const isNumber = (word: string | undefined): word is string => word !== undefined && /^\d{1,9}$/.test(word);

/**
 * One operation in the words from `at` on: `-I CHAIN [N] …`. What stands before the operation (`-t nat`, `-p tcp` …)
 * has been moved behind it by the caller.
 */
export function readOperation(words: Words, at: number, setting: (chain: string) => RuleSetting): OperationReading {
  const { texts } = words;
  const letter = operationOf(texts[at] ?? "");
  const fail = (code: string, message: string, word: number): OperationReading => ({
    problem: { severity: "error", code, message, word },
  });
  if (letter === undefined || letter === "L" || letter === "S")
    return fail(
      "iptables-unknown-operation",
      `"${(texts[at] ?? "").slice(0, 40)}" changes nothing that is known here`,
      at,
    );
  const chain = texts[at + 1];
  const named = chain !== undefined && !chain.startsWith("-") && chain !== "!";
  if (letter === "F" || letter === "Z" || letter === "X") {
    const kind = ({ F: "flush", Z: "zero", X: "delete-chain" } as const)[letter];
    return { operations: [named ? { kind, chain } : { kind }] };
  }
  if (!named) return fail("iptables-missing-chain", "a chain's name is missing here", at);
  if (/[\s"]/.test(chain)) return fail("iptables-bad-chain", "a chain's name has no blanks and no quotes", at + 1);
  switch (letter) {
    case "N":
      return { operations: [{ kind: "new-chain", chain }] };
    case "E": {
      const to = texts[at + 2];
      return to === undefined
        ? fail("iptables-missing-chain", "the new name is missing", at)
        : { operations: [{ kind: "rename-chain", chain, to }] };
    }
    case "P": {
      const policy = texts[at + 2];
      return policy === "ACCEPT" || policy === "DROP" || policy === "QUEUE"
        ? { operations: [{ kind: "policy", chain, policy: policy as Policy }] }
        : fail("iptables-bad-policy", "a policy is ACCEPT or DROP", at + 2);
    }
    case "D":
      if (isNumber(texts[at + 2]))
        return { operations: [{ kind: "delete-number", chain, position: Number(texts[at + 2]) }] };
      break;
  }
  const numbered = (letter === "I" || letter === "R") && isNumber(texts[at + 2]);
  if (letter === "R" && !numbered) return fail("iptables-missing-number", "-R wants the number of a rule", at);
  const rules = readRule(words, at + (numbered ? 3 : 2), setting(chain));
  const position = numbered ? Number(texts[at + 2]) : 1;
  return { operations: rules.map((rule, i) => ruleOperation(letter, chain, position + i, rule)) };
}

function ruleOperation(letter: string, chain: string, position: number, rule: Rule): IptablesOperation {
  switch (letter) {
    case "A":
      return { kind: "append", chain, rule };
    case "C":
      return { kind: "check", chain, rule };
    case "D":
      return { kind: "delete", chain, rule };
    case "R":
      return { kind: "replace", chain, position, rule };
    default:
      return { kind: "insert", chain, position, rule };
  }
}
