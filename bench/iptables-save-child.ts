import { readFileSync } from "node:fs";
import { readCase } from "../packages/core/src/parse/index.ts";
import { ownCpu } from "./cpu-of.ts";

/** Reads the dump named on the command line, and says what it took; `all`: every rule of it and all there is to say about them. */
const [file = "", all = ""] = process.argv.slice(2);
const text = readFileSync(file, "latin1");
const read = () => {
  const [dump] = readCase([{ path: "iptables-save.txt", text }]).dumps;
  const tables = dump!.reading.facts.flatMap((f) => (f.kind === "iptables" ? f.tables : []));
  const said = all === "" ? 0 : dump!.reading.diagnostics.length;
  const rules = all === "" ? 0 : tables.reduce((n, t) => n + t.chains.reduce((m, c) => m + c.rules.length, 0), 0);
  return { chains: tables.reduce((n, t) => n + t.chains.length, 0), rules, said };
};
const { ms, result } = ownCpu(read);
const { user, system } = process.cpuUsage();
const peakMegabytes = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ read: ms, whole: (user + system) / 1000, peakMegabytes, ...result }));
