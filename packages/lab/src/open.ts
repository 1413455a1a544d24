import type { LabBackend, OpenOptions } from "./backend.ts";
import { LabError } from "./executor/session.ts";
import { openNetns } from "./netns/backend.ts";
import { missingFeatures } from "./netns/features.ts";
import { netnsSupport } from "./netns/probe.ts";
import type { KernelFeature } from "./realise/needs.ts";
import { openVm, vmSupport } from "./vm/backend.ts";

export type BackendChoice =
  | { readonly backend: "netns" | "vm"; readonly why: string }
  | { readonly backend: undefined; readonly why: string };

/** The running kernel where it can do all that is needed, else the VM; with the reason in words. */
export function chooseBackend(
  needs: readonly KernelFeature[],
  wanted: "auto" | "netns" | "vm" = "auto",
): BackendChoice {
  const netns = netnsSupport();
  const missing = missingFeatures(needs);
  const against = [
    ...(netns.usable ? [] : netns.reasons),
    ...(missing.length === 0 ? [] : [`the running kernel lacks, or has not loaded, ${missing.join(", ")}`]),
  ];
  if (wanted !== "vm" && against.length === 0) return { backend: "netns", why: "the running kernel has all it needs" };
  if (wanted === "netns") return { backend: undefined, why: against.join("; ") };
  const vm = vmSupport();
  if (vm.usable) return { backend: "vm", why: wanted === "vm" ? "asked for" : against.join("; ") };
  return { backend: undefined, why: [...against, ...vm.reasons].join("; ") };
}

export async function openLab(
  needs: readonly KernelFeature[],
  options: OpenOptions & { readonly backend?: "auto" | "netns" | "vm" } = {},
): Promise<LabBackend> {
  const choice = chooseBackend(needs, options.backend);
  if (choice.backend === undefined) throw new LabError(`no kernel can be asked here: ${choice.why}`);
  options.onProgress?.(`${choice.backend === "netns" ? "running kernel" : "VM"}: ${choice.why}`);
  return choice.backend === "netns" ? openNetns(options) : openVm(options);
}
