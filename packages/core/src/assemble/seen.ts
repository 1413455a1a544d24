import type { Dump, Facts } from "../parse/index.ts";

/** A fact together with the dump that says so. */
export interface Seen<K extends Facts["kind"]> {
  readonly fact: Extract<Facts, { readonly kind: K }>;
  readonly dump: Dump;
}

export function seenIn<K extends Facts["kind"]>(dumps: readonly Dump[], kind: K): readonly Seen<K>[] {
  return dumps.flatMap((dump) =>
    dump.reading.facts.flatMap((fact) =>
      fact.kind === kind ? [{ fact: fact as Extract<Facts, { readonly kind: K }>, dump }] : [],
    ),
  );
}

/** Whether a dump shows state of a stack, not merely something that a later version reads. */
export const showsState = (dump: Dump): boolean =>
  dump.reading.facts.some((f) => f.kind !== "not-read-yet" && !f.kind.endsWith("-commands"));
