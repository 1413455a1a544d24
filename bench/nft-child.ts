import { readFileSync } from "node:fs";
import { readRuleset } from "../packages/core/src/parse/nft/index.ts";
import { sourceOf } from "../packages/core/src/parse/source.ts";

/** Reads the ruleset named on the command line and says on standard output what it took. */
const [file = "", times = "1"] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const parse: number[] = [];
let counts: Readonly<Record<string, number>> = {};
let diagnostics = 0;
for (let i = 0; i < Number(times); i++) {
  const start = performance.now();
  const read = readRuleset(sourceOf("nft-list-ruleset.txt", text));
  parse.push(performance.now() - start);
  counts = read.counts;
  diagnostics = read.diagnostics.length;
}
// performance.now() counts from the start of the process.
console.log(JSON.stringify({ parse, whole: performance.now(), counts, diagnostics }));
