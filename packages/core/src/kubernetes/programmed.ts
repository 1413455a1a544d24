import type { IpSet, IptablesTable, SysctlEntry, VirtualService } from "../model/index.ts";
import type { Address, Family } from "../net/index.ts";

/** What kube-proxy, and kubelet where it shares the chains, would have written on a node for one family. */
export interface Programmed {
  readonly family: Family;
  readonly mode: "iptables" | "ipvs";
  readonly tables: readonly IptablesTable[];
  readonly sets: readonly IpSet[];
  readonly virtualServers: readonly VirtualService[];
  /** On kube-ipvs0. */
  readonly addresses: readonly Address[];
  readonly sysctls: readonly SysctlEntry[];
}
