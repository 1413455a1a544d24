// Differential fuzzing of the walk against a kernel: npm run soak -- --minutes N --seed S [--backend netns|vm] [--out DIR] [--ipv6]
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type LabBackend, openNetns, openVm } from "@hairpin/lab/index.ts";
import { shown } from "@hairpin/lab/soak/show.ts";
import { type Mismatch, soak } from "@hairpin/lab/soak/soak.ts";
import { caseFiles } from "@hairpin/lab/soak/write-case.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    backend: { type: "string", default: "netns" },
    out: { type: "string" },
    labs: { type: "string" },
    first: { type: "string", default: "0" },
    worlds: { type: "string" },
    ipv6: { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);
const seed = Number(values.seed);
const vm = values.backend === "vm";

let stopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => (stopped = true));

const backends: LabBackend[] = [];
try {
  const labs = Number(values.labs ?? (vm ? 1 : 2));
  for (let i = 0; i < labs; i++) backends.push(await (vm ? openVm({ onProgress: say }) : openNetns()));
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
