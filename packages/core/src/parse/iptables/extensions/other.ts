import type { OtherMatch, OtherTarget } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import {
  type AcceptedIn,
  type Field,
  type KeyedField,
  type MakeContext,
  type MatchExtension,
  matchExtension,
  type OptionValues,
  type TargetExtension,
  targetExtension,
  writeFields,
} from "../rule/extension.ts";

/**
 * Extensions that are read, checked and printed but not simulated: their record holds the words that iptables-save
 * prints, so nothing but the table of their options is needed.
 */
interface OtherSpec<F> extends AcceptedIn {
  readonly name: string;
  readonly family?: Family;
  readonly protocols?: readonly number[];
  readonly fields: { readonly [K in keyof F]-?: Field<F[K]> };
  /** What is wrong, if anything. */
  readonly check?: (values: OptionValues<F>, context: MakeContext) => string | undefined;
  /** Defaults filled in, symbols resolved. */
  readonly normal?: (optionValues: OptionValues<F>, context: MakeContext) => OptionValues<F>;
}

function words<F>(spec: OtherSpec<F>, given: OptionValues<F>): readonly string[] {
  const out: string[] = [];
  const fields = Object.entries(spec.fields).map(([key, field]) => ({ ...(field as Field<unknown>), key }));
  writeFields(fields as KeyedField[], given as OptionValues<Record<string, unknown>>, {
    word: (word) => out.push(word),
    verbatim: (text) => out.push(text),
  });
  return out;
}

const make =
  <F>(spec: OtherSpec<F>) =>
  (
    given: OptionValues<F>,
    context: MakeContext,
  ): { kind: "other"; name: string; options: readonly string[] } | string => {
    const problem = spec.check?.(given, context);
    if (problem !== undefined) return problem;
    return { kind: "other", name: spec.name, options: words(spec, spec.normal?.(given, context) ?? given) };
  };

export const otherMatch = <F>(spec: OtherSpec<F>): MatchExtension =>
  matchExtension<F, OtherMatch>({ ...spec, other: true, make: make(spec), show: () => ({}) as OptionValues<F> });
export const otherTarget = <F>(spec: OtherSpec<F>): TargetExtension =>
  targetExtension<F, OtherTarget>({ ...spec, other: true, make: make(spec), show: () => ({}) as OptionValues<F> });

/** One of these, not both. */
export const atMostOne = <F>(given: OptionValues<F>, ...keys: readonly (keyof F)[]): boolean =>
  keys.filter((key) => given[key] !== undefined).length <= 1;
