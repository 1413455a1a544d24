import type {
  NftReject,
  NftStatement,
  NftVerdict,
  Origin,
  RuleRef,
  TargetDecision,
  Unknown,
} from "../../model/index.ts";
import { nftTypeOf } from "../../model/index.ts";
import { isIpv4, PROTO } from "../../net/index.ts";
import { chooseZone, hasTemplate } from "../conntrack/nf-conntrack-zone.ts";
import { lowerMss } from "../ip/tcp-mss.ts";
import { Undetermined } from "../kernel/oracle.ts";
import { reject } from "../netfilter/nf-reject.ts";
import { assignSocket } from "../netfilter/nf-tproxy.ts";
import { evaluate, type RuleLook, typesOf } from "./expression.ts";
import { offload } from "./flow-offload.ts";
import { changesOf, keyText, lookUp, setNamed, verdictOf } from "./lookup.ts";
import { matches } from "./match.ts";
import { translate } from "./nat.ts";
import { connectionsPass, elementPasses, withinLimit, withinQuota } from "./rate.ts";
import type { Answer, Read, Register } from "./register.ts";

/** What a statement did: the next one, the next rule, or a verdict. `open`: nobody can say whether it goes on. */
export type StatementResult =
  | { readonly kind: "next"; readonly decision?: TargetDecision }
  | { readonly kind: "break" }
  | { readonly kind: "open" }
  | {
      readonly kind: "verdict";
      readonly verdict: NftVerdict;
      /** Of a map that stands in the rule: the element that said it, counted from 1. */
      readonly place?: number;
      readonly decision?: TargetDecision;
      readonly recorded?: boolean;
    };

const NEXT: StatementResult = { kind: "next" };
const BREAK: StatementResult = { kind: "break" };
const OPEN: StatementResult = { kind: "open" };
const done = (decision: TargetDecision): StatementResult => ({ kind: "next", decision });
const passes = (answer: Answer): StatementResult => (answer === "unknown" ? OPEN : answer ? NEXT : BREAK);

export interface StatementLook extends RuleLook {
  readonly ref: RuleRef;
  readonly origin: Origin;
}

/** Matches of iptables that every packet passes: a remark, a counter without a quota (nfacct_mt()). */
const ALWAYS: ReadonlySet<string> = new Set(["comment", "nfacct"]);

/** One statement, as its eval function does it. */
export function runStatement(look: StatementLook, s: NftStatement): StatementResult {
  switch (s.kind) {
    case "match":
      return passes(matches(look, s));
    case "verdict":
      return { kind: "verdict", verdict: s.verdict };
    case "vmap": {
      const key = evaluate(look, s.key);
      if (key === "absent") return BREAK;
      const found = key === "unknown" ? key : lookUp(look, look.table, s.map, key, typesOf(s.key));
      // Which verdict it is nobody can say, so neither that the rule does not decide.
      if (found === "unknown") return unknown(look, { kind: "unknown-target", target: "vmap" });
      const verdict = found === "none" ? undefined : verdictOf(found);
      if (verdict === undefined || found === "none") return BREAK;
      if (!elementPasses(look, s.map, found)) return BREAK;
      const place = look.kernel.recording && s.map.kind === "anonymous" ? s.map.elements.indexOf(found) + 1 : 0;
      return place > 0 ? { kind: "verdict", verdict, place } : { kind: "verdict", verdict };
    }
    case "counter":
    case "no effect":
    case "dup":
      return NEXT;
    case "limit":
      return passes(withinLimit(look, look.rule, s));
    case "quota":
      return passes(withinQuota(look, look.rule, s));
    case "ct count":
      return passes(connectionsPass(look, s));
    case "log":
      return log(look, s.prefix);
    case "reject":
      return rejected(look, s);
    case "dnat":
    case "snat":
    case "masquerade":
    case "redirect":
      return translate(look, s);
    case "set":
      return assign(look, s);
    case "notrack":
      if (isTaken(look)) return done({ kind: "tracked" });
      look.skb.ctInfo = "untracked";
      return done({ kind: "not-tracked" });
    case "update":
      return update(look, s);
    case "object":
      return object(look, s.object, s.name);
    case "flow": {
      const flowtable = look.table.flowtables.find((f) => f.name === s.table);
      if (flowtable === undefined) return unknown(look, { kind: "unknown-target", target: `flow add @${s.table}` });
      if (!offload(look.skb, look.state, flowtable)) return BREAK;
      return done({ kind: "offloaded", flowtable: s.table, devices: flowtable.devices });
    }
    case "reset":
      return NEXT;
    case "xt":
      if (ALWAYS.has(s.name)) return NEXT;
      return s.what === "match" ? OPEN : unknown(look, { kind: "unknown-target", target: s.name });
    case "queue":
      return unknown(look, { kind: "unknown-queue" });
    case "tproxy":
      return tproxy(look, s);
    case "fwd":
    case "synproxy":
      return unknown(look, { kind: "unknown-target", target: s.kind });
    case "not understood":
      return unknown(look, { kind: "unknown-target-not-understood", target: s.words.join(" ").slice(0, 60) });
    case "chain":
      return NEXT;
  }
}

/** nft_tproxy_eval(): where nobody takes it, the rule ends and the next one is asked. */
function tproxy(look: StatementLook, s: Extract<NftStatement, { kind: "tproxy" }>): StatementResult {
  const address = s.address === undefined ? undefined : evaluate(look, s.address);
  const port = s.port === undefined ? undefined : evaluate(look, s.port, ["inet_service"]);
  const known = (r: Read | undefined): r is Register | undefined => r === undefined || typeof r === "object";
  if (!known(address) || !known(port)) return unknown(look, { kind: "unknown-tproxy" });
  const place = {
    address: address?.kind === "address" ? address.value : undefined,
    port: port?.kind === "number" ? port.value : undefined,
  };
  if (!assignSocket(look.kernel, look.skb, look.state.in, place)) return BREAK;
  return done({ kind: "tproxy", port: look.skb.handedTo ?? 0, mark: look.skb.mark });
}

function unknown(look: StatementLook, reason: Unknown): never {
  const { family, name } = look.table;
  throw new Undetermined(look.kernel.name, `${family} ${name} ${look.ref.chain}`, reason, [look.origin]);
}

function log({ kernel, skb, state, origin }: StatementLook, prefix: string | undefined): StatementResult {
  if (kernel.recording)
    kernel.record(skb, {
      kind: "log",
      stack: kernel.name,
      packet: skb.packet,
      prefix: prefix ?? "",
      in: state.in?.name ?? "",
      out: state.out?.name ?? "",
      mark: skb.mark,
      origin,
    });
  else kernel.meet(skb, origin);
  return done({ kind: "log" });
}

/** icmpx and icmp codes by their names, as iptables calls the answers. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ["port-unreachable", "icmp-port-unreachable"],
  ["admin-prohibited", "icmp-admin-prohibited"],
  ["no-route", "icmp-net-unreachable"],
  ["net-unreachable", "icmp-net-unreachable"],
  ["host-unreachable", "icmp-host-unreachable"],
  ["prot-unreachable", "icmp-proto-unreachable"],
  ["net-prohibited", "icmp-net-prohibited"],
  ["host-prohibited", "icmp-host-prohibited"],
  ["addr-unreachable", "icmp-host-unreachable"],
]);

/** icmpx and icmpv6 codes by their names. */
const ANSWERS6: ReadonlyMap<string, string> = new Map([
  ["port-unreachable", "icmp6-port-unreachable"],
  ["admin-prohibited", "icmp6-adm-prohibited"],
  ["no-route", "icmp6-no-route"],
  ["host-unreachable", "icmp6-addr-unreachable"],
  ["addr-unreachable", "icmp6-addr-unreachable"],
  ["policy-fail", "icmp6-policy-fail"],
  ["reject-route", "icmp6-reject-route"],
]);

/** nft_reject_inet_eval(): answers, then drops. `tcp reset` and a named ICMP imply what they fit. */
function rejected(look: StatementLook, s: NftReject): StatementResult {
  const { kernel, skb, state, origin, ref } = look;
  const four = isIpv4(skb.packet.src);
  if (s.with === "tcp reset" && skb.packet.protocol !== PROTO.tcp) return BREAK;
  if ((s.with === "icmp" && !four) || (s.with === "icmpv6" && four)) return BREAK;
  const answers = four ? ANSWERS : ANSWERS6;
  const how = s.with === "tcp reset" ? "tcp-reset" : answers.get(s.code ?? "port-unreachable");
  if (how === undefined) return unknown(look, { kind: "unknown-target", target: `reject with ${s.code}` });
  const outcome = reject(kernel, skb, state, how, origin, ref);
  return { kind: "verdict", verdict: { kind: "drop" }, decision: outcome.decision, recorded: true };
}

/** Keys of `meta` that a packet's way depends on, beside the mark: for whom it is, and whether a bridge hands it to IP. */
const REROUTES: ReadonlySet<string> = new Set(["pkttype", "broute"]);

/** It is tracked, or not to be, or has a zone already. */
const isTaken = ({ kernel, skb }: StatementLook): boolean =>
  skb.ct !== undefined || skb.ctInfo === "untracked" || hasTemplate(kernel, skb);

/** nft_meta_set_eval(), nft_ct_set_eval(), nft_payload_set_eval(). */
function assign(look: StatementLook, s: NftStatement & { readonly kind: "set" }): StatementResult {
  const { skb } = look;
  const { target } = s;
  const value = evaluate(look, s.value, [nftTypeOf(target)]);
  if (value === "absent") return BREAK;
  const n = value !== "unknown" && value.kind === "number" ? value.value : undefined;
  if (target.kind === "meta") {
    if (REROUTES.has(target.key)) return unknown(look, { kind: "unknown-target", target: `meta ${target.key} set` });
    if (target.key !== "mark") return NEXT;
    if (n === undefined) return unknown(look, { kind: "unknown-target", target: "meta mark set" });
    skb.mark = n;
    return done({ kind: "mark", mark: n });
  }
  if (target.kind === "ct") {
    // nft_ct_set_zone_eval(): what was tracked before (loopback) is left as it is.
    if (target.key === "zone" && !isTaken(look)) {
      if (n === undefined) return unknown(look, { kind: "unknown-target", target: "ct zone set" });
      chooseZone(look.kernel, skb, { id: n, ...(target.direction !== undefined && { direction: target.direction }) });
    }
    // nf_connlabels_replace(): which bit a name stands for is in connlabel.conf.
    if (target.key === "label" && skb.ct !== undefined) skb.ct.labelled = true;
    if (target.key !== "mark") return NEXT;
    if (skb.ct === undefined) return done({ kind: "no-connection", target: "ct mark" });
    if (n === undefined) return unknown(look, { kind: "unknown-target", target: "ct mark set" });
    skb.ct.mark = n;
    return done({ kind: "connmark", mark: n });
  }
  if (target.kind === "payload" && n !== undefined) {
    const field = `${target.protocol} ${target.field}`;
    if (field === "ip dscp") skb.packet = { ...skb.packet, tos: (skb.packet.tos & 3) | (n << 2) };
    else if (field === "ip ecn") skb.packet = { ...skb.packet, tos: (skb.packet.tos & ~3) | n };
    else if (field === "ip6 dscp") skb.packet = { ...skb.packet, tos: (skb.packet.tos & 3) | (n << 2) };
    else if (field === "ip6 ecn") skb.packet = { ...skb.packet, tos: (skb.packet.tos & ~3) | n };
    else if (field === "ip6 hoplimit") skb.packet = { ...skb.packet, ttl: n };
    else if (field === "ip ttl") skb.packet = { ...skb.packet, ttl: n };
    else return unknown(look, { kind: "unknown-target", target: `${field} set` });
    return NEXT;
  }
  if (target.kind === "tcp option") {
    if (target.option !== "maxseg" || target.field !== "size" || skb.packet.mss === undefined) return NEXT;
    if (n === undefined) return unknown(look, { kind: "unknown-target", target: "tcp option maxseg size set" });
    // nft_exthdr_tcp_set_eval(): an MSS is only ever made smaller.
    lowerMss(skb, n);
    return done({ kind: "mss", mss: skb.packet.mss });
  }
  return unknown(look, { kind: "unknown-target", target: `${target.kind} set` });
}

/** nft_dynset_eval(): the element is there at once; a full set ends the rule; the element's own statements decide whether it goes on. */
function update(look: StatementLook, s: NftStatement & { readonly kind: "update" }): StatementResult {
  const key = evaluate(look, s.key);
  if (key === "absent") return BREAK;
  const text = key === "unknown" ? undefined : keyText(key);
  const changes = changesOf(look.kernel, look.table, s.set);
  const id = `${look.table.family} ${look.table.name}/${s.set}/${text ?? look.rule}`;
  // Which element it is nobody can say: what is found there from now on is open.
  if (text === undefined) changes.unknown = true;
  if (s.op === "delete") {
    if (text !== undefined) {
      changes.added.delete(text);
      changes.deleted.add(text);
    }
    return NEXT;
  }
  if (text !== undefined && key !== "unknown") {
    const set = setNamed(look.table, s.set);
    const known = set !== undefined && lookUp(look, look.table, { kind: "named", name: s.set }, key, typesOf(s.key));
    const there = known !== false && known !== "none" && known !== "unknown";
    const full = set?.size !== undefined && set.elements.length + changes.added.size - changes.deleted.size >= set.size;
    if (!there && full) return BREAK;
    const data = s.data === undefined ? undefined : evaluate(look, s.data);
    if (!there || data !== undefined)
      changes.added.set(text, {
        key: s.key,
        ...(s.statements.length > 0 && { decides: s.statements }),
        ...(data !== undefined &&
          typeof data !== "string" &&
          data.kind === "number" && { data: { kind: "number" as const, value: data.value } }),
      });
    changes.deleted.delete(text);
  }
  for (const inner of s.statements) {
    const outcome =
      inner.kind === "limit"
        ? passes(withinLimit(look, id, inner))
        : inner.kind === "quota"
          ? passes(withinQuota(look, id, inner))
          : runStatement(look, inner);
    if (outcome.kind !== "next") return outcome;
  }
  return done({ kind: "set", action: "add", set: s.set });
}

function object(look: StatementLook, kind: string, name: unknown): StatementResult {
  if (typeof name !== "string") return kind === "limit" || kind === "quota" ? OPEN : NEXT;
  const found = look.table.objects.find(
    (o) => o.name === name && (o.kind === kind || (o.kind === "other" && o.object === kind)),
  );
  const id = `${look.table.family} ${look.table.name}/${kind}/${name}`;
  if (kind === "limit") return found?.kind === "limit" ? passes(withinLimit(look, id, found.limit)) : OPEN;
  if (kind === "quota") return found?.kind === "quota" ? passes(withinQuota(look, id, found.quota)) : OPEN;
  return kind === "synproxy" ? unknown(look, { kind: "unknown-target", target: "synproxy" }) : NEXT;
}
