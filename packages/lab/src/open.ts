import { say, type Text, text } from "@hairpin/core/messages/index.ts";
import { type LabBackend, type OpenOptions, teller } from "./backend.ts";
import { LabError } from "./executor/session.ts";
import { notInstalled } from "./installed.ts";
import { openNetns } from "./netns/backend.ts";
import { missingFeatures } from "./netns/features.ts";
import { netnsSupport } from "./netns/probe.ts";
import { isTool, type KernelFeature } from "./realise/needs.ts";
import { openVm, vmSupport } from "./vm/backend.ts";

export interface BackendChoice {
  readonly backend: "netns" | "vm" | undefined;
  /** In words. */
  readonly why: string;
  readonly texts: readonly Text[];
}

const chosen = (backend: BackendChoice["backend"], texts: readonly Text[]): BackendChoice => ({
  backend,
  texts,
  why: texts.map((it) => say(it)).join("; "),
});

/** The running kernel where it can do all that is needed, else the VM; with the reason in words. */
export function chooseBackend(
  needs: readonly KernelFeature[],
  wanted: "auto" | "netns" | "vm" = "auto",
): BackendChoice {
  const netns = netnsSupport();
  const missing = missingFeatures(needs);
  const parts = missing.filter((need) => !isTool(need));
  const against = [
    ...(netns.usable ? [] : netns.texts),
    ...(parts.length === 0 ? [] : [text("lab.kernel-lacks", { parts })]),
    ...(missing.some(isTool) ? [notInstalled(missing.filter(isTool))] : []),
  ];
  if (wanted !== "vm" && against.length === 0) return chosen("netns", [text("lab.kernel-has-all")]);
  if (wanted === "netns") return chosen(undefined, against);
  const vm = vmSupport();
  if (vm.usable) return chosen("vm", wanted === "vm" ? [text("lab.asked-for")] : against);
  return chosen(undefined, wanted === "vm" ? vm.texts : [...against, ...vm.texts]);
}

export async function openLab(
  needs: readonly KernelFeature[],
  options: OpenOptions & { readonly backend?: "auto" | "netns" | "vm" } = {},
): Promise<LabBackend> {
  const choice = chooseBackend(needs, options.backend);
  if (choice.backend === undefined) throw new LabError([text("lab.no-kernel"), ...choice.texts]);
  const why = [...choice.texts];
  teller(options)(text(choice.backend === "netns" ? "lab.chosen-running" : "lab.chosen-vm", { why }));
  return choice.backend === "netns" ? openNetns(options) : openVm(options);
}
