import { type Text, text } from "@hairpin/core/messages/index.ts";
import { type LabBackend, type OpenOptions, teller } from "../backend.ts";
import { notInstalled } from "../installed.ts";
import { cleanLeftovers } from "../leftovers.ts";
import { type Unusable, unusable } from "../netns/probe.ts";
import type { Observations } from "../observation.ts";
import { EMULATED_PACE } from "../pace.ts";
import type { LabPlan } from "../plan.ts";
import { type KernelProfile, type RunOptions, runPlan } from "../run.ts";
import { boot, findQemu, type Guest } from "./boot.ts";
import { type ImageOptions, vmImage } from "./image.ts";

export interface VmOptions extends OpenOptions, ImageOptions {
  /** Seconds the guest may take until its agent answers; default 120. */
  readonly bootLimit?: number;
}

export type VmSupport = { readonly usable: true } | Unusable;

/** Whether a VM can be had here. Whether its image can be made shows when it is. */
export function vmSupport(): VmSupport {
  const against: Text[] = [];
  if (process.arch !== "x64") against.push(text("lab.vm-arch", { arch: process.arch }));
  if (findQemu() === undefined) against.push(notInstalled(["qemu-system-x86_64"]));
  return against.length === 0 ? { usable: true } : unusable(against);
}

/** Worlds in a small VM with its own kernel: for what the running one lacks, or where one is not root. */
export async function openVm(options: VmOptions = {}): Promise<LabBackend> {
  const progress = teller(options);
  cleanLeftovers();
  const image = await vmImage(options);
  const guest = await boot(image, options.bootLimit ?? 120, progress);
  return new VmBackend(guest, {
    backend: "vm",
    kernel: guest.hello.kernel,
    kinds: { dummy: true },
    pace: EMULATED_PACE,
  });
}

class VmBackend implements LabBackend {
  readonly profile: KernelProfile;
  readonly #guest: Guest;

  constructor(guest: Guest, profile: KernelProfile) {
    this.#guest = guest;
    this.profile = profile;
  }

  get pid(): number {
    return this.#guest.pid;
  }

  run(plan: LabPlan, options: RunOptions = {}): Promise<Observations> {
    return runPlan(this.#guest.session, plan, this.profile, options);
  }

  close(): Promise<void> {
    return this.#guest.stop();
  }
}
