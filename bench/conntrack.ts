import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { leastCpuOf } from "./cpu-of.ts";

const ENTRIES = 200_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "packages/cli/dist/hairpin.cjs");
const bundledCase = join(root, "cases/udp-conntrack-left-over");
const ms = (n: number): string => `${n.toFixed(0)} ms`;

/** Connections of clients that the case says nothing of. */
const lines = (count: number): string =>
  Array.from({ length: count }, (_, i) => {
    const client = `10.200.${(i >> 8) & 255}.${i & 255}`;
    const port = 1024 + ((i * 7) % 64_000);
    const server = `10.201.${i % 250}.7`;
    return `tcp      6 86390 ESTABLISHED src=${client} dst=10.96.0.10 sport=${port} dport=443 src=${server} dst=${client} sport=8443 dport=${port} [ASSURED] mark=0 use=1\n`;
  }).join("");

/** A bundled case whose cause is an entry of conntrack, alone and among 200,000 others: some thirty walks each look it up. */
export async function benchConntrack(): Promise<void> {
  if (!existsSync(program)) throw new Error("npm run build comes first: this measures what it makes");
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  const asked = (path: string): number => {
    const cpu = leastCpuOf(2, process.execPath, [program, "diagnose", path, "--json"]);
    if (typeof cpu === "string") throw new Error(cpu);
    return cpu;
  };
  try {
    cpSync(bundledCase, folder, { recursive: true });
    const dump = join(folder, "nodes/node-7/conntrack-L.txt");
    appendFileSync(dump, lines(ENTRIES));
    const words = leastCpuOf(2, "wc", ["-w", dump]) as number;
    const [alone, among] = [asked(bundledCase), asked(folder)];
    console.log(
      `diagnose with ${ENTRIES} entries of conntrack (${(readFileSync(dump).length / 1e6).toFixed(1)} MB), from process start: ${ms(among)}, without them ${ms(alone)}; ${((among - alone) / words).toFixed(0)} times \`wc -w\` of them (${ms(words)})`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
