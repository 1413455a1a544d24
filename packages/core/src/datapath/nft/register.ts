import { isBits, type NftExpression, type NftValue, nftSymbol, type PortSet } from "../../model/index.ts";
import { type Address, compareAddress, contains, familyOf, type Mac } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { portInRange } from "../kernel/ports.ts";

/** What a selector gave. */
export type Register =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "address"; readonly value: Address }
  | { readonly kind: "mac"; readonly value: Mac }
  /** A device by its name; "" where the hook has none. `index`: as the kernel numbers it. */
  | { readonly kind: "device"; readonly value: string; readonly index?: number }
  /** A port whose value is a set. */
  | { readonly kind: "port"; readonly value: PortSet }
  /** What nobody can say, beside what can be said; `spread`: any of 65,536 values, so as good as never a given one. */
  | { readonly kind: "any"; readonly spread?: true }
  | { readonly kind: "concat"; readonly parts: readonly Register[] };

/** `absent`: the packet has no such thing, which ends the rule; `unknown`: nobody showed it. */
export type Read = Register | "absent" | "unknown";
export type Answer = boolean | "unknown";

export const number = (value: number): Register => ({ kind: "number", value });

/** A constant as a number in a type, lists of flags put together; undefined where it is none. */
export function numberIn(type: string, value: NftExpression): number | undefined {
  switch (value.kind) {
    case "number":
      return value.value;
    case "symbol":
      return nftSymbol(type, value.text);
    case "name":
      return nftSymbol(type, value.value);
    case "list": {
      let all = 0;
      for (const v of value.values) {
        const n = numberIn(type, v);
        if (n === undefined) return undefined;
        all = (all | n) >>> 0;
      }
      return all;
    }
    case "binary": {
      const left = numberIn(type, value.left);
      const right = numberIn(type, value.right);
      return left === undefined || right === undefined ? undefined : calculate(value.op, left, right);
    }
    default:
      return undefined;
  }
}

export function calculate(op: "&" | "|" | "^" | "<<" | ">>", a: number, b: number): number {
  switch (op) {
    case "&":
      return (a & b) >>> 0;
    case "|":
      return (a | b) >>> 0;
    case "^":
      return (a ^ b) >>> 0;
    case "<<":
      return b > 31 ? 0 : (a << b) >>> 0;
    case ">>":
      return b > 31 ? 0 : a >>> b;
  }
}

/** Does a register equal a constant, or lie in its range or prefix? */
export function equals(kernel: Kernel, r: Register, type: string, value: NftValue): Answer {
  switch (value.kind) {
    case "wildcard":
      return true;
    case "exists":
      return r.kind === "device"
        ? (r.value !== "") === value.value
        : r.kind === "number"
          ? (r.value !== 0) === value.value
          : true;
    case "range":
      return inRange(kernel, r, type, value.from, value.to);
    case "prefix":
      return inPrefix(r, type, value.value, value.length);
    default:
      return same(kernel, r, type, value);
  }
}

function same(kernel: Kernel, r: Register, type: string, value: NftValue): Answer {
  switch (r.kind) {
    case "address":
      return value.kind === "address" ? r.value === value.value : "unknown";
    case "mac":
      return value.kind === "mac" ? r.value === value.value : "unknown";
    case "device": {
      if (value.kind === "name") return value.prefix ? r.value.startsWith(value.value) : r.value === value.value;
      if (value.kind === "symbol") return r.value === value.text;
      if (value.kind !== "number") return "unknown";
      if (value.value === 0) return r.value === "";
      return r.value === "" ? false : r.index === undefined ? "unknown" : r.index === value.value;
    }
    case "port": {
      const port = numberIn(type, value);
      return port === undefined ? "unknown" : portInRange(kernel, r.value, { from: port, to: port });
    }
    case "number": {
      const n = numberIn(type, value);
      return n === undefined ? "unknown" : n === r.value;
    }
    case "any":
      return r.spread === true ? false : "unknown";
    case "concat":
      return "unknown";
  }
}

function inRange(kernel: Kernel, r: Register, type: string, from: NftValue, to: NftValue): Answer {
  if (r.kind === "address") {
    if (from.kind !== "address" || to.kind !== "address") return "unknown";
    if (familyOf(from.value) !== familyOf(r.value)) return false;
    return compareAddress(r.value, from.value) >= 0 && compareAddress(r.value, to.value) <= 0;
  }
  const [low, high] = [numberIn(type, from), numberIn(type, to)];
  if (low === undefined || high === undefined) return "unknown";
  if (r.kind === "port") return portInRange(kernel, r.value, { from: low, to: high });
  return r.kind === "number" ? r.value >= low && r.value <= high : "unknown";
}

function inPrefix(r: Register, type: string, value: NftValue, length: number): Answer {
  if (r.kind === "address") {
    if (value.kind !== "address") return "unknown";
    return contains({ address: value.value, length }, r.value);
  }
  // `meta mark 0x01000000/8`: the upper bits of 32.
  const n = numberIn(type, value);
  if (n === undefined || r.kind !== "number") return "unknown";
  const mask = length === 0 ? 0 : (0xffffffff << (32 - length)) >>> 0;
  return ((r.value ^ n) & mask) === 0;
}

/** `<`, `>` and the like. */
export function ordered(
  kernel: Kernel,
  r: Register,
  type: string,
  op: "<" | ">" | "<=" | ">=",
  value: NftExpression,
): Answer {
  const n = numberIn(type, value);
  if (r.kind === "port" && n !== undefined) {
    const range =
      op === "<"
        ? { from: 0, to: n - 1 }
        : op === "<="
          ? { from: 0, to: n }
          : { from: op === ">" ? n + 1 : n, to: 0xffff };
    return range.from <= range.to && portInRange(kernel, r.value, range);
  }
  const order =
    r.kind === "address" && value.kind === "address" && familyOf(r.value) === familyOf(value.value)
      ? compareAddress(r.value, value.value)
      : r.kind === "number" && n !== undefined
        ? r.value - n
        : undefined;
  if (order === undefined) return "unknown";
  return op === "<" ? order < 0 : op === ">" ? order > 0 : op === "<=" ? order <= 0 : order >= 0;
}

/** A comparison without an operator: any of the bits for flags, otherwise equality. */
export function implied(kernel: Kernel, r: Register, type: string, value: NftValue): Answer {
  if (!isBits(type) || r.kind !== "number") return equals(kernel, r, type, value);
  const bits = numberIn(type, value);
  return bits === undefined ? "unknown" : (r.value & bits) !== 0;
}

export const not = (answer: Answer): Answer => (answer === "unknown" ? "unknown" : !answer);
