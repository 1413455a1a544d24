import { readFileSync } from "node:fs";
import { readCase } from "../packages/core/src/parse/index.ts";
import { ownCpu } from "./cpu-of.ts";

/** Reads the sets in the file named on the command line, and says what it took; `all`: every entry and all there is to say about them. */
const [file = "", all = ""] = process.argv.slice(2);
const text = readFileSync(file, "latin1");
const { ms, result } = ownCpu(() => {
  const [dump] = readCase([{ path: "ipset-save.txt", text }]).dumps;
  const sets = dump!.reading.facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));
  if (all === "") return { sets: sets.length };
  const said = dump!.reading.diagnostics.length;
  return { sets: sets.length, entries: sets.reduce((n, s) => n + s.entries.length, 0), said };
});
console.log(JSON.stringify({ read: ms, ...result }));
