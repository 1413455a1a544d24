import type { Address } from "../../net/index.ts";
import type { NftStatement } from "./statement.ts";

/** A selector or a value of an nft rule, as nft(8) names them; `print.ts` of the reader writes it back. */
export type NftExpression =
  | NftSelector
  | NftValue
  /** `meta mark & 0xff`; `right` is a constant up to nft 1.0.6, and may be a selector later. */
  | { readonly kind: "binary"; readonly op: NftBinary; readonly left: NftExpression; readonly right: NftExpression }
  /** `ip daddr . tcp dport` */
  | { readonly kind: "concat"; readonly parts: readonly NftExpression[] }
  /** `tcp dport map { 80 : 10.0.0.1 }`, `ip daddr map @m` */
  | { readonly kind: "map"; readonly key: NftExpression; readonly data: NftSetReference };

export type NftBinary = "&" | "|" | "^" | "<<" | ">>";

/** A set by name, or one written into the rule. */
export type NftSetReference =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "anonymous"; readonly elements: readonly NftElement[] };

/** What is taken from the packet, its connection, or the machine. */
export type NftSelector =
  /** `ip saddr`, `tcp dport`, `th dport`, `icmpv6 type` */
  | { readonly kind: "payload"; readonly protocol: string; readonly field: string }
  /** `@th,16,16` */
  | { readonly kind: "raw"; readonly base: string; readonly offset: number; readonly length: number }
  | { readonly kind: "meta"; readonly key: string }
  | {
      readonly kind: "ct";
      readonly key: string;
      readonly direction?: "original" | "reply";
      readonly family?: "ip" | "ip6";
    }
  | { readonly kind: "rt"; readonly key: string; readonly family?: "ip" | "ip6" }
  | { readonly kind: "socket"; readonly key: string; readonly level?: number }
  | { readonly kind: "fib"; readonly flags: readonly string[]; readonly result: "oif" | "oifname" | "type" | "check" }
  /** IPv6 extension headers, by name; without a field its presence. */
  | { readonly kind: "exthdr"; readonly header: string; readonly field?: string }
  | { readonly kind: "tcp option"; readonly option: string; readonly field?: string }
  | { readonly kind: "ip option"; readonly option: string; readonly field?: string }
  | { readonly kind: "sctp chunk"; readonly chunk: string; readonly field?: string }
  | { readonly kind: "numgen"; readonly mode: "inc" | "random"; readonly mod: number; readonly offset: number }
  | {
      readonly kind: "jhash";
      readonly key: NftExpression;
      readonly mod: number;
      readonly seed?: number;
      readonly offset: number;
    }
  | { readonly kind: "symhash"; readonly mod: number; readonly offset: number }
  /** `osf name`, `ipsec in saddr`: read, and not walked. */
  | { readonly kind: "other"; readonly words: readonly string[] };

/** A constant. Symbols are resolved by the type of what they are compared with. */
export type NftValue =
  | { readonly kind: "number"; readonly value: number }
  /** Beyond 2^53, or bytes of a raw payload. */
  | { readonly kind: "big"; readonly value: bigint }
  | { readonly kind: "address"; readonly value: Address }
  | { readonly kind: "mac"; readonly value: string }
  /** A device's name; `"veth*"` has its star taken off. */
  | { readonly kind: "name"; readonly value: string; readonly prefix: boolean }
  /** A word that its type does not know. */
  | { readonly kind: "symbol"; readonly text: string }
  | { readonly kind: "prefix"; readonly value: NftValue; readonly length: number }
  | { readonly kind: "range"; readonly from: NftValue; readonly to: NftValue }
  /** `established,related`, `syn,ack`: bits of a set of flags. */
  | { readonly kind: "list"; readonly values: readonly NftValue[] }
  | { readonly kind: "set"; readonly set: NftSetReference }
  | { readonly kind: "exists"; readonly value: boolean }
  /** `*`, the element for whatever no other matches. */
  | { readonly kind: "wildcard" };

const VALUES: Readonly<Record<NftValue["kind"], true>> = {
  number: true,
  big: true,
  address: true,
  mac: true,
  name: true,
  symbol: true,
  prefix: true,
  range: true,
  list: true,
  set: true,
  exists: true,
  wildcard: true,
};

/** Whether it stands for itself, and nothing of the packet has to be looked at. */
export const isNftValue = (e: NftExpression): e is NftValue => Object.hasOwn(VALUES, e.kind);

/** An element of a set or map. */
export interface NftElement {
  readonly key: NftExpression;
  /** What a map maps it to; a verdict map's is a verdict. */
  readonly data?: NftExpression | NftVerdict;
  readonly comment?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly expires?: number;
  /** `counter …`, `limit …`, `quota …` of this element, as words. */
  readonly statements?: readonly string[];
  /** Those of them that decide whether a rule which finds the element goes on. */
  readonly decides?: readonly NftStatement[];
}

export type NftVerdict =
  | { readonly kind: "accept" | "drop" | "continue" | "return" }
  | { readonly kind: "jump" | "goto"; readonly chain: string };

export const isVerdict = (data: NftExpression | NftVerdict): data is NftVerdict =>
  data.kind === "accept" ||
  data.kind === "drop" ||
  data.kind === "continue" ||
  data.kind === "return" ||
  data.kind === "jump" ||
  data.kind === "goto";
