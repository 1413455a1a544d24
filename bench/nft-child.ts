import { readFileSync } from "node:fs";
import { readCase } from "../packages/core/src/parse/index.ts";
import { ownCpu } from "./cpu-of.ts";

/** Reads the ruleset named on the command line, and says what it took; `all`: every rule and element of it and all there is to say about them. */
const [file = "", all = ""] = process.argv.slice(2);
const text = readFileSync(file, "latin1");
const read = () => {
  const [dump] = readCase([{ path: "nft-list-ruleset.txt", text }]).dumps;
  const tables = dump!.reading.facts.flatMap((f) => (f.kind === "nft" ? f.tables : []));
  const chains = tables.reduce((n, t) => n + t.chains.length, 0);
  if (all === "") return { chains };
  const { counts, diagnostics } = dump!.reading;
  return { chains, counts, said: diagnostics.length };
};
const { ms, result } = ownCpu(read);
const { user, system } = process.cpuUsage();
const peakMegabytes = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ read: ms, whole: (user + system) / 1000, peakMegabytes, ...result }));
