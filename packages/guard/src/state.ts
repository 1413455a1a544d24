import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "./iptables-tool.ts";
import { type Prior, Trouble } from "./item.ts";

/** The fix that is kept, as it was proved. */
export interface Kept {
  readonly code: string;
  readonly summary: string;
  readonly node: string;
  readonly commands: readonly string[];
  readonly backend: Backend;
}

/**
 * What the guard knows across calls and crashes. It is written before anything is touched, so whoever comes after a crash can
 * put things back: `applying` and an expired `pending` are undone, never finished.
 */
export interface State {
  readonly version: 1;
  readonly kept: Kept;
  readonly phase: "applying" | "pending" | "confirmed" | "reverting";
  /** One per item, in order. */
  readonly priors: readonly Prior[];
  /** Milliseconds since 1970, after which an unconfirmed fix is taken back. */
  readonly deadline: number;
  /** What the node had before is gone with a reboot. */
  readonly boot: string;
  readonly repairs: readonly Repair[];
  readonly checked?: number;
}

export interface Repair {
  readonly time: number;
  readonly command: string;
  readonly found: "absent" | "displaced";
  /** Absent where it was put back. */
  readonly trouble?: string;
}

const FILE = "state.json";

export const bootId = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "unknown";
  }
};

export function readState(folder: string): State | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, FILE), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Trouble(`${join(folder, FILE)} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    const state = JSON.parse(text) as State;
    if (state.version === 1 && Array.isArray(state.priors) && Array.isArray(state.kept?.commands)) return state;
  } catch {}
  throw new Trouble(`${join(folder, FILE)} is damaged; look at it, then remove it`);
}

/** All of it or the old one: written beside, synced, renamed. */
export function writeState(folder: string, state: State): void {
  const path = join(folder, FILE);
  const fresh = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(fresh, "w", 0o600);
    try {
      const bytes = Buffer.from(`${JSON.stringify(state, null, 2)}\n`);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new Trouble(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

export const dropState = (folder: string): void => rmSync(join(folder, FILE), { force: true });
