import {
  isBits,
  isNftValue,
  type NftExpression,
  type NftStatement,
  type NftValue,
  nftTypeOf,
} from "../../model/index.ts";
import { evaluate, typesOf } from "./expression.ts";
import { lookUp } from "./lookup.ts";
import { elementPasses } from "./rate.ts";
import { type Answer, calculate, equals, implied, not, numberIn, ordered, type Register } from "./register.ts";
import type { StatementLook } from "./statement.ts";

/** nft_cmp_eval(), nft_lookup_eval(), nft_range_eval(): does this packet pass? What it does not have ends the rule, negated or not. */
export function matches(look: StatementLook, s: NftStatement & { readonly kind: "match" }): Answer {
  const left = evaluate(look, s.left);
  if (left === "absent") return false;
  if (left === "unknown") return "unknown";
  return compare(look, left, s);
}

function compare(look: StatementLook, left: Register, s: NftStatement & { readonly kind: "match" }): Answer {
  const { right, op } = s;
  const types = typesOf(s.left);
  if (right.kind === "set") {
    const found = lookUp(look, look.table, right.set, left, types);
    const inside: Answer = found === "unknown" ? "unknown" : found !== "none";
    if (op === "!=" || op === "!") return not(inside);
    return typeof found === "object" && !elementPasses(look, right.set, found) ? false : inside;
  }
  if (right.kind === "concat") {
    if (left.kind !== "concat" || left.parts.length !== right.parts.length) return "unknown";
    let all: Answer = true;
    for (const [i, part] of right.parts.entries()) {
      const one = isConstant(part) ? equals(look.kernel, left.parts[i]!, types[i] ?? "integer", part) : "unknown";
      if (one === false) all = false;
      else if (one === "unknown" && all) all = "unknown";
    }
    return op === "!=" ? not(all) : all;
  }
  const type = nftTypeOf(s.left);
  if (!isConstant(right)) {
    const value = evaluate(look, right, [type]);
    if (value === "absent") return false;
    if (value === "unknown" || value.kind !== "number") return "unknown";
    return compare(look, left, { ...s, right: { kind: "number", value: value.value } });
  }
  switch (op) {
    case "in":
      // A mask on the left is a comparison of its result (`meta mark & 0xff 4` is not written so).
      return s.left.kind === "binary" ? equality(look, left, type, right) : implied(look.kernel, left, type, right);
    case "==":
      return equality(look, left, type, right);
    case "!=":
      return differs(look, left, type, right, s.left);
    case "!": {
      const bits = numberIn(type, right);
      return bits === undefined || left.kind !== "number" ? "unknown" : (left.value & bits) === 0;
    }
    default:
      return ordered(look.kernel, left, type, op, right);
  }
}

function equality(look: StatementLook, left: Register, type: string, right: NftValue): Answer {
  if (right.kind !== "list") return equals(look.kernel, left, type, right);
  const all = numberIn(type, right);
  return all === undefined || left.kind !== "number" ? "unknown" : left.value === all;
}

/** `ct state != established,related`: none of them; of single flags of TCP it is inequality. */
function differs(look: StatementLook, left: Register, type: string, right: NftValue, of: NftExpression): Answer {
  const bits = isBits(type) && of.kind !== "binary" && (right.kind === "list" || type !== "tcp_flag");
  if (!bits) return not(equality(look, left, type, right));
  const mask = numberIn(type, right);
  return mask === undefined || left.kind !== "number" ? "unknown" : calculate("&", left.value, mask) === 0;
}

const isConstant = (e: NftExpression): e is NftValue => isNftValue(e) && e.kind !== "set";
