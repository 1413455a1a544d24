import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "@hairpin/core/messages/index.ts";
import type { Backend } from "./iptables-tool.ts";
import { type Prior, Trouble } from "./item.ts";
import { dropOwn, readOwn, writeOwn } from "./state-folder.ts";

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

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const areStrings = (value: unknown): boolean => Array.isArray(value) && value.every((v) => typeof v === "string");

function isKept(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { code, summary, node, commands, backend } = value;
  return areStrings([code, summary, node]) && areStrings(commands) && (backend === "legacy" || backend === "nft");
}

const isRepair = (value: unknown): boolean =>
  isRecord(value) && typeof value.time === "number" && typeof value.command === "string";

const PHASES: readonly unknown[] = ["applying", "pending", "confirmed", "reverting"] satisfies State["phase"][];

const isState = (value: unknown): value is State =>
  isRecord(value) &&
  value.version === 1 &&
  isKept(value.kept) &&
  PHASES.includes(value.phase) &&
  Array.isArray(value.priors) &&
  value.priors.every(isRecord) &&
  typeof value.deadline === "number" &&
  typeof value.boot === "string" &&
  Array.isArray(value.repairs) &&
  value.repairs.every(isRepair);

export function readState(folder: string): State | undefined {
  const written = readOwn(folder, FILE);
  if (written === undefined) return undefined;
  try {
    const state: unknown = JSON.parse(written);
    if (isState(state)) return state;
  } catch {}
  throw new Trouble(text("guard.damaged", { path: join(folder, FILE) }));
}

export const writeState = (folder: string, state: State): void =>
  writeOwn(folder, FILE, `${JSON.stringify(state, null, 2)}\n`);

export const dropState = (folder: string): void => dropOwn(folder, FILE);
