/** What the kernel answers to a change, by errno. */
export type Refusal = "EEXIST" | "ENOENT" | "ESRCH" | "EINVAL" | "EADDRNOTAVAIL" | "ENODEV";

/** A change carried out, or the error the tool would print. */
export type Applied<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Refusal; readonly message: string };

export const done = <T>(value: T): Applied<T> => ({ ok: true, value });

const MESSAGES: Readonly<Record<Refusal, string>> = {
  EEXIST: "File exists",
  ENOENT: "No such file or directory",
  ESRCH: "No such process",
  EINVAL: "Invalid argument",
  EADDRNOTAVAIL: "Cannot assign requested address",
  ENODEV: "No such device",
};
export const refused = (error: Refusal): Applied<never> => ({ ok: false, error, message: MESSAGES[error] });

/** Whether two records say the same, their origins apart. */
export function sameRecord(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = (o: object): string[] =>
    Object.keys(o).filter((k) => k !== "origin" && (o as Record<string, unknown>)[k] !== undefined);
  const own = keys(a);
  if (own.length !== keys(b).length) return false;
  return own.every((k) => sameRecord((a as Record<string, unknown>)[k], (b as Record<string, unknown>)[k]));
}
