import { say, type Text, verbatim } from "./text.ts";

/** An error for people: what is wrong, in every language. Its message is the English. */
export class ToldError extends Error {
  /** A line each. */
  readonly lines: readonly Text[];

  constructor(said: string | Text | readonly (string | Text)[]) {
    const all = typeof said === "string" || "id" in said ? [said] : said;
    const lines = all.map((one) => (typeof one === "string" ? verbatim(one) : one));
    super(lines.map((line) => say(line)).join("\n"));
    this.lines = lines;
  }
}
