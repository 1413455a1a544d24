import type { Extent } from "../extent.ts";
import type { Origin } from "../origin.ts";
import type { NftElement, NftExpression } from "./expression.ts";
import type { NftLimit, NftQuota, NftStatement } from "./statement.ts";

export type NftFamily = "ip" | "ip6" | "inet" | "arp" | "bridge" | "netdev";
export type NftHookName = "prerouting" | "input" | "forward" | "output" | "postrouting" | "ingress" | "egress";

export interface NftRule {
  readonly statements: readonly NftStatement[];
  readonly comment?: string;
  readonly handle?: number;
  readonly origin: Origin;
}

/** What hangs a chain into the packet's way. */
export interface NftBase {
  readonly type: "filter" | "nat" | "route";
  readonly hook: NftHookName;
  readonly priority: number;
  /** Of netdev and inet ingress. */
  readonly devices: readonly string[];
  readonly policy: "accept" | "drop";
}

export interface NftChain {
  readonly name: string;
  readonly base?: NftBase;
  /** It is a base chain, and where it hangs was not understood. */
  readonly unread?: true;
  readonly rules: readonly NftRule[];
  readonly comment?: string;
  readonly origin: Origin;
}

export interface NftSet {
  readonly name: string;
  readonly kind: "set" | "map" | "meter";
  /** `ipv4_addr . inet_service`, or of `typeof` the selectors. */
  readonly key: readonly NftType[];
  /** What a map gives: types, or verdicts. */
  readonly data?: readonly NftType[];
  /** constant, dynamic, interval, timeout */
  readonly flags: readonly string[];
  /** Seconds an element lives unless it says otherwise. */
  readonly timeout?: number;
  readonly size?: number;
  readonly autoMerge: boolean;
  readonly elements: readonly NftElement[];
  /** False where the listing left them out (`nft -t`, a terse one). */
  readonly elementsKnown: boolean;
  /** `counter`, `limit rate 1/second`: what each element has, as nft prints it. */
  readonly statements?: readonly string[];
  readonly comment?: string;
  readonly origin: Origin;
}

/** A type's name (`ipv4_addr`, `inet_service`, `verdict`), and the selector where `typeof` gave it. */
export interface NftType {
  readonly name: string;
  readonly of?: NftExpression;
  /** A map that gives ranges says so: `: interval ipv4_addr`. */
  readonly interval?: true;
}

export type NftObject =
  | {
      readonly kind: "counter";
      readonly name: string;
      readonly packets: number;
      readonly bytes: number;
      readonly origin: Origin;
    }
  | { readonly kind: "quota"; readonly name: string; readonly quota: NftQuota; readonly origin: Origin }
  | { readonly kind: "limit"; readonly name: string; readonly limit: NftLimit; readonly origin: Origin }
  /** `ct helper`, `ct timeout`, `ct expectation`, `synproxy`, `secmark`, `tunnel` */
  | {
      readonly kind: "other";
      readonly object: string;
      readonly name: string;
      readonly words: readonly string[];
      readonly origin: Origin;
    };

export interface NftFlowtable {
  readonly name: string;
  readonly devices: readonly string[];
  readonly priority: number;
  readonly origin: Origin;
}

export interface NftTable {
  readonly family: NftFamily;
  readonly name: string;
  /** dormant, owner, persist */
  readonly flags: readonly string[];
  readonly chains: readonly NftChain[];
  readonly sets: readonly NftSet[];
  readonly objects: readonly NftObject[];
  readonly flowtables: readonly NftFlowtable[];
  readonly comment?: string;
  /** Written by iptables-nft: what `iptables-save` shows is better. */
  readonly ofIptables: boolean;
  readonly extent: Extent;
  readonly origin: Origin;
}
