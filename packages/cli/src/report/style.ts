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

/** SGR: `on` to `off`. What is within and ends the same does not end this. */
const sgr = (on: number, off: number) => {
  const [open, close] = [`\x1b[${on}m`, `\x1b[${off}m`];
  return (text: string): string => open + text.replaceAll(close, off === 22 ? close + open : open) + close;
};
const plain = (text: string): string => text;

const COLOURS: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  yellow: sgr(33, 39),
  green: sgr(32, 39),
  cyan: sgr(36, 39),
};
export const PLAIN: Style = { bold: plain, dim: plain, red: plain, yellow: plain, green: plain, cyan: plain };

export function styleFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Style {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0";
  const refused = env.NO_COLOR !== undefined && env.NO_COLOR !== "";
  const coloured = !refused && (forced || (stream.isTTY === true && env.TERM !== "dumb" && env.FORCE_COLOR !== "0"));
  return coloured ? COLOURS : PLAIN;
}
