import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { LabError } from "./executor/session.ts";

/** What the lab started and who asked for it, so that a later run can end what a killed one left. */
interface Note {
  readonly kind: "executor" | "vm";
  readonly pid: number;
  readonly began: string;
  readonly owner: number;
  readonly ownerBegan: string;
}

const folder = (): string => join(tmpdir(), `hairpin-lab-${ownId()}`);
const noteOf = (pid: number): string => join(folder(), String(pid));
const ownId = (): number => process.getuid?.() ?? 0;

/**
 * The folder of the notes, made where there is none. Its name can be foretold and the temporary folder is everybody's: what somebody
 * else made, or could write to, is not believed, since processes are ended and files removed by it.
 */
function ownFolder(): string {
  const path = folder();
  const refuse = (why: Text): never => {
    throw new LabError([text("lab.folder", { folder: path, why })]);
  };
  const attempt = <T>(action: () => T): T | undefined => {
    try {
      return action();
    } catch (problem) {
      const { code } = problem as NodeJS.ErrnoException;
      return code === "EEXIST" ? undefined : refuse(text("lab.folder-fails", { errno: code ?? "?" }));
    }
  };
  const parent = attempt(() => statSync(tmpdir()))!;
  const mine = parent.uid === ownId() || parent.uid === 0;
  if (!mine || ((parent.mode & 0o022) !== 0 && (parent.mode & 0o1000) === 0)) refuse(text("lab.folder-sticky"));
  attempt(() => mkdirSync(path, { mode: 0o700 }));
  const about = lstatSync(path);
  if (!about.isDirectory()) refuse(text("lab.folder-kind"));
  if (about.uid !== ownId()) refuse(text("lab.folder-owner"));
  if ((about.mode & 0o077) !== 0) refuse(text("lab.folder-mode"));
  return path;
}

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
  ownFolder();
  forget(pid);
  writeFileSync(noteOf(pid), JSON.stringify(note), { mode: 0o600, flag: "wx" });
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
  for (const name of list(ownFolder())) {
    const note = readNote(name);
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
    (name) =>
      (dead(name, /^hp(\d+)-[a-z0-9_]{8}$/) || dead(name, /^hairpin-vm-(\d+)-\w{6}$/)) &&
      isOwnFolder(join(tmpdir(), name)),
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

/** No link, and nobody else's: a folder of another's could be changed into a link while it is being removed. */
function isOwnFolder(path: string): boolean {
  try {
    const about = lstatSync(path);
    return about.isDirectory() && about.uid === ownId() && (about.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** A note as remember() writes it, under the number of its process; anything else is none. */
function readNote(name: string): Note | undefined {
  if (!/^[1-9][0-9]{0,9}$/.test(name)) return undefined;
  try {
    const fd = openSync(join(folder(), name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const about = fstatSync(fd);
      if (!about.isFile() || about.uid !== ownId() || about.size > 4096) return undefined;
      const note = JSON.parse(readFileSync(fd, "utf8")) as Partial<Record<keyof Note, unknown>> | null;
      const isId = (id: unknown): boolean => Number.isSafeInteger(id) && (id as number) > 1;
      const isStart = (began: unknown): boolean => typeof began === "string" && /^[0-9]*$/.test(began);
      const good =
        (note?.kind === "executor" || note?.kind === "vm") &&
        note.pid === Number(name) &&
        isId(note.pid) &&
        isId(note.owner) &&
        isStart(note.began) &&
        isStart(note.ownerBegan);
      return good ? (note as unknown as Note) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}
