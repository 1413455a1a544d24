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
  readonly modules?: readonly string[];
}
