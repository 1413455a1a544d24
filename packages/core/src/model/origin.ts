/** Where a value comes from. Explanations quote it; nothing in a World is without one. */
export type Origin = ReadOrigin | DerivedOrigin | AssumedOrigin;

/** A line of a file that was given. `file` is relative to the case; `line` counts from 1. */
export interface ReadOrigin {
  readonly kind: "read";
  readonly file: string;
  readonly line: number;
}

/** Follows from other facts, e.g. the local table from the addresses. `rule` names the derivation. */
export interface DerivedOrigin {
  readonly kind: "derived";
  readonly rule: string;
  readonly from: readonly Origin[];
}

/** Nobody said so; `rule` names the assumption, and it is listed in every answer that used it. */
export interface AssumedOrigin {
  readonly kind: "assumed";
  readonly rule: string;
}

export const read = (file: string, line: number): ReadOrigin => ({ kind: "read", file, line });
export const derived = (rule: string, ...from: readonly Origin[]): DerivedOrigin => ({ kind: "derived", rule, from });
export const assumed = (rule: string): AssumedOrigin => ({ kind: "assumed", rule });

/** The nearest lines a person can look at for this value. */
export function linesOf(origin: Origin): readonly ReadOrigin[] {
  if (origin.kind === "read") return [origin];
  return origin.kind === "derived" ? origin.from.flatMap(linesOf) : [];
}

/** `FILE:LINE` of what was read; `?` for the rest. */
export const placeOf = (origin: Origin): string => (origin.kind === "read" ? `${origin.file}:${origin.line}` : "?");
