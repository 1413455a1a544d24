import type { Extent } from "./extent.ts";
import type { Origin } from "./origin.ts";

export interface KernelVersion {
  readonly release: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly origin: Origin;
}

export interface IptablesVersion {
  readonly version: string;
  readonly backend?: "legacy" | "nft";
  readonly family: 4 | 6;
  readonly origin: Origin;
}

/** What uname, lsmod and `iptables -V` say about a node. Absent: not shown. */
export interface Machine {
  readonly hostname?: string;
  readonly kernel?: KernelVersion;
  readonly iptables: readonly IptablesVersion[];
  /** Loaded modules; what is built into the kernel is not among them. */
  readonly modules?: readonly string[];
  /** Whether `modules` is all of lsmod. */
  readonly modulesExtent?: Extent;
  /** The distribution, as os-release or hostnamectl calls it. */
  readonly os?: string;
}
