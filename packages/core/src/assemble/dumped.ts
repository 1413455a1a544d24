import { type Dump, type Facts, isObserved } from "../parse/index.ts";

/** A fact together with the dump that says so. */
export interface Dumped<K extends Facts["kind"]> {
  readonly fact: Extract<Facts, { readonly kind: K }>;
  readonly dump: Dump;
}

export function dumpedIn<K extends Facts["kind"]>(dumps: readonly Dump[], kind: K): readonly Dumped<K>[] {
  return dumps.flatMap((dump) =>
    dump.reading.facts.flatMap((fact) =>
      fact.kind === kind ? [{ fact: fact as Extract<Facts, { readonly kind: K }>, dump }] : [],
    ),
  );
}

/** A kind of fact about how a stack is set up: not something seen, typed, or to be read by a later version. */
export const isState = (kind: Facts["kind"]): boolean =>
  kind !== "not-read-yet" && !kind.endsWith("-commands") && !isObserved(kind);

export const showsState = (dump: Dump): boolean => dump.reading.facts.some((f) => isState(f.kind));
