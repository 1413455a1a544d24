import { type Address, ANY6, type Family, maskFor, maskOf, parseAddress } from "../net/index.ts";
import type { Extent } from "./extent.ts";
import type { Origin } from "./origin.ts";

/** The dimensions a set type stores, in order: what `hash:ip,port,net` says after the colon. */
export type SetDimension = "ip" | "net" | "port" | "mac" | "iface" | "mark" | "set";
export type SetMethod = "hash" | "bitmap" | "list";

export interface IpSet {
  readonly name: string;
  readonly method: SetMethod;
  readonly dimensions: readonly SetDimension[];
  readonly revision?: number;
  readonly family: Family;
  /** Create-time options in the order printed, e.g. hashsize 1024, maxelem 65536, range 0-65535, timeout 0, counters. */
  readonly options: readonly SetOption[];
  readonly sizeInMemory?: number;
  readonly references?: number;
  readonly numberOfEntries?: number;
  readonly entries: readonly SetEntry[];
  /** `partial`: the listing went through grep or head, or the entry count disagrees. */
  readonly extent: Extent;
  /** Nobody showed the type: it was told from the shape of the entries (members alone, after grep). */
  readonly inferredType?: true;
  readonly origin: Origin;
}

export interface SetOption {
  readonly name: string;
  /** Absent for flags (`counters`, `comment`, `skbinfo`, `forceadd`). */
  readonly value?: string;
}

/** One value per dimension, or a member set for list:set. */
export interface SetEntry {
  readonly parts: readonly SetPart[];
  readonly nomatch: boolean;
  readonly timeout?: number;
  readonly packets?: number;
  readonly bytes?: number;
  readonly comment?: string;
  readonly skbmark?: string;
  readonly skbprio?: string;
  readonly skbqueue?: number;
  /** list:set: `before X` / `after X` in commands. */
  readonly position?: { readonly where: "before" | "after"; readonly set: string };
  /** Options that were not understood, verbatim. They do not decide whether the entry matches. */
  readonly unknown?: string;
  readonly origin: Origin;
}

export type SetPart =
  /** Address, network (length < max) or range. */
  | { readonly kind: "address"; readonly from: Address; readonly length: number }
  | {
      readonly kind: "range";
      readonly from: Address;
      readonly to: Address;
    }
  /** `tcp:80`, `udp:53-60`, `icmp:echo-request` (type and code), a bare port in bitmap:port (protocol absent). */
  | { readonly kind: "port"; readonly protocol?: number; readonly from: number; readonly to: number }
  | { readonly kind: "icmp"; readonly protocol: number; readonly type: number; readonly code: number }
  | { readonly kind: "mac"; readonly mac: string }
  | { readonly kind: "iface"; readonly name: string; readonly physdev: boolean; readonly wildcard: boolean }
  | { readonly kind: "mark"; readonly value: number }
  | { readonly kind: "set"; readonly name: string }
  /** A part that was not understood: the entry may match anything. */
  | { readonly kind: "unknown"; readonly text: string };

/** A create-time option's value: `optionOf(set, "netmask")` is "24". For flags it is "". */
export const optionOf = (set: IpSet, name: string): string | undefined => {
  const option = set.options.find((o) => o.name === name);
  return option === undefined ? undefined : (option.value ?? "");
};

/** The mask a set lays over every address before it stores or looks one up (netmask, bitmask). */
export function maskOfSet(set: IpSet): Address | undefined {
  const bitmask = optionOf(set, "bitmask");
  if (bitmask !== undefined) return parseAddress(bitmask);
  const netmask = optionOf(set, "netmask");
  if (netmask === undefined || !/^\d{1,3}$/.test(netmask)) return undefined;
  return set.family === 6 ? maskFor(ANY6, Number(netmask)) : maskOf(Number(netmask));
}
