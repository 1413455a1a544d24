import {
  type AddressType,
  type ConntrackState,
  is,
  isNot,
  type MaskedAddress,
  type Match,
  type Negatable,
  type Origin,
  type Rule,
  type Target,
} from "../model/index.ts";
import {
  type Address,
  type Family,
  LOOPBACK6,
  loopbackPrefix,
  maskFor,
  maskOf,
  maxLength,
  PROTO,
} from "../net/index.ts";

/** A rule without its origin: what kube-proxy writes after `-A CHAIN`, in the order in which iptables-save prints it. */
export type RuleSpec = Omit<Rule, "origin">;

export const host = (address: Address): MaskedAddress => ({ address, mask: maskFor(address, maxLength(address)) });
export const toHost = (address: Address): { readonly destination: Negatable<MaskedAddress> } => ({
  destination: is(host(address)),
});
export const fromHost = (address: Address): { readonly source: Negatable<MaskedAddress> } => ({
  source: is(host(address)),
});

export const LOOPBACK: Readonly<Record<Family, MaskedAddress>> = {
  4: { address: loopbackPrefix(4).address, mask: maskOf(8) },
  6: host(LOOPBACK6),
};

export const jump = (chain: string): Target => ({ kind: "jump", chain, goto: false });
export const ACCEPT: Target = { kind: "accept" };
export const DROP: Target = { kind: "drop" };
export const RETURN: Target = { kind: "return" };
export const NO_TARGET: Target = { kind: "none" };

export const comment = (text: string): Match => ({ kind: "comment", text });
export const marked = (mark: number, negated = false): Match => ({ kind: "mark", value: mark, mask: mark, negated });
/** `MARK --or-mark` */
export const orMark = (mark: number): Target => ({ kind: "mark", value: mark, mask: mark });
/** `MARK --xor-mark` */
export const xorMark = (mark: number): Target => ({ kind: "mark", value: mark, mask: 0 });

export const inState = (states: readonly ConntrackState[], negated = false): Match => ({
  kind: "conntrack",
  states: (negated ? isNot : is)(states),
});

export const addressType = (side: "source" | "destination", type: AddressType, negated = false): Match => ({
  kind: "addrtype",
  [side]: (negated ? isNot : is)([type]),
  limitIn: false,
  limitOut: false,
});

/** `-m tcp [--dport N]`: kube-proxy names the match even where it tests nothing. */
export function transport(protocol: number, port?: number): Match {
  const dport = port === undefined ? {} : { dport: is({ from: port, to: port }) };
  switch (protocol) {
    case PROTO.udp:
      return { kind: "udp", ...dport };
    case PROTO.sctp:
      return { kind: "sctp", ...dport };
    default:
      return { kind: "tcp", ...dport };
  }
}

/** An origin of its own for every rule: by it a step of the walk finds the rule again, though many rules come from one line. */
export const withOrigin = (spec: RuleSpec, origin: Origin): Rule => ({ ...spec, origin: { ...origin } });
