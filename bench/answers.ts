import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bigNodeFiles, serviceAddress } from "./big-node.ts";
import { leastCpuOf } from "./cpu-of.ts";

const SERVICES = 10_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "packages/cli/dist/hairpin.cjs");
const ms = (n: number): string => `${n.toFixed(0)} ms`;

/** From the start of the process to the answer, of the program as it is built: time of the processor, all threads. */
export async function benchAnswers(): Promise<void> {
  if (!existsSync(program)) throw new Error("npm run build comes first: this measures what it makes");
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  const asked = (...args: readonly string[]): number => {
    const cpu = leastCpuOf(4, process.execPath, [program, ...args]);
    if (typeof cpu === "string") throw new Error(cpu);
    return cpu;
  };
  try {
    for (const [name, text] of Object.entries(bigNodeFiles(SERVICES))) writeFileSync(join(folder, name), text);
    const node = leastCpuOf(4, process.execPath, ["-e", "0"]) as number;
    const small = asked("diagnose", join(root, "cases/hairpin-mode-off"), "--json");
    console.log(`a bundled case: ${ms(small)}, ${(small / node).toFixed(1)} times \`node -e 0\` (${ms(node)})`);

    const to = `${serviceAddress(SERVICES - 1)}:80`;
    const big = asked("diagnose", folder, "--from", "node/node", "--to", to, "--json");
    const restore = leastCpuOf(3, "iptables-legacy-restore", ["--test"], join(folder, "iptables-save.txt"));
    const held =
      typeof restore === "string"
        ? restore
        : `${(big / restore).toFixed(2)} of iptables-legacy-restore --test (${ms(restore)})`;
    console.log(`diagnose to the last of 10,000 Services, from process start: ${ms(big)}, ${held}`);

    const asks = (from: string, i: number): string =>
      JSON.stringify({ id: `${from} ${i}`, from, to: `${serviceAddress((i * 7919) % SERVICES)}:80` });
    const all = ["node/node", "external"].flatMap((from) => Array.from({ length: SERVICES }, (_, i) => asks(from, i)));
    const batch = (lines: readonly string[], ...options: readonly string[]): number => {
      writeFileSync(`${folder}.batch`, `${lines.join("\n")}\n`);
      return asked("trace", folder, "--batch", `${folder}.batch`, ...options);
    };
    for (const [what, lines, options] of [
      ["verdicts alone, each Service asked from the node and from outside", all, ["--verdicts"]],
      ["verdicts alone, each Service asked once", all.slice(0, SERVICES), ["--verdicts"]],
      ["JSON with every step", all.slice(0, 300), []],
    ] as const) {
      const each = (batch(lines, ...options) - batch(lines.slice(0, 1), ...options)) / (lines.length - 1);
      console.log(`batch, ${what}: ${(1000 / each).toFixed(0)} a second of the processor`);
    }
  } finally {
    for (const path of [folder, `${folder}.batch`]) rmSync(path, { recursive: true, force: true });
  }
}
