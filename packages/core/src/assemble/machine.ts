import type { CaseNode, KernelVersion, Machine, Origin } from "../model/index.ts";
import type { Dumped } from "./dumped.ts";

/** What uname, lsmod and iptables -V said; case.yaml has the last word on the kernel. */
export function mergeMachine(listings: readonly Dumped<"machine">[], stated: CaseNode | undefined): Machine {
  let merged: Machine = { iptables: [] };
  for (const { fact } of listings) {
    const modules = better(merged, fact.machine);
    merged = { ...fact.machine, ...merged, ...modules, iptables: [...merged.iptables, ...fact.machine.iptables] };
  }
  const kernel = stated?.kernel === undefined ? undefined : kernelOf(stated.kernel, stated);
  return kernel === undefined ? merged : { ...merged, kernel };
}

/** A complete lsmod beats what grep left of one; two cut ones add up. */
function better(a: Machine, b: Machine): Pick<Machine, "modules" | "modulesExtent"> {
  if (a.modules === undefined || b.modules === undefined || a.modulesExtent === "whole") return {};
  if (b.modulesExtent === "whole") return { modules: b.modules, modulesExtent: "whole" };
  return { modules: [...new Set([...a.modules, ...b.modules])] };
}

export function kernelOf(release: string, { origin }: { readonly origin: Origin }): KernelVersion | undefined {
  const match = /^(\d{1,3})\.(\d{1,4})(?:\.(\d{1,5}))?/.exec(release.trim());
  if (match === null) return undefined;
  const [, major, minor, patch] = match;
  return { release: release.trim(), major: Number(major), minor: Number(minor), patch: Number(patch ?? 0), origin };
}
