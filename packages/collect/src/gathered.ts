/** A bundle as it came from one machine, or why there is none. */
export type Gathered =
  | {
      readonly from: string;
      readonly ok: true;
      readonly bundle: Buffer;
      /** What the machine is called where it was asked for, whatever it calls itself. */
      readonly node?: string;
    }
  | { readonly from: string; readonly ok: false; readonly why: string };

/** The last line that says something, for people. */
export const lastWords = (err: string): string =>
  err
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "" && !l.startsWith("collect: "))
    .pop()
    ?.slice(0, 300) ?? "it said nothing";
