import { type NftExpression, type NftTable, nftTypeOf } from "../../model/index.ts";
import { memo } from "../kernel/memo.ts";
import { scatter } from "../kernel/ports.ts";
import { chosen, hashOf, portsIn } from "./hash.ts";
import { dataOf, lookUp } from "./lookup.ts";
import { calculate, number, numberIn, type Read, type Register } from "./register.ts";
import { type Look, readSelector } from "./selector.ts";

/** Where a rule stands: chance and memory belong to it. */
export interface RuleLook extends Look {
  readonly table: NftTable;
  /** Of the rule, unique in its stack. */
  readonly rule: string;
  /** What a counter in front of here, with nothing but it deciding, had counted: so often numgen was asked. */
  readonly counted?: number;
}

export const typesOf = (e: NftExpression): readonly string[] =>
  e.kind === "concat" ? e.parts.map(nftTypeOf) : [nftTypeOf(e)];

/** An expression's value for this packet. `types` are those of what it is written for, where it is a constant. */
export function evaluate(look: RuleLook, e: NftExpression, types: readonly string[] = ["integer"]): Read {
  switch (e.kind) {
    case "binary": {
      const left = evaluate(look, e.left, types);
      if (typeof left === "string") return left;
      const right = evaluate(look, e.right, [nftTypeOf(e.left)]);
      if (typeof right === "string") return right;
      if (left.kind !== "number" || right.kind !== "number") return "unknown";
      return number(calculate(e.op, left.value, right.value));
    }
    case "concat": {
      const parts: Register[] = [];
      for (const [i, part] of e.parts.entries()) {
        const r = evaluate(look, part, [types[i] ?? "integer"]);
        if (r === "absent") return "absent";
        parts.push(r === "unknown" ? { kind: "any" } : r);
      }
      return { kind: "concat", parts };
    }
    case "map": {
      const key = evaluate(look, e.key);
      if (typeof key === "string") return key;
      const found = lookUp(look, look.table, e.data, key, typesOf(e.key));
      if (found === "unknown") return "unknown";
      const data = found === "none" ? undefined : dataOf(found);
      return data === undefined ? "absent" : evaluate(look, data, types);
    }
    case "numgen":
      return numgen(look, e.mode, e.mod, e.offset);
    case "jhash": {
      const key = evaluate(look, e.key);
      if (typeof key === "string") return key;
      const hash = e.seed === undefined ? undefined : hashOf(key, e.seed);
      const scaled = hash === undefined ? undefined : Math.floor((hash * e.mod) / 0x100000000);
      if (hash === undefined) scatter(look.kernel, portsIn(key));
      return above(e.offset, scaled ?? chosen(look, `hashOf/${look.rule}`, e.mod));
    }
    case "symhash":
      return above(e.offset, chosen(look, `symhash/${look.rule}`, e.mod));
    case "number":
      return number(e.value);
    case "address":
      return { kind: "address", value: e.value };
    case "mac":
      return { kind: "mac", value: e.value };
    case "symbol":
    case "list": {
      const n = numberIn(types[0] ?? "integer", e);
      return n === undefined ? "unknown" : number(n);
    }
    case "name":
      return { kind: "device", value: e.value };
    case "exists":
      return number(e.value ? 1 : 0);
    case "big":
    case "prefix":
    case "range":
    case "set":
    case "wildcard":
      return "unknown";
    default:
      return readSelector(look, e);
  }
}

const above = (offset: number, value: number | undefined): Read =>
  value === undefined ? "unknown" : number(offset + value);

/**
 * nft_ng_inc_eval(), nft_ng_random_eval(). Where its counter stands is in no listing, unless the rule counts packets in front of it; from
 * there on it counts.
 */
function numgen(look: RuleLook, mode: "inc" | "random", mod: number, offset: number): Read {
  const id = `numgen/${look.rule}`;
  if (mode === "random") return above(offset, chosen(look, id, mod));
  const counter = memo(look.kernel.scratch, id, () => ({
    next: look.counted === undefined ? chosen(look, id, mod) : look.counted % mod,
  })) as { next: number | undefined };
  const value = counter.next;
  if (value === undefined) return "unknown";
  look.kernel.counted++;
  counter.next = (value + 1) % mod;
  return number(offset + value);
}
