import { createColors } from "picocolors";

/** Colours for a terminal, none elsewhere; NO_COLOR and FORCE_COLOR are heeded as everywhere. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
}

export function styleFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Style {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0";
  const refused = env.NO_COLOR !== undefined && env.NO_COLOR !== "";
  return createColors(
    !refused && (forced || (stream.isTTY === true && env.TERM !== "dumb" && env.FORCE_COLOR !== "0")),
  );
}

/**
 * Text of a dump made safe to print: escape sequences and other control characters could move the cursor, change the
 * title or hide what stands above. Tabs become blanks so that carets stay under what they point to.
 */
export const printable = (text: string): string =>
  text
    .replace(/\t/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "·")
    .replace(/[\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, "·");
