const BEGIN = "-----BEGIN HAIRPIN BUNDLE-----";
const END = "-----END HAIRPIN BUNDLE-----";

/** What stands between the markers; kubectl prints remarks around it. */
export function unmarked(text: string): Buffer | undefined {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END, begin);
  if (begin < 0 || end < 0) return undefined;
  const body = text.slice(begin + BEGIN.length, end);
  // Without base64(1) the script prints hexadecimal, each line after an `x`.
  return /^\s*x/.test(body) ? Buffer.from(body.replace(/[^0-9a-f]/g, ""), "hex") : Buffer.from(body, "base64");
}
