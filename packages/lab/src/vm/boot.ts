import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { executorFolder } from "../executor/locate.ts";
import type { Hello } from "../executor/protocol.ts";
import { LabError, Session } from "../executor/session.ts";
import { isExecutable, notInstalled } from "../installed.ts";
import { forget, remember } from "../leftovers.ts";
import { cpio } from "./cpio.ts";
import type { VmImage } from "./image.ts";

const QEMU_PLACES = ["/usr/bin/qemu-system-x86_64", "/usr/local/bin/qemu-system-x86_64"] as const;
export const findQemu = (): string | undefined => QEMU_PLACES.find(isExecutable);

/**
 * Ties qemu's life to this process's. A guest that is up powers off when its port closes; one that is still booting does
 * not notice.
 */
const SETPRIV = "/usr/bin/setpriv";
const TIED: readonly string[] = existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "KILL"] : [];

/** What the guest's first process is. */
const INIT = `#!/usr/bin/python3 -IB
import sys
sys.path.insert(0, "/executor")
import vm
vm.start()
`;
const CMDLINE = [
  "console=ttyS0",
  "quiet",
  "loglevel=3",
  "panic=-1",
  // Under emulation on a busy machine the timer comes late, and the kernel would take it for broken.
  "no_timer_check",
  "mitigations=off",
  "nokaslr",
  "random.trust_cpu=on",
  "rdinit=/init",
].join(" ");

/** A running guest and the line to its agent. */
export interface Guest {
  readonly session: Session;
  readonly hello: Hello;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The executor as it is now, put after the cached image: a change of it needs no new image. */
async function executorArchive(): Promise<Buffer> {
  const folder = executorFolder();
  const names = (await readdir(folder)).filter((name) => name.endsWith(".py"));
  const files = await Promise.all(
    names.map(async (name) => ({
      path: `executor/${name}`,
      kind: "file" as const,
      data: await readFile(join(folder, name)),
      executable: true,
    })),
  );
  return cpio([...files, { path: "init", kind: "file", data: Buffer.from(INIT), executable: true }]);
}

/**
 * Boots the guest under plain emulation. Requests and answers go through a virtio port joined to qemu's standard input
 * and output; when this process ends, however it ends, the port closes and the guest powers off.
 */
export async function boot(image: VmImage, seconds: number, progress: (what: Text) => void): Promise<Guest> {
  const qemu = findQemu();
  if (qemu === undefined) throw new LabError([notInstalled(["qemu-system-x86_64"])]);
  const work = await mkdtemp(join(tmpdir(), `hairpin-vm-${process.pid}-`));
  const initrd = join(work, "initrd");
  const console = join(work, "console");
  await writeFile(initrd, Buffer.concat([await readFile(image.initramfs), await executorArchive()]));
  progress(text("lab.booting", { release: image.release }));
  const [program, ...before] = [...TIED, qemu];
  const child = spawn(
    program!,
    [
      ...before,
      ...["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1", "-m", "512"],
      ...["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-net", "none"],
      ...["-kernel", image.kernel, "-initrd", initrd, "-append", CMDLINE],
      ...["-serial", `file:${console}`],
      ...["-chardev", "stdio,id=agent,signal=off", "-device", "virtio-serial-pci"],
      ...["-device", "virtserialport,chardev=agent,name=hairpin"],
    ],
    { stdio: ["pipe", "pipe", "pipe"], cwd: work, detached: true },
  );
  const complaints: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  const session = new Session(child.stdout, child.stdin);
  child.once("error", (problem) => session.end(`qemu did not start: ${problem.message}`));
  child.once("exit", (code) => session.end(`the VM ended (${code}) ${complaints.join("").trim()}`));
  if (child.pid !== undefined) remember(child.pid, "vm");
  const stop = async () => {
    await end(child);
    await rm(work, { recursive: true, force: true });
  };
  try {
    const hello = await session.call("hello", {}, seconds);
    // All of it has been loaded.
    await rm(work, { recursive: true, force: true });
    return { session, hello, pid: child.pid!, stop };
  } catch (problem) {
    const phrase = existsSync(console) ? (await readFile(console, "latin1")).slice(-2000) : "";
    await stop();
    throw new LabError(`the VM did not answer: ${(problem as Error).message}\n${printable(phrase)}`);
  }
}

const printable = (text: string): string => text.replace(/[^\n\x20-\x7e]/g, "");

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.stdin?.end();
    const insist = setTimeout(() => child.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(insist);
  }
  forget(child.pid);
}
