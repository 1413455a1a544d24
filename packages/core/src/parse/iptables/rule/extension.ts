import type { IptablesTableName, Match, Negatable, Target } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import type { Value, ValueContext } from "../values/index.ts";
import type { Quoting, Writer } from "./writer.ts";

/** One option of an extension. The fields of an extension stand in the order in which iptables-save prints them. */
export interface Field<T> {
  readonly option: string;
  readonly also: readonly string[];
  readonly value: Value<T>;
  readonly negatable: boolean;
  readonly required: boolean;
  readonly quoting: Quoting;
  /** A value that says nothing is dropped unless negated (`--sport 0:65535`). */
  everything?(value: T): boolean;
  /** Printed with two blanks before the value. */
  readonly gap: boolean;
  /** May be given more than once; only an extension that looks at `occurrences` has such. */
  readonly many: boolean;
}

export const option = <T>(
  name: string,
  value: Value<T>,
  more: Partial<Omit<Field<T>, "option" | "value">> = {},
): Field<T> => ({
  option: name,
  value,
  also: [],
  negatable: false,
  required: false,
  quoting: "bare",
  many: false,
  gap: false,
  ...more,
});

/** What was given for an extension, by field. */
export type OptionValues<F> = { readonly [K in keyof F]?: Negatable<F[K]> };

export interface Occurrence {
  readonly key: string;
  readonly value: unknown;
  readonly negated: boolean;
}

/** What the meaning of an extension may depend on beside its own options. */
export interface RuleContext extends ValueContext {
  readonly protocol: Negatable<number> | undefined;
}

export interface MakeContext extends RuleContext {
  /** The options in the order given. */
  readonly occurrences: readonly Occurrence[];
  /** The matches of the rule; empty while they are being made. */
  readonly matches: readonly Match[];
}

/** Where the kernel accepts an extension; a chain counts only if it is a built-in one. */
export interface AcceptedIn {
  readonly tables?: readonly IptablesTableName[];
  readonly hooks?: readonly string[];
}

interface Spec<F, R> extends AcceptedIn {
  readonly name: string;
  /** Only in this family; others of the same name may exist for the other. */
  readonly family?: Family;
  /** Needs -p with one of these. */
  readonly protocols?: readonly number[];
  readonly fields: { readonly [K in keyof F]-?: Field<F[K]> };
  /** A text says what is wrong. */
  readonly make: (values: OptionValues<F>, context: MakeContext) => R | string;
  readonly show: (record: R) => OptionValues<F>;
  /** Words that follow the fields. */
  readonly rest?: (record: R) => readonly string[];
  /** Its record holds words only, and the walk does not simulate it. */
  readonly other?: true;
}

export interface KeyedField extends Field<unknown> {
  readonly key: string;
}

/** An extension with its types erased, as the reader and the printer use it. */
export interface Extension<R> extends AcceptedIn {
  readonly name: string;
  readonly family?: Family;
  readonly protocols?: readonly number[];
  readonly fields: readonly KeyedField[];
  readonly options: ReadonlyMap<string, KeyedField>;
  readonly make: (optionValues: OptionValues<Record<string, unknown>>, context: MakeContext) => R | string;
  show(record: R): OptionValues<Record<string, unknown>>;
  rest?(record: R): readonly string[];
  readonly other?: true;
}
export type MatchExtension = Extension<Match>;
export type TargetExtension = Extension<Target>;

function erase<F, R>(spec: Spec<F, R>): Extension<R> {
  const fields = Object.entries(spec.fields).map(([key, field]) => ({ ...(field as Field<unknown>), key }));
  const options = new Map<string, KeyedField>();
  for (const field of fields) for (const name of [field.option, ...field.also]) options.set(name, field);
  return { ...spec, fields, options } as unknown as Extension<R>;
}

export const matchExtension = <F, R extends Match>(spec: Spec<F, R>): MatchExtension =>
  erase(spec) as unknown as MatchExtension;
export const targetExtension = <F, R extends Target>(spec: Spec<F, R>): TargetExtension =>
  erase(spec) as unknown as TargetExtension;

export const given = <T>(value: T, negated = false): Negatable<T> => ({ value, negated });
/** For `show`: a flag that is set. */
export const shown = (set: boolean): Negatable<true> | undefined => (set ? { value: true, negated: false } : undefined);

/** Leaves out what is undefined, as exact optional properties want it. */
export function compact<T extends object>(record: { readonly [K in keyof T]: T[K] | undefined }): T {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) if (value !== undefined) out[key] = value;
  return out as T;
}

export function writeFields(
  fields: readonly KeyedField[],
  all: OptionValues<Record<string, unknown>>,
  out: Writer,
): void {
  for (const field of fields) {
    const one = all[field.key];
    if (one !== undefined) writeField(field, one, out);
  }
}

export function writeField(field: KeyedField, one: Negatable<unknown>, out: Writer): void {
  if (one.negated) out.word("!");
  out.word(field.option);
  if (field.gap) out.gap?.();
  for (const word of field.value.print(one.value)) out.word(word, field.quoting);
}
