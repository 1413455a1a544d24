// Differential fuzzing of the walk against a kernel: npm run soak -- --minutes N --seed S [--backend netns|vm] [--out DIR] [--ipv6]
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type LabBackend, openNetns, openVm } from "@hairpin/lab/index.ts";
import { shown } from "@hairpin/lab/soak/show.ts";
import { type Mismatch, soak } from "@hairpin/lab/soak/soak.ts";
import { caseFiles } from "@hairpin/lab/soak/write-case.ts";

const USAGE = `npm run soak -- [options]: random Worlds and packets, walked and sent through a kernel, compared hook by hook
  --minutes N        how long (1)
  --seed S           which Worlds (1)
  --first I          the first World (0)
  --worlds N         how many at most
  --backend B        netns: the running kernel; vm: one that has IPVS (netns)
  --kernel K         which kernel the vm boots: 6.12, or the name of a Debian meta package (linux-image-cloud-amd64)
  --labs N           how many at a time (2; in the vm 1)
  --ipv6             two families
  --whole            print a World that differs as it is, not its smallest part
  --out DIR          write each World that differs as a folder
Exit status: 0 all agree, 1 something differs, 69 nothing could run.
`;

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (problem) {
    process.stderr.write(`${problem instanceof Error ? problem.message : problem}\n${USAGE}`);
    process.exit(64);
  }
}

const OPTIONS = {
  minutes: { type: "string", default: "1" },
  seed: { type: "string", default: "1" },
  backend: { type: "string", default: "netns" },
  out: { type: "string" },
  kernel: { type: "string" },
  labs: { type: "string" },
  first: { type: "string", default: "0" },
  worlds: { type: "string" },
  ipv6: { type: "boolean", default: false },
  whole: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;
const values = readOptions();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const say = (text: string) => process.stderr.write(`${text}\n`);
const seed = Number(values.seed);
const vm = values.backend === "vm";

let stopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => (stopped = true));

/** A version stands for Debian's cloud kernel of that line. */
const kernelOf = (word: string): string => (/^\d/.test(word) ? `linux-image-${word}-cloud-amd64` : word);
const which = values.kernel === undefined ? {} : { kernel: kernelOf(values.kernel) };
if (values.kernel !== undefined && !vm) {
  say(`--kernel chooses the vm's kernel: add --backend vm\n${USAGE}`);
  process.exit(64);
}

const backends: LabBackend[] = [];
try {
  const labs = Number(values.labs ?? (vm ? 1 : 2));
  for (let i = 0; i < labs; i++) backends.push(await (vm ? openVm({ onProgress: say, ...which }) : openNetns()));
} catch (problem) {
  say(`nothing could run: ${problem instanceof Error ? problem.message : problem}`);
  process.exit(69);
}
say(`kernel ${backends[0]!.profile.kernel}, ${backends.length} at a time`);

function keep(found: Mismatch): void {
  if (values.out === undefined) {
    say(shown(found));
    return;
  }
  const folder = join(values.out, `seed-${found.seed}-world-${found.world}`);
  for (const [path, content] of caseFiles(found)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  say(`written to ${folder}`);
}

const summary = await soak(backends, {
  seed,
  first: Number(values.first),
  ...(values.worlds === undefined ? {} : { worlds: Number(values.worlds) }),
  milliseconds: Number(values.minutes) * 60_000,
  ipvs: vm,
  ipv6: values.ipv6,
  onProgress: say,
  onMismatch: keep,
  stopped: () => stopped,
  shrink: !values.whole,
});
for (const [reason, count] of [...summary.reasons].sort((a, b) => b[1] - a[1])) say(`skipped ${count}: ${reason}`);
await Promise.all(backends.map((b) => b.close()));
const { worlds, packets, hooks, mismatches, skipped, held, unheld } = summary;
process.stdout.write(
  `soak: seed ${seed}, ${worlds} worlds, ${packets} packets, ${hooks} hooks, ${mismatches} mismatches, ${skipped} skipped, ${unheld} of ${held} packets for which an answer was to hold ended otherwise\n`,
);
process.exitCode = mismatches > 0 || unheld > 0 ? 1 : worlds === 0 ? 69 : 0;
