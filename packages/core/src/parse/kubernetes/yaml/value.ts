/** A YAML or JSON value. Lines are indices into the Source's lines. */
export type Value = string | number | boolean | null | Mapping | Sequence;

/**
 * Keys are few and asked for few times, so they are searched for. Key, value and line of the key stand one after the other in
 * one array: a cluster's objects are millions of these, and the memory they take is the time they take.
 */
export class Mapping {
  private readonly entries: (Value | undefined)[] = [];
  readonly line: number;
  /** The last line that belongs to it. */
  end: number;

  constructor(line: number) {
    this.line = line;
    this.end = line;
  }

  put(key: string, value: Value, line: number): void {
    this.entries.push(key, value, line);
  }

  get size(): number {
    return this.entries.length / 3;
  }

  keyAt(i: number): string {
    return this.entries[3 * i] as string;
  }

  valueAt(i: number): Value {
    return this.entries[3 * i + 1] as Value;
  }

  lineAt(i: number): number {
    return this.entries[3 * i + 2] as number;
  }

  get(key: string): Value | undefined {
    const { entries } = this;
    for (let i = 0; i < entries.length; i += 3) if (entries[i] === key) return entries[i + 1];
    return undefined;
  }

  lineOf(key: string): number | undefined {
    const { entries } = this;
    for (let i = 0; i < entries.length; i += 3) if (entries[i] === key) return entries[i + 2] as number;
    return undefined;
  }

  /** Index of the first key that passes, or -1. */
  findKey(test: (key: string) => boolean): number {
    for (let i = 0; i < this.size; i++) if (test(this.keyAt(i))) return i;
    return -1;
  }
}

export class Sequence {
  readonly items: Value[] = [];
  readonly lines: number[] = [];
  readonly line: number;

  constructor(line: number) {
    this.line = line;
  }

  put(value: Value, line: number): void {
    this.items.push(value);
    this.lines.push(line);
  }
}

export const mapIn = (value: Value | undefined, ...path: readonly string[]): Mapping | undefined => {
  let here = value;
  for (const key of path) here = here instanceof Mapping ? here.get(key) : undefined;
  return here instanceof Mapping ? here : undefined;
};

export const valueIn = (value: Value | undefined, ...path: readonly string[]): Value | undefined => {
  let here = value;
  for (const key of path) here = here instanceof Mapping ? here.get(key) : undefined;
  return here;
};

/**
 * A text; numbers and booleans as they would be written, for fields whose quotes somebody lost. An empty one is absent, as it is to
 * whoever decodes the object (`kubeProxyVersion: ""`).
 */
export const textIn = (value: Value | undefined, ...path: readonly string[]): string | undefined => {
  const here = valueIn(value, ...path);
  if (typeof here === "string") return here === "" ? undefined : here;
  return typeof here === "number" || typeof here === "boolean" ? String(here) : undefined;
};

export const numberIn = (value: Value | undefined, ...path: readonly string[]): number | undefined => {
  const here = valueIn(value, ...path);
  return typeof here === "number" ? here : undefined;
};

export const flagIn = (value: Value | undefined, ...path: readonly string[]): boolean | undefined => {
  const here = valueIn(value, ...path);
  return typeof here === "boolean" ? here : undefined;
};

export const itemsIn = (value: Value | undefined, ...path: readonly string[]): readonly Value[] => {
  const here = valueIn(value, ...path);
  return here instanceof Sequence ? here.items : [];
};

export const mapsIn = (value: Value | undefined, ...path: readonly string[]): readonly Mapping[] =>
  itemsIn(value, ...path).filter((i) => i instanceof Mapping);

export const textsIn = (value: Value | undefined, ...path: readonly string[]): readonly string[] =>
  itemsIn(value, ...path).filter((i) => typeof i === "string");
