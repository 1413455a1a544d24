import type { NftExpression, NftNat, TargetDecision } from "../../model/index.ts";
import {
  type Address,
  familyOf,
  isIpv4,
  lastOf,
  maskFor,
  networkOf,
  type PortRange,
  underMask,
} from "../../net/index.ts";
import { type NatWish, natSetup } from "../conntrack/nf-nat.ts";
import { masquerade, redirect } from "../conntrack/nf-nat-masquerade.ts";
import { evaluate, typesOf } from "./expression.ts";
import { dataOf, lookUp } from "./lookup.ts";
import { numberIn } from "./register.ts";
import type { StatementLook, StatementResult } from "./statement.ts";

interface Target {
  readonly addresses?: { readonly from: Address; readonly to: Address };
  readonly ports?: PortRange;
}

/** nft_nat_eval(), nft_masq_eval(), nft_redir_eval(): terminal; a map without the key, or the other family, ends the rule. */
export function translate(look: StatementLook, s: NftNat): StatementResult {
  const { kernel, skb, state } = look;
  const four = isIpv4(skb.packet.src);
  if (s.family !== undefined && (s.family === "ip") !== four) return { kind: "break" };
  const target = targetOf(look, s);
  if (target === "absent") return { kind: "break" };
  if (target === "unknown") return { kind: "open" };
  const flags = { random: s.random, randomFully: s.fullyRandom, persistent: s.persistent };
  if (s.kind === "masquerade" || s.kind === "redirect") {
    const ports = target.ports === undefined ? {} : { ports: target.ports };
    const decision =
      s.kind === "masquerade"
        ? masquerade(kernel, skb, state, { kind: "masquerade", ...ports, random: s.random, randomFully: s.fullyRandom })
        : redirect(kernel, skb, state, { kind: "redirect", ...ports, random: s.random });
    if (decision !== undefined) return accepted(decision);
    const name = s.kind === "masquerade" ? "MASQUERADE" : "REDIRECT";
    return { kind: "verdict", verdict: { kind: "drop" }, decision: { kind: "without-address", target: name } };
  }
  const name = s.kind === "dnat" ? "DNAT" : "SNAT";
  if (skb.ct === undefined) return accepted({ kind: "nothing-to-translate", target: name });
  const wish: NatWish = { ...target, flags };
  natSetup(kernel, skb.ct, wish, s.kind === "dnat" ? "destination" : "source", true);
  return accepted({ kind: "nat-to", target: name, to: target });
}

const accepted = (decision: TargetDecision): StatementResult => ({
  kind: "verdict",
  verdict: { kind: "accept" },
  decision,
});

/** Where it goes: constants, ranges, or what a map gives, an address alone or with its port. */
function targetOf(look: StatementLook, s: NftNat): Target | "absent" | "unknown" {
  let made: Target = {};
  if (s.address !== undefined) {
    const shown = constantsOf(look, s.address);
    if (typeof shown === "string") return shown;
    const target = fromConstants(look, shown, s);
    if (typeof target === "string") return target;
    made = target;
  }
  if (s.port !== undefined) {
    const shown = constantsOf(look, s.port);
    if (typeof shown === "string") return shown;
    const ports = portsOf(shown);
    if (ports === undefined) return "unknown";
    made = { ...made, ports };
  }
  return made;
}

/** A map gives way to the data of its element; everything else stands for itself. */
function constantsOf(look: StatementLook, e: NftExpression): NftExpression | "absent" | "unknown" {
  if (e.kind === "map") {
    const key = evaluate(look, e.key);
    if (typeof key === "string") return key;
    const found = lookUp(look, look.table, e.data, key, typesOf(e.key));
    if (found === "unknown") return "unknown";
    return (found === "none" ? undefined : dataOf(found)) ?? "absent";
  }
  return e;
}

function fromConstants(look: StatementLook, e: NftExpression, s: NftNat): Target | "unknown" {
  if (e.kind === "concat") {
    const [address, port] = e.parts;
    const first = address === undefined ? "unknown" : fromConstants(look, address, s);
    const ports = port === undefined ? undefined : portsOf(port);
    return first === "unknown" || (port !== undefined && ports === undefined)
      ? "unknown"
      : { ...first, ...(ports !== undefined && { ports }) };
  }
  if (e.kind === "address") return { addresses: { from: e.value, to: e.value } };
  if (e.kind === "range" && e.from.kind === "address" && e.to.kind === "address")
    return { addresses: { from: e.from.value, to: e.to.value } };
  if (e.kind === "prefix" && e.value.kind === "address") return prefixed(look, e.value.value, e.length, s);
  const port = portsOf(e);
  return port === undefined ? "unknown" : { ports: port };
}

/** `prefix to`: the host part stays; without the word the prefix is the range of its addresses. */
function prefixed(look: StatementLook, network: Address, length: number, s: NftNat): Target | "unknown" {
  const old = s.kind === "dnat" ? look.skb.packet.dst : look.skb.packet.src;
  if (familyOf(network) !== familyOf(old)) return "unknown";
  if (s.prefix === true) {
    const address = underMask(old, network, maskFor(network, length));
    return { addresses: { from: address, to: address } };
  }
  return {
    addresses: { from: networkOf({ address: network, length }).address, to: lastOf({ address: network, length }) },
  };
}

function portsOf(e: NftExpression): PortRange | undefined {
  if (e.kind === "range") {
    const [from, to] = [numberIn("inet_service", e.from), numberIn("inet_service", e.to)];
    return from === undefined || to === undefined ? undefined : { from, to };
  }
  const port = numberIn("inet_service", e);
  return port === undefined ? undefined : { from: port, to: port };
}
