import { type Lang, say, type Text } from "@hairpin/core/messages/index.ts";
import type { Observations } from "./observation.ts";
import type { LabPlan } from "./plan.ts";
import type { KernelProfile, RunOptions } from "./run.ts";

/** A kernel that plans can be put to. Plans run one after another; close() leaves nothing behind. */
export interface LabBackend {
  readonly profile: KernelProfile;
  /** The process that holds the worlds: the executor, or the VM. */
  readonly pid: number;
  run(plan: LabPlan, options?: RunOptions): Promise<Observations>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly onProgress?: (text: string) => void;
  /** What progress is told in. */
  readonly lang?: Lang;
}

/** Tells how far it is, in the language that is wanted. */
export const teller =
  ({ onProgress, lang }: OpenOptions): ((what: Text) => void) =>
  (what) =>
    onProgress?.(say(what, lang));
