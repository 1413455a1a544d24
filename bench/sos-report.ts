import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { bigNodeFiles } from "./big-node.ts";

/** Unpacked; `HAIRPIN_BENCH_MB` makes it smaller. */
const SIZE = Number(process.env.HAIRPIN_BENCH_MB ?? 1024) * 2 ** 20;
const MOST_MEMORY = 300;
const SERVICES = 5_000;
const LOGS = 40;
const BLOCK = 512;

const program = join(fileURLToPath(new URL("..", import.meta.url)), "packages/cli/dist/hairpin.mjs");

/** As `sos report` packs (xz, preset 3), and as others pack what they send on. */
const PACKERS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["tar", ["cat"]],
  ["tar.gz", ["gzip", "-6"]],
  ["tar.zst", ["zstd", "-q", "-3"]],
  ["tar.xz", ["xz", "-3", "-T1"]],
];

/** `npm run bench sos-report [-- tar.xz …]`: a sos report of a gigabyte, made while it is packed, and what `hairpin check` of it takes. */
export async function benchSosReport(): Promise<void> {
  if (!existsSync(program)) throw new Error("npm run build comes first: this measures what it makes");
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  const wanted = process.argv.slice(2).filter((arg) => PACKERS.some(([name]) => name === arg));
  try {
    for (const [name, command] of PACKERS) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      if (spawnSync(command[0]!, ["--version"]).error !== undefined) {
        console.log(`.${name}: there is no ${command[0]} here`);
        continue;
      }
      const path = join(folder, `sosreport-worker-7-2027-02-03-abcdefg.${name}`);
      await packed(path, command);
      const { memory, cpu, clock, progress } = await checked(path);
      console.log(
        `.${name}: ${mega(statSync(path).size)} packed, ${mega(SIZE)} unpacked: ${memory.toFixed(0)} MB at most (bound ${MOST_MEMORY}), ` +
          `${cpu.toFixed(1)} s of the processor, ${clock.toFixed(0)} s on the clock, ${progress} lines of progress`,
      );
      rmSync(path);
      if (memory > MOST_MEMORY) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** Memory never holds more of the report than a piece of a log. */
async function packed(path: string, [tool, ...args]: readonly string[]): Promise<void> {
  const to = createWriteStream(path);
  const packer = spawn(tool!, args, { stdio: ["pipe", "pipe", "inherit"] });
  packer.stdout.pipe(to);
  for (const piece of report()) if (!packer.stdin.write(piece)) await drained(packer.stdin);
  packer.stdin.end();
  await finished(to);
}

const drained = (stream: Writable): Promise<void> => new Promise((resolve) => stream.once("drain", resolve));

/** A large node's dumps, as sos names them, and logs for the rest. */
function* report(): Generator<Buffer> {
  const top = "sosreport-worker-7-2027-02-03-abcdefg";
  const dumps = bigNodeFiles(SERVICES);
  const networking = `${top}/sos_commands/networking`;
  const files: Readonly<Record<string, string>> = {
    [`${top}/sos_commands/host/hostname`]: "worker-7\n",
    ...Object.fromEntries(Object.entries(dumps).map(([name, text]) => [`${networking}/${NAMES[name] ?? name}`, text])),
  };
  let written = 0;
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    yield header(name, bytes.length);
    yield bytes;
    yield padding(bytes.length);
    written += bytes.length;
  }
  const each = Math.floor((SIZE - written) / LOGS);
  for (let log = 0; log < LOGS; log++) {
    yield header(`${top}/var/log/journal-${log}.log`, each);
    yield* lines(each, log);
    yield padding(each);
  }
  yield Buffer.alloc(2 * BLOCK);
}

const NAMES: Readonly<Record<string, string>> = {
  "iptables-save.txt": "iptables-save",
  "ip-addr.txt": "ip_-d_address",
  "ip-route.txt": "ip_route_show_table_all",
  "ip-rule.txt": "ip_-4_rule_list",
  "sysctl.txt": "sysctl_-a",
};

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** A ustar header of a regular file. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write("0000644\0", 100);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136);
  block.write("        0", 148);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((a, b) => a + b, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

const WORDS =
  "kubelet containerd kernel systemd etcd Started Failed pod container volume timeout probe image sync cgroup".split(
    " ",
  );

/** Lines of a log, of which a packer makes about a third: words that repeat, numbers that do not. */
function* lines(size: number, log: number): Generator<Buffer> {
  let seed = log + 1;
  const draw = (n: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const word = (): string => WORDS[draw(WORDS.length)]!;
  for (let left = size; left > 0; ) {
    let text = "";
    for (let i = 0; i < 2000; i++)
      text += `Feb 03 ${draw(24)}:${draw(60)}:${draw(60)} worker-7 ${word()}[${draw(30000)}]: ${word()} ${word()} ${word()} id=${draw(2 ** 31).toString(16)}${draw(2 ** 31).toString(16)} in ${draw(1000)}.${draw(1e6)}ms\n`;
    const piece = Buffer.from(text).subarray(0, left);
    left -= piece.length;
    yield piece;
  }
}

interface Taken {
  /** VmHWM, in MB. */
  readonly memory: number;
  /** Seconds. */
  readonly cpu: number;
  readonly clock: number;
  readonly progress: number;
}

/** Clock ticks a second, as Linux tells them to programs everywhere. */
const TICKS = 100;

/** The kernel's own count of what the process held at most and used, read until it ends. */
async function checked(path: string): Promise<Taken> {
  const start = performance.now();
  const child = spawn(process.execPath, [program, "check", path], { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  child.stderr.on("data", (piece: Buffer) => {
    told += piece.toString();
  });
  let [memory, cpu] = [0, 0];
  const look = (): void => {
    try {
      const high = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      if (high !== undefined) memory = Number(high) / 1000;
      const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ");
      if (stat !== undefined) cpu = (Number(stat[11]) + Number(stat[12])) / TICKS;
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, 20);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(timer);
  if (status === null || status >= 64) throw new Error(`hairpin check ended with ${status}: ${told}`);
  return { memory, cpu, clock: (performance.now() - start) / 1000, progress: told.split("\n").length - 1 };
}
