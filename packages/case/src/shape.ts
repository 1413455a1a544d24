import type { Issue } from "./complaint.ts";

/**
 * Shapes of what stands in case.yaml and in expectations: each reads a value, says what is wrong with it, and gives its part of the JSON
 * Schema. A library does all of this and more; making its schemas took longer than any answer's walk.
 */
export interface Shape<T> {
  readonly read: (value: unknown, found: Found) => T;
  readonly json: () => Json;
  /** What is absent is no fault. */
  readonly optional?: true;
}
export interface OptionalShape<T> extends Shape<T> {
  readonly optional: true;
}
export type Out<S> = S extends Shape<infer T> ? T : never;
export type Json = Readonly<Record<string, unknown>>;

/** What is wrong so far. */
interface Found {
  readonly issues: Issue[];
  /** So much that nothing can be made of the value. */
  ended: boolean;
  /** It was not asked what would become of it. */
  leftOff: boolean;
}

const nothing = (): Found => ({ issues: [], ended: false, leftOff: false });
const issue = (rest: Omit<Issue, "path" | "message"> & { readonly message?: string }): Issue => ({
  path: [],
  message: "",
  ...rest,
});

/** It is of another kind altogether. */
function end<T>(found: Found, what: Parameters<typeof issue>[0]): T {
  found.issues.push(issue(what));
  found.ended = true;
  return undefined as T;
}

export function checked<T>(
  shape: Shape<T>,
  value: unknown,
): { readonly value: T } | { readonly issues: readonly Issue[] } {
  const found = nothing();
  const read = shape.read(value, found);
  return found.issues.length === 0 ? { value: read } : { issues: found.issues };
}

interface TextBounds {
  readonly longest: number;
  readonly pattern?: RegExp;
  readonly complaint?: string;
}

export const text = ({ longest, pattern, complaint }: TextBounds): Shape<string> => ({
  read: (value, found) => {
    if (typeof value !== "string") return end(found, { code: "invalid_type", expected: "string" });
    if (value.length < 1) found.issues.push(issue({ code: "too_small" }));
    if (value.length > longest) found.issues.push(issue({ code: "too_big" }));
    if (pattern !== undefined && !pattern.test(value))
      found.issues.push(issue({ code: "invalid_format", ...(complaint === undefined ? {} : { message: complaint }) }));
    return value;
  },
  json: () => ({
    type: "string",
    minLength: 1,
    maxLength: longest,
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
  }),
});

export const number: Shape<number> = {
  read: (value, found) =>
    typeof value === "number" && Number.isFinite(value)
      ? value
      : end(found, { code: "invalid_type", expected: "number" }),
  json: () => ({ type: "number" }),
};

export const integer = (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): Shape<number> => ({
  read: (value, found) => {
    if (typeof value !== "number" || !Number.isInteger(value))
      return end(found, { code: "invalid_type", expected: "number" });
    if (value < least) found.issues.push(issue({ code: "too_small" }));
    if (value > most) found.issues.push(issue({ code: "too_big" }));
    return value;
  },
  json: () => ({ type: "integer", minimum: least, maximum: most }),
});

export const boolean: Shape<boolean> = {
  read: (value, found) =>
    typeof value === "boolean" ? value : end(found, { code: "invalid_type", expected: "boolean" }),
  json: () => ({ type: "boolean" }),
};

export const oneOf = <const T extends readonly string[]>(words: T): Shape<T[number]> => ({
  read: (value, found) =>
    words.includes(value as string) ? (value as T[number]) : end(found, { code: "invalid_value", values: words }),
  json: () => ({ type: "string", enum: words }),
});

export const exactly = <const T extends string | number>(wanted: T): Shape<T> => ({
  read: (value, found) => (value === wanted ? wanted : end(found, { code: "invalid_value", values: [wanted] })),
  json: () => ({ type: typeof wanted, const: wanted }),
});

/** The first that takes it. Where one alone could have made something of it, that one says what is wrong. */
export const either = <const S extends readonly Shape<unknown>[]>(...shapes: S): Shape<Out<S[number]>> => ({
  read: (value, found) => {
    const tried: Found[] = [];
    for (const shape of shapes) {
      const own = nothing();
      const read = shape.read(value, own);
      if (own.issues.length === 0) return read as Out<S[number]>;
      tried.push(own);
    }
    const near = tried.filter((t) => !t.ended && !t.leftOff);
    if (near.length !== 1) return end(found, { code: "invalid_union", errors: tried.map((t) => t.issues) });
    for (const one of near[0]!.issues) found.issues.push(one);
    return undefined as Out<S[number]>;
  },
  json: () => ({ anyOf: shapes.map((s) => s.json()) }),
});

/** What is read becomes something else; `complaint` says which word could not. */
export const becoming = <T, R>(shape: Shape<T>, change: (value: T) => R | undefined, complaint = ""): Shape<R> => ({
  read: (value, found) => {
    const before = found.issues.length;
    const read = shape.read(value, found);
    if (found.issues.length > before) {
      found.leftOff = true;
      return undefined as R;
    }
    const changed = change(read);
    return changed === undefined ? end(found, { code: "custom", message: complaint }) : changed;
  },
  json: shape.json,
});

export const optional = <T>(shape: Shape<T>): OptionalShape<T> => ({ ...shape, optional: true });

export const orNull = <T>(shape: Shape<T>): Shape<T | null> => ({
  read: (value, found) => (value === null ? null : shape.read(value, found)),
  json: () => ({ anyOf: [shape.json(), { type: "null" }] }),
});

function within<T>(shape: Shape<T>, value: unknown, key: PropertyKey, found: Found): T {
  const own = nothing();
  const read = shape.read(value, own);
  for (const one of own.issues) found.issues.push({ ...one, path: [key, ...one.path] });
  if (own.ended) found.ended = true;
  return read;
}

export const list = <T>(one: Shape<T>): Shape<T[]> => ({
  read: (value, found) =>
    Array.isArray(value)
      ? value.map((v, i) => within(one, v, i, found))
      : end(found, { code: "invalid_type", expected: "array" }),
  json: () => ({ type: "array", items: one.json() }),
});

export const pair = <T>(one: Shape<T>): Shape<[T, T]> => ({
  read: (value, found) => {
    if (!Array.isArray(value)) return end(found, { code: "invalid_type", expected: "tuple" });
    if (value.length < 2) return end(found, { code: "too_small" });
    if (value.length > 2) return end(found, { code: "too_big" });
    return [within(one, value[0], 0, found), within(one, value[1], 1, found)];
  },
  json: () => ({ type: "array", prefixItems: [one.json(), one.json()], items: false, minItems: 2, maxItems: 2 }),
});

/** One, or a list of them. */
export const listOf = <T>(one: Shape<T>): Shape<T[]> =>
  becoming(either(one, list(one)) as Shape<T | T[]>, (value) => (Array.isArray(value) ? value : [value]));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const record = <T>(key: Shape<string>, one: Shape<T>): Shape<Record<string, T>> => ({
  read: (value, found) => {
    if (!isObject(value)) return end(found, { code: "invalid_type", expected: "record" });
    const read: Record<string, T> = {};
    for (const name of Object.keys(value)) {
      if (name === "__proto__") continue;
      const named = nothing();
      key.read(name, named);
      if (named.issues.length > 0) {
        found.issues.push({ ...issue({ code: "invalid_key" }), path: [name] });
        found.ended = true;
      } else read[name] = within(one, value[name], name, found);
    }
    return read;
  },
  json: () => ({ type: "object", propertyNames: key.json(), additionalProperties: one.json() }),
});

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Flat<T> = { [K in keyof T]: T[K] };
type Read<F extends Fields> = Flat<
  { [K in keyof F as F[K] extends OptionalShape<unknown> ? never : K]: Out<F[K]> } & {
    [K in keyof F as F[K] extends OptionalShape<unknown> ? K : never]?: Out<F[K]> | undefined;
  }
>;

/** These fields and no others: a key that is silently ignored is a wrong answer later. */
export const object = <const F extends Fields>(fields: F): Shape<Read<F>> => ({
  read: (value, found) => {
    if (!isObject(value)) return end(found, { code: "invalid_type", expected: "object" });
    const read: Record<string, unknown> = {};
    for (const [key, shape] of Object.entries(fields)) {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      if (given !== undefined || shape.optional !== true) read[key] = within(shape, given, key, found);
    }
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
    if (unknown.length > 0) found.issues.push(issue({ code: "unrecognized_keys", keys: unknown }));
    return read as Read<F>;
  },
  json: () => {
    const required = Object.keys(fields).filter((key) => fields[key]!.optional !== true);
    return {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields).map(([key, shape]) => [key, shape.json()])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    };
  },
});

/** Objects told apart by the word in one of their fields. */
export const byField = <const S extends Readonly<Record<string, Shape<unknown>>>>(
  field: string,
  kinds: S,
): Shape<Out<S[keyof S]>> => ({
  read: (value, found) => {
    if (!isObject(value)) return end(found, { code: "invalid_type", expected: "object" });
    const word = value[field];
    const shape = typeof word === "string" && Object.hasOwn(kinds, word) ? kinds[word] : undefined;
    if (shape !== undefined) return shape.read(value, found) as Out<S[keyof S]>;
    found.issues.push({ ...issue({ code: "invalid_union", errors: [] }), path: [field] });
    found.ended = true;
    return undefined as Out<S[keyof S]>;
  },
  json: () => ({ oneOf: Object.values(kinds).map((s) => s.json()) }),
});

/** A whole JSON Schema of a shape. */
export const jsonSchemaOf = (shape: Shape<unknown>, id: string, title: string): Record<string, unknown> => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: id,
  title,
  ...shape.json(),
});
