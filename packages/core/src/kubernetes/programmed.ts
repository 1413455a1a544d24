import type { IpSet, IptablesTable, NftTable, SysctlEntry, VirtualService } from "../model/index.ts";
import type { Address, Family } from "../net/index.ts";

/** What kube-proxy, and kubelet where it shares the chains, would have written on a node for one family. */
export interface Programmed {
  readonly family: Family;
  readonly mode: "iptables" | "ipvs" | "nftables";
  readonly tables: readonly IptablesTable[];
  /** In nftables mode. */
  readonly nft?: readonly NftTable[];
  readonly sets: readonly IpSet[];
  readonly virtualServers: readonly VirtualService[];
  /** On kube-ipvs0. */
  readonly addresses: readonly Address[];
  readonly sysctls: readonly SysctlEntry[];
}
