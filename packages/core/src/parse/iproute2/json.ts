import type { Source } from "../source.ts";

export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export interface JsonReading {
  /** Elements of the top-level arrays, and top-level objects. */
  readonly objects: readonly JsonObject[];
  /** Index of the line an object's first key stands on. */
  readonly lineOf: (object: JsonObject) => number;
  /** Where reading stopped: index of the line, column. */
  readonly error?: { readonly index: number; readonly column: number; readonly message: string };
}

/** Whether the first thing in it is an array of objects, an empty array or an object. */
export function looksLikeJson(source: Source): boolean {
  const first = source.lines
    .find((l) => l.trim() !== "")
    ?.slice(0, 400)
    .trimStart();
  return first !== undefined && /^(\[\s*(\{|\]|$)|\{\s*("|$|\}))/.test(first);
}

/** Deeper nesting is nothing that ip(8) prints. */
const DEPTH = 64;

/** Where a key comes twice, the second value is kept under this: `ip -j route` prints `dst` of an encapsulation again. */
export const again = (key: string): string => `${key}#2`;

type Open =
  | { readonly kind: "array"; readonly items: JsonValue[] }
  | { readonly kind: "object"; readonly fields: Record<string, JsonValue>; key: string | undefined };

const NUMBER = /-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,5})?/y;
const WORD = /true|false|null/y;

/** Index after the closing quote of the string that starts at `from`, or -1. No regex: its stack would grow with it. */
function endOfString(text: string, from: number): number {
  for (let i = from + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 34) return i + 1;
    if (c === 92) i++;
  }
  return -1;
}

/**
 * Reads JSON that knows its lines, with a stack of its own: no nesting can overflow it.
 */
export function readJson(source: Source): JsonReading {
  const objects: JsonObject[] = [];
  const lines = new WeakMap<object, number>();
  const stack: Open[] = [];
  let error: JsonReading["error"];

  const put = (value: JsonValue): boolean => {
    const top = stack[stack.length - 1];
    if (top === undefined) {
      if (typeof value === "object" && value !== null && !Array.isArray(value)) objects.push(value as JsonObject);
      else if (Array.isArray(value)) {
        for (const v of value) {
          if (typeof v === "object" && v !== null && !Array.isArray(v)) objects.push(v as JsonObject);
        }
      }
      return true;
    }
    if (top.kind === "array") top.items.push(value);
    else {
      if (top.key === undefined) return false;
      top.fields[Object.hasOwn(top.fields, top.key) ? again(top.key) : top.key] = value;
      top.key = undefined;
    }
    return true;
  };

  const readLine = (text: string, index: number): number | undefined => {
    let i = 0;
    while (i < text.length) {
      const c = text[i]!;
      const top = stack[stack.length - 1];
      if (c === " " || c === "\t" || c === "," || c === ":" || c === "\u00a0") i++;
      else if (c === "{" || c === "[") {
        if (stack.length >= DEPTH) return i;
        stack.push(
          c === "[" ? { kind: "array", items: [] } : { kind: "object", fields: Object.create(null), key: undefined },
        );
        i++;
      } else if (c === "}" || c === "]") {
        if (top === undefined || (top.kind === "object") !== (c === "}")) return i;
        stack.pop();
        if (!put(top.kind === "array" ? top.items : top.fields)) return i;
        i++;
      } else if (c === '"') {
        const end = endOfString(text, i);
        if (end < 0) return i;
        const value = unquote(text.slice(i, end));
        if (top?.kind === "object" && top.key === undefined) {
          top.key = value;
          if (!lines.has(top.fields)) lines.set(top.fields, index);
        } else if (!put(value)) return i;
        i = end;
      } else {
        NUMBER.lastIndex = i;
        WORD.lastIndex = i;
        const number = NUMBER.exec(text)?.[0];
        const word = number === undefined ? WORD.exec(text)?.[0] : undefined;
        if (number === undefined && word === undefined) return i;
        if (!put(number !== undefined ? Number(number) : word === "null" ? null : word === "true")) return i;
        i += (number ?? word)!.length;
      }
    }
    return undefined;
  };

  for (let index = 0; index < source.lines.length && error === undefined; index++) {
    const stopped = readLine(source.lines[index]!, index);
    if (stopped !== undefined) error = { index, column: stopped, message: "not JSON from here on" };
  }
  if (error === undefined && stack.length > 0) {
    const index = source.lines.length - 1;
    error = { index, column: source.lines[index]?.length ?? 0, message: "the JSON ends in the middle" };
  }
  // What was complete inside an unfinished array still counts.
  const outer = stack[0];
  if (outer?.kind === "array") {
    for (const v of outer.items) {
      if (typeof v === "object" && v !== null && !Array.isArray(v)) objects.push(v as JsonObject);
    }
  }
  return { objects, lineOf: (object) => lines.get(object) ?? 0, ...(error === undefined ? {} : { error }) };
}

function unquote(text: string): string {
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

export const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
export const numberIn = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? (value as JsonArray).filter(isObject) : [];
export const textsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? (value as JsonArray).map(textOf).filter((t) => t !== undefined) : [];
export const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);
