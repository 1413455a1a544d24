/**
 * Mutated inputs over all commands, under a watch: `npm run fuzz:commands -- --inputs 100000 [--from 0] [--jobs 1] [--more FOLDER]`.
 * The same number is the same input everywhere: `-- --from N --inputs 1` runs one again. Ends with 1 where anything crashed, took more
 * than ten seconds of the processor, or more than a gigabyte.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { basesOf, faultOf, inputOf, runInput } from "../test/hostile/fuzz.ts";

const SECONDS = 10;
const BYTES = 1e9;
/** Memory is looked at in a process that is not old: what V8 has not yet given back is not an input's. */
const INPUTS_OF_ONE_PROCESS = 500;

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "1000" },
    from: { type: "string", default: "0" },
    jobs: { type: "string", default: "1" },
    more: { type: "string", multiple: true, default: [] },
    worker: { type: "string" },
  },
});

/** Runs a stretch of inputs, noting in a file which one it is at. */
async function work(status: string, from: number, to: number): Promise<void> {
  const fd = openSync(status, "r+");
  const bases = basesOf(values.more);
  for (let i = from; i < to; i++) {
    writeSync(fd, String(i).padEnd(12), 0);
    const fault = faultOf(await runInput(inputOf(bases, i)));
    if (fault !== undefined) console.log(`${i}\t${fault.replaceAll("\n", " | ")}`);
  }
  writeSync(fd, "done".padEnd(12), 0);
  closeSync(fd);
}

/** Seconds of the processor that a process has used, and the memory it has. */
function usage(pid: number): { readonly seconds: number; readonly bytes: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { seconds: (Number(fields[11]) + Number(fields[12])) / 100, bytes: Number(fields[21]) * 4096 };
  } catch {
    return undefined;
  }
}

interface Found {
  inputs: number;
  readonly faults: string[];
  slowest: number;
  largest: number;
}

/** A process for a stretch; whatever it is killed for, the next begins behind it. */
async function watch(from: number, to: number, found: Found): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-fuzz-watch-"));
  const status = join(folder, "status");
  for (let next = from; next < to; ) {
    const end = Math.min(to, next + INPUTS_OF_ONE_PROCESS);
    writeFileSync(status, String(next).padEnd(12));
    const more = values.more.flatMap((m) => ["--more", m]);
    const args = ["--max-old-space-size=1000", "--import", "tsx", fileURLToPath(import.meta.url)];
    const child = spawn(
      process.execPath,
      [...args, "--worker", status, "--from", String(next), "--inputs", String(end - next), ...more],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    child.stdout.on("data", (text: Buffer) => {
      for (const line of text
        .toString()
        .split("\n")
        .filter((l) => l !== "")) {
        found.faults.push(line);
        console.log(line);
      }
    });
    let tail = "";
    child.stderr.on("data", (text: Buffer) => {
      tail = (tail + text.toString()).slice(-2000);
    });
    const at = (): number => Number(readFileSync(status, "latin1").trim());
    let current = next;
    let began = 0;
    let over: string | undefined;
    const timer = setInterval(() => {
      const used = usage(child.pid!);
      if (used === undefined) return;
      const now = at();
      if (now !== current) {
        current = now;
        began = used.seconds;
      }
      found.slowest = Math.max(found.slowest, current === next ? 0 : used.seconds - began);
      found.largest = Math.max(found.largest, used.bytes);
      // The first of a process pays for loading the program, too.
      if (used.seconds - began > SECONDS + (current === next ? 10 : 0))
        over = `${current}\thang: ${(used.seconds - began).toFixed(1)} s`;
      else if (used.bytes > BYTES + 300e6) over = `${current}\tmemory: ${Math.round(used.bytes / 1e6)} MB`;
      if (over !== undefined) child.kill("SIGKILL");
    }, 250);
    const code = await new Promise<number | null>((done) => child.on("exit", done));
    clearInterval(timer);
    const stopped = readFileSync(status, "latin1").trim();
    if (stopped === "done") {
      found.inputs += end - next;
      next = end;
      continue;
    }
    const fault = over ?? `${stopped}\tdied with ${code}: ${tail.replaceAll("\n", " | ")}`;
    found.faults.push(fault);
    console.log(fault);
    found.inputs += Number(stopped) + 1 - next;
    next = Number(stopped) + 1;
  }
  rmSync(folder, { recursive: true, force: true });
}

const from = Number(values.from);
const to = from + Number(values.inputs);
if (values.worker !== undefined) await work(values.worker, from, to);
else {
  const found: Found = { inputs: 0, faults: [], slowest: 0, largest: 0 };
  const jobs = Math.max(1, Number(values.jobs));
  const share = Math.ceil((to - from) / jobs);
  const started = Date.now();
  await Promise.all(
    Array.from({ length: jobs }, (_, j) => watch(from + j * share, Math.min(to, from + (j + 1) * share), found)),
  );
  const kinds = (word: string): number => found.faults.filter((f) => f.includes(`\t${word}`)).length;
  const rest = found.faults.length - kinds("hang") - kinds("memory");
  console.log(
    `${found.inputs} inputs in ${Math.round((Date.now() - started) / 1000)} s: ${rest} crashes, ${kinds("hang")} over ${SECONDS} s, ${kinds("memory")} over 1 GB; the slowest seen took ${found.slowest.toFixed(1)} s of the processor, the largest process ${Math.round(found.largest / 1e6)} MB`,
  );
  process.exitCode = found.faults.length === 0 ? 0 : 1;
}
