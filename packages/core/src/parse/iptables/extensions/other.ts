import type { OtherMatch, OtherTarget } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import {
  type Field,
  type Given,
  type KeyedField,
  type MakeContext,
  type MatchExtension,
  matchExtension,
  type Place,
  type TargetExtension,
  targetExtension,
  writeFields,
} from "../rule/extension.ts";

/**
 * Extensions that are read, checked and printed but not simulated: their record holds the words that iptables-save
 * prints, so nothing but the table of their options is needed.
 */
interface OtherSpec<F> extends Place {
  readonly name: string;
  readonly family?: Family;
  readonly protocols?: readonly number[];
  readonly fields: { readonly [K in keyof F]-?: Field<F[K]> };
  /** What is wrong, if anything. */
  readonly check?: (given: Given<F>, context: MakeContext) => string | undefined;
  /** Defaults filled in, symbols resolved. */
  readonly normal?: (given: Given<F>, context: MakeContext) => Given<F>;
}

function words<F>(spec: OtherSpec<F>, given: Given<F>): readonly string[] {
  const out: string[] = [];
  const fields = Object.entries(spec.fields).map(([key, field]) => ({ ...(field as Field<unknown>), key }));
  writeFields(fields as KeyedField[], given as Given<Record<string, unknown>>, {
    word: (word) => out.push(word),
    verbatim: (text) => out.push(text),
  });
  return out;
}

const make =
  <F>(spec: OtherSpec<F>) =>
  (given: Given<F>, context: MakeContext): { kind: "other"; name: string; options: readonly string[] } | string => {
    const problem = spec.check?.(given, context);
    if (problem !== undefined) return problem;
    return { kind: "other", name: spec.name, options: words(spec, spec.normal?.(given, context) ?? given) };
  };

export const otherMatch = <F>(spec: OtherSpec<F>): MatchExtension =>
  matchExtension<F, OtherMatch>({ ...spec, other: true, make: make(spec), show: () => ({}) as Given<F> });
export const otherTarget = <F>(spec: OtherSpec<F>): TargetExtension =>
  targetExtension<F, OtherTarget>({ ...spec, other: true, make: make(spec), show: () => ({}) as Given<F> });

/** One of these, not both. */
export const atMostOne = <F>(given: Given<F>, ...keys: readonly (keyof F)[]): boolean =>
  keys.filter((key) => given[key] !== undefined).length <= 1;
