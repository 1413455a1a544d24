import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DumpCluster, dumpCluster, NETWORKS } from "@hairpin/testing/dumped/cluster.ts";
import { cpuOf } from "./cpu-of.ts";

const NODES = Number(process.env.HAIRPIN_NODES ?? 100);
const SERVICES = Number(process.env.HAIRPIN_SERVICES ?? 10_000);
/** Of each node, where there are objects; in kernels' dumps alone nobody names them. */
const PODS = Number(process.env.HAIRPIN_PODS ?? 100);
/** Of these the tool is asked; the others are as large. */
const HELD_AGAINST = 5;
/** Of a second: what the kernel counts times in. */
const TICKS = 100;
const MOST_MEMORY = 4000;

/** Dumps of every node of a large cluster, to the end; with `objects` what Kubernetes says of it, too. */
export async function benchDumps(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  const forms = process.argv.includes("objects") ? [true] : process.argv.includes("alone") ? [false] : [false, true];
  try {
    for (const objects of forms) await measured(join(folder, objects ? "objects" : "alone"), objects);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Smaller clusters with objects and neighbours, their pods behind each kind of network. */
export async function benchNetworks(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  const given = {
    nodes: Number(process.env.HAIRPIN_NODES ?? 20),
    pods: Number(process.env.HAIRPIN_PODS ?? 10),
    services: Number(process.env.HAIRPIN_SERVICES ?? 100),
    endpoints: 3,
    local: 5,
    neighbours: true,
  };
  try {
    for (const network of NETWORKS) {
      const path = join(folder, network);
      written(path, { ...given, network }, true);
      const { cpu, memory, printed } = await swept([path, "--json"], 2);
      const { flows, answered, walks } = JSON.parse(printed) as Figures;
      console.log(
        `sweep of dumps, ${given.nodes} nodes × ${given.pods} pods × ${given.services} Services, network ${network}: ${answered} of ${flows} flows by ${walks} walks, ${cpu.toFixed(1)} s of the processor, ${memory.toFixed(0)} MB at most`,
      );
      if (answered < flows) process.exitCode = 1;
      rmSync(path, { recursive: true, force: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Figures {
  readonly flows: number;
  readonly answered: number;
  readonly walks: number;
  readonly classes: readonly unknown[];
}

/** How large it is, and where the rules are. */
function written(
  folder: string,
  given: DumpCluster,
  objects: boolean,
): { readonly size: number; readonly rules: readonly string[] } {
  let size = 0;
  const rules: string[] = [];
  for (const { path, text } of dumpCluster(given, objects)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    size += text.length;
    if (path.endsWith("iptables-save.txt")) rules.push(file);
  }
  return { size, rules };
}

async function measured(folder: string, objects: boolean): Promise<void> {
  const given = { nodes: NODES, pods: PODS, services: SERVICES, endpoints: 3, local: 10 };
  const { size, rules } = written(folder, given, objects);
  const asked = rules.slice(0, HELD_AGAINST).map((f) => cpuOf("iptables-legacy-restore", ["--test"], f));
  const theirs = asked.every((n) => typeof n === "number")
    ? (asked.reduce((n, ms) => n + ms, 0) / asked.length / 1000) * rules.length
    : undefined;
  const what = `${NODES} nodes × ${SERVICES} Services${objects ? ", with objects" : ""}, ${(size / 1e6).toFixed(0)} MB`;
  const none = await swept([folder, "--to", "10.255.255.255:1"], 64);
  const all = await swept([folder, "--json"], 2);
  const { flows, answered, walks, classes } = JSON.parse(all.printed) as Figures;
  const ratio = theirs === undefined ? "" : `; iptables-legacy-restore --test of all ${theirs.toFixed(0)} s`;
  console.log(
    `sweep of dumps, ${what}: ${answered} of ${flows} flows, ${classes.length} classes of ${walks}; reading ${none.cpu.toFixed(0)} s, all ${all.cpu.toFixed(0)} s of the processor${ratio}; ${all.memory.toFixed(0)} MB at most`,
  );
  if (answered < flows || all.memory > MOST_MEMORY) process.exitCode = 1;
}

interface Taken {
  readonly cpu: number;
  /** VmHWM, in MB. */
  readonly memory: number;
  readonly printed: string;
}

/** `most`: the greatest status that is no failure of the measurement. */
async function swept(args: readonly string[], most: number): Promise<Taken> {
  const program = fileURLToPath(new URL("../packages/cli/dist/hairpin.cjs", import.meta.url));
  if (!existsSync(program)) throw new Error("npm run build comes first");
  const child = spawn(process.execPath, [program, "sweep", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  let [cpu, memory] = [0, 0];
  const timer = setInterval(() => {
    try {
      const high = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      if (high !== undefined) memory = Number(high) / 1000;
      const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ");
      if (stat !== undefined) cpu = (Number(stat[11]) + Number(stat[12])) / TICKS;
    } catch {
      // It has ended.
    }
  }, 50);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(timer);
  if (status === null || status > most) throw new Error(`hairpin sweep ended with ${status}`);
  return { cpu, memory, printed: Buffer.concat(parts).toString("utf8") };
}
