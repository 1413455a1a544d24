import { readFileSync } from "node:fs";
import { readSave } from "../packages/core/src/parse/iptables/save/save.ts";
import { sourceOf } from "../packages/core/src/parse/source.ts";

/** Reads the dump named on the command line, once or several times, and says on standard output what it took. */
const [file = "", times = "1"] = process.argv.slice(2);
const text = readFileSync(file, "latin1");
const parse: number[] = [];
let rules = 0;
let diagnostics = 0;
for (let i = 0; i < Number(times); i++) {
  const start = performance.now();
  const { document, diagnostics: said } = readSave(sourceOf("iptables-save.txt", text), {});
  parse.push(performance.now() - start);
  rules = 0;
  diagnostics = said.length;
  for (const part of document.parts)
    if (part.kind === "table") for (const chain of part.table.chains) rules += chain.rules.length;
}
const peakMegabytes = process.resourceUsage().maxRSS / 1024;
// performance.now() counts from the start of the process.
console.log(JSON.stringify({ parse, whole: performance.now(), peakMegabytes, rules, diagnostics }));
