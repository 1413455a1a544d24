import type { Family } from "../../net/index.ts";
import type { Extent } from "../extent.ts";
import type { Negatable } from "../negatable.ts";
import type { NftTable } from "../nft/table.ts";
import type { Origin } from "../origin.ts";
import type { MaskedAddress, Match } from "./match.ts";
import type { RegisteredHook } from "./registered-hook.ts";
import type { Target } from "./target.ts";
import type { UnreadChain, UnreadTable } from "./unread.ts";

export interface Counters {
  readonly packets: number;
  readonly bytes: number;
}

export interface Rule {
  readonly source?: Negatable<MaskedAddress>;
  readonly destination?: Negatable<MaskedAddress>;
  /** `eth+` keeps its plus sign. */
  readonly inInterface?: Negatable<string>;
  readonly outInterface?: Negatable<string>;
  readonly protocol?: Negatable<number>;
  /** What -p said, where that is not the usual name: /etc/protocols differs between distributions, or is missing. */
  readonly protocolName?: string;
  /** -f: second and further fragments. */
  readonly fragment?: { readonly negated: boolean };
  readonly matches: readonly Match[];
  readonly target: Target;
  readonly counters?: Counters;
  /** Shown by a form that loses detail (iptables -L without -v hides interfaces): the rule may match less than it says. */
  readonly lossy?: boolean;
  readonly origin: Origin;
}

export type Policy = "ACCEPT" | "DROP" | "QUEUE";

export interface Chain {
  readonly name: string;
  /** Present for built-in chains only. */
  readonly policy?: Policy;
  readonly counters?: Counters;
  /** Of a large dump they are read when they are asked for: a copy of the record has to name them. */
  readonly rules: readonly Rule[];
  /** Present where they are; never copied. */
  readonly unread?: UnreadChain;
  /** `partial`: some rules of this chain may not have been shown. */
  readonly extent: Extent;
  readonly origin: Origin;
}

export type IptablesTableName = "raw" | "mangle" | "nat" | "filter" | "security";
/** The chains that a table has of itself, in the order of iptables-save. */
export const BUILT_IN_CHAINS: Readonly<Record<IptablesTableName, readonly string[]>> = {
  raw: ["PREROUTING", "OUTPUT"],
  mangle: ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
  nat: ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"],
  filter: ["INPUT", "FORWARD", "OUTPUT"],
  security: ["INPUT", "FORWARD", "OUTPUT"],
};
export type IptablesBackend = "legacy" | "nft" | "unknown";

/** One table of one family in one back end, as iptables-save shows it. */
export interface IptablesTable {
  readonly name: IptablesTableName;
  readonly family: Family;
  readonly backend: IptablesBackend;
  /** In the order printed. */
  readonly chains: readonly Chain[];
  /** Present where their rules are read when they are asked for; never copied. */
  readonly unread?: UnreadTable;
  readonly extent: Extent;
  readonly origin: Origin;
}

/**
 * All of netfilter in one stack. Two back ends may be loaded at once; at equal priority the table registered later
 * runs first (nf_hook_entries_grow), so the order matters and may be unknown.
 */
export interface Netfilter {
  readonly tables: readonly IptablesTable[];
  /** Which back end's tables were registered first, where both are loaded. */
  readonly firstRegistered?: "legacy" | "nft";
  /** Whether native nftables chains were registered before or after those of iptables, where both are loaded. */
  readonly nativeRegistered?: "first" | "last";
  /** Whether native tables got their chains in the order of the listing, where two of them stand at one priority. */
  readonly nativeOrder?: "listed" | "reversed";
  /** What `nft list hooks` shows, in the order of running. */
  readonly registered?: readonly RegisteredHook[];
  /** Nobody showed whether there is a nat table: it is taken to be empty, except for what must be in it. */
  readonly natNotShown?: boolean;
  /** IPv4 tables of which nobody showed anything. What stands for them is made up. */
  readonly unshown?: readonly IptablesTableName[];
  /** The same of ip6tables. */
  readonly unshown6?: readonly IptablesTableName[];
  /** A dump of the other back end says that iptables-legacy has tables, too, and nobody showed them. */
  readonly legacyUnshown?: boolean;
  /** Native nftables tables, in the order of the listing. */
  readonly nft?: readonly NftTable[];
  /** Of the nftables ruleset only a part was shown, or the listing was cut: `part` of the tables, or of what is in them. */
  readonly nftCut?: "part" | "cut";
  /** Native nftables tables that were seen and cannot be walked. */
  readonly nativeNft: readonly {
    readonly name: string;
    /** Of the bridge's or ARP's own family: only what crosses a bridge, or asks for a neighbour, meets it. */
    readonly below?: "bridge" | "arp";
    readonly origin: Origin;
    readonly drops?: readonly UnreadDrop[];
  }[];
}

/** A rule of a table that is not read, which drops and counts: that much shows without reading the rest. */
export interface UnreadDrop {
  readonly chain: string;
  readonly rule: string;
  readonly packets: number;
  readonly origin: Origin;
}
