import { createColors } from "picocolors";

export { printable } from "@hairpin/core/messages/printable.ts";

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
