import type { NftElement, NftExpression, NftSetReference, NftVerdict } from "./expression.ts";

export type NftCompare = "==" | "!=" | "<" | ">" | "<=" | ">=" | "in" | "!";

/** One statement of a rule, in the order in which they are evaluated. */
export type NftStatement =
  /**
   * `op` "in" is the comparison that nft leaves out: membership for sets and lists, any of the bits for flags, equality
   * otherwise; "!" is none of the bits.
   */
  | { readonly kind: "match"; readonly left: NftExpression; readonly op: NftCompare; readonly right: NftExpression }
  | { readonly kind: "verdict"; readonly verdict: NftVerdict }
  | { readonly kind: "vmap"; readonly key: NftExpression; readonly map: NftSetReference }
  | {
      readonly kind: "counter";
      readonly packets?: number;
      readonly bytes?: number;
      readonly name?: NftExpression | string;
    }
  | NftLimit
  | NftQuota
  | { readonly kind: "ct count"; readonly over: boolean; readonly count: number }
  | {
      readonly kind: "log";
      readonly prefix?: string;
      readonly level?: string;
      readonly group?: number;
      readonly rest: readonly string[];
    }
  | NftReject
  | NftNat
  /** `meta mark set …`, `ct mark set …`, `ip dscp set …`, `tcp option maxseg size set …` */
  | { readonly kind: "set"; readonly target: NftExpression; readonly value: NftExpression }
  | { readonly kind: "notrack" }
  /** `update @s { ip saddr timeout 1h limit rate … }`, `add`, `delete`; maps carry data. */
  | {
      readonly kind: "update";
      readonly op: "add" | "update" | "delete";
      readonly set: string;
      readonly key: NftExpression;
      readonly data?: NftExpression;
      readonly timeout?: number;
      readonly statements: readonly NftStatement[];
      /** `meter name size 65535 { … }`: nft lists no set of that name beside it. */
      readonly meter?: { readonly size?: number };
    }
  /** `ct helper set "ftp"`, `ct timeout set …`, `synproxy name …`, `limit name …`, `quota name …` */
  | { readonly kind: "object"; readonly object: string; readonly name: NftExpression | string }
  | {
      readonly kind: "tproxy";
      readonly family?: "ip" | "ip6";
      readonly address?: NftExpression;
      readonly port?: NftExpression;
    }
  | { readonly kind: "queue"; readonly words: readonly string[] }
  | { readonly kind: "dup" | "fwd"; readonly words: readonly string[] }
  | { readonly kind: "synproxy"; readonly words: readonly string[] }
  | { readonly kind: "flow"; readonly table: string }
  /** `reset tcp option …` */
  | { readonly kind: "reset"; readonly words: readonly string[] }
  /** `jump { … }`: a chain written into the rule. */
  | { readonly kind: "chain"; readonly op: "jump" | "goto"; readonly rules: readonly (readonly NftStatement[])[] }
  /** `last used …`, `secmark`: no part in what becomes of the packet. */
  | { readonly kind: "no effect"; readonly words: readonly string[] }
  /** What iptables-nft put there and nft cannot say: `xt match "set"`. */
  | { readonly kind: "xt"; readonly what: "match" | "target" | "unknown"; readonly name: string }
  /** Not understood: what it does is open. */
  | { readonly kind: "not understood"; readonly words: readonly string[] };

export interface NftLimit {
  readonly kind: "limit";
  readonly over: boolean;
  readonly rate: number;
  /** Of packets, or of bytes. */
  readonly unit: "packets" | "bytes";
  readonly per: "second" | "minute" | "hour" | "day" | "week";
  readonly burst?: number;
}

export interface NftQuota {
  readonly kind: "quota";
  readonly over: boolean;
  readonly bytes: number;
  readonly used: number;
}

export interface NftReject {
  readonly kind: "reject";
  /** Absent: port unreachable of whatever family. */
  readonly with?: "icmp" | "icmpv6" | "icmpx" | "tcp reset";
  readonly code?: string;
}

export interface NftNat {
  readonly kind: "dnat" | "snat" | "masquerade" | "redirect";
  readonly family?: "ip" | "ip6";
  /** `prefix to`: the host part stays. */
  readonly prefix?: true;
  /** An address, a range, a map, or a concatenation of address and port. */
  readonly address?: NftExpression;
  readonly port?: NftExpression;
  readonly random: boolean;
  readonly fullyRandom: boolean;
  readonly persistent: boolean;
}

/** Elements of an anonymous set are written where they are used. */
export type NftAnonymous = readonly NftElement[];
