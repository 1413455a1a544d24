import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the lab started and who asked for it, so that a later run can end what a killed one left. */
interface Note {
  readonly kind: "executor" | "vm";
  readonly pid: number;
  readonly began: string;
  readonly owner: number;
  readonly ownerBegan: string;
}

const folder = (): string => join(tmpdir(), `hairpin-lab-${process.getuid?.() ?? 0}`);
const noteOf = (pid: number): string => join(folder(), String(pid));

/** Start time of a process in clock ticks: with the pid it names one process for good. Undefined: there is none. */
function beganOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Whether a process of this number runs. */
export const isRunning = (pid: number): boolean => beganOf(pid) !== undefined;

export function remember(pid: number, kind: Note["kind"]): void {
  const note: Note = {
    kind,
    pid,
    began: beganOf(pid) ?? "",
    owner: process.pid,
    ownerBegan: beganOf(process.pid) ?? "",
  };
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    writeFileSync(noteOf(pid), JSON.stringify(note), { mode: 0o600 });
  } catch {}
}

export function forget(pid: number): void {
  rmSync(noteOf(pid), { force: true });
}

export interface Cleaned {
  readonly processes: readonly number[];
  readonly namespaces: readonly string[];
  readonly folders: readonly string[];
}

/**
 * Ends executors and VMs whose owner is dead, removes namespaces the lab named and scratch folders of executors that are
 * no more. Nothing of a run that is still going is touched, and nothing the lab did not make.
 */
export function cleanLeftovers(): Cleaned {
  const processes: number[] = [];
  for (const name of list(folder())) {
    const note = readNote(join(folder(), name));
    if (note === undefined) continue;
    const alive = beganOf(note.pid) === note.began;
    const owned = beganOf(note.owner) === note.ownerBegan;
    if (alive && owned) continue;
    if (alive) {
      process.kill(note.pid, note.kind === "vm" ? "SIGKILL" : "SIGTERM");
      processes.push(note.pid);
    }
    rmSync(noteOf(note.pid), { force: true });
  }
  const dead = (name: string, pattern: RegExp): boolean => {
    const pid = pattern.exec(name)?.[1];
    return pid !== undefined && (!isRunning(Number(pid)) || processes.includes(Number(pid)));
  };
  const namespaces = list("/run/netns").filter((name) => dead(name, /^hp(\d+)-w\d+-\d+$/));
  for (const name of namespaces) {
    try {
      execFileSync("ip", ["netns", "delete", name], { stdio: "ignore" });
    } catch {}
  }
  const folders = list(tmpdir()).filter(
    (name) => dead(name, /^hp(\d+)-[a-z0-9_]{8}$/) || dead(name, /^hairpin-vm-(\d+)-\w{6}$/),
  );
  for (const name of folders) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  return { processes, namespaces, folders };
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readNote(path: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Note;
  } catch {
    return undefined;
  }
}
