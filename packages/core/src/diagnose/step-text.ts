import {
  decisionText,
  type Lang,
  packetName,
  placeText,
  say,
  sayAny,
  type Text,
  text,
  verbatim,
} from "../messages/index.ts";
import {
  type Decision,
  linesOf,
  type Origin,
  type Packet,
  type Port,
  type RouteStep,
  type RuleStep,
  type Step,
  TCP,
} from "../model/index.ts";
import { formatAddress, formatEndpoint, protocolName } from "../net/index.ts";
import type { Quote } from "./quote.ts";

const port = (p: Port): string => (typeof p === "number" ? String(p) : "*");

const FLAGS: readonly (readonly [string, number])[] = [
  ["SYN", TCP.SYN],
  ["ACK", TCP.ACK],
  ["RST", TCP.RST],
  ["FIN", TCP.FIN],
  ["PSH", TCP.PSH],
];

export function packetText(p: Packet): string {
  const proto = protocolName(p.protocol);
  if (p.icmp !== undefined) {
    return `${proto} type ${p.icmp.type} code ${p.icmp.code} ${formatAddress(p.src)} > ${formatAddress(p.dst)}`;
  }
  const flags = FLAGS.filter(([, bit]) => p.tcpFlags & bit)
    .map(([name]) => name)
    .join(",");
  return `${proto} ${formatEndpoint(p.src, port(p.sport))} > ${formatEndpoint(p.dst, port(p.dport))}${flags === "" ? "" : ` ${flags}`}`;
}

const ends = (p: Packet): string =>
  p.icmp === undefined
    ? `${formatEndpoint(p.src, port(p.sport))} > ${formatEndpoint(p.dst, port(p.dport))}`
    : `${formatAddress(p.src)} > ${formatAddress(p.dst)}`;

const mark = (m: number): string => (m === 0 ? "" : ` mark 0x${m.toString(16)}`);
const devices = (s: { in: string; out: string; physIn?: string; physOut?: string }): string =>
  [
    s.in === "" ? "" : ` in ${s.in}`,
    s.out === "" ? "" : ` out ${s.out}`,
    s.physIn === undefined ? "" : ` physin ${s.physIn}`,
    s.physOut === undefined ? "" : ` physout ${s.physOut}`,
  ].join("");

const because = (what: Text | string, decision: Decision): Text =>
  text("tell.because", { what, decision: decisionText(decision) });

function ruleText(step: RuleStep): Text {
  const decided = decisionText(step.decision);
  const decision =
    step.effect === "matched"
      ? decided
      : step.effect === "not matched"
        ? text("tell.not-matched", { decision: decided })
        : text(step.effect === "assumed matched" ? "tell.assumed-matched" : "tell.assumed-not-matched", {
            decision: decided,
          });
  const { chain, number } = step;
  return number === 0 ? text("tell.policy", { chain, decision }) : text("tell.rule", { chain, number, decision });
}

function routeText(step: RouteStep): Text {
  const via = step.gateway === undefined ? "" : ` via ${formatAddress(step.gateway)}`;
  const source = step.source === undefined ? "" : ` src ${formatAddress(step.source)}`;
  const to =
    step.result === "error"
      ? (step.error ?? "error")
      : step.result === "local"
        ? `local${source}`
        : `${step.result === "broadcast" ? "broadcast " : ""}dev ${step.device}${via}${source}`;
  return step.rule === undefined
    ? verbatim(to)
    : text("tell.routed", { to, rule: step.rule, table: step.table ?? "?" });
}

/** What a step is and what happened in it. What the kernel itself prints (in, out, mark, ttl, dev, via) stays as it prints it. */
function stepWords(step: Step): readonly [kind: Text, text: Text | string] {
  switch (step.kind) {
    case "send":
      return [text("kind.send"), text("tell.send", { packet: packetText(step.packet), why: decisionText(step.why) })];
    case "receive":
      return [
        text("kind.receive"),
        step.sourceMac === undefined
          ? text("tell.receive", { device: step.device })
          : text("tell.receive-from", { device: step.device, mac: step.sourceMac }),
      ];
    case "hook":
      return [
        verbatim(step.hook),
        `${step.table}${devices(step)}${mark(step.mark)}  ${ends(step.packet)} ttl ${step.packet.ttl}`,
      ];
    case "rule":
      return [text("kind.rule"), ruleText(step)];
    case "route":
      return [text("kind.route", { lookup: step.lookup }), routeText(step)];
    case "source validation":
      return [
        text("kind.source-validation"),
        step.result === "ok" ? decisionText(step.decision) : because(step.result, step.decision),
      ];
    case "conntrack": {
      const state = step.direction === "reply" ? text("tell.reply", { state: step.state }) : step.state;
      return [
        text("kind.conntrack"),
        step.action === "attach" ? because(state, step.decision) : decisionText(step.decision),
      ];
    }
    case "nat":
      return [
        text("kind.nat"),
        text("tell.nat", {
          manip: text(`manip.${step.manip}`),
          before: ends(step.before),
          after: ends(step.packet),
          decision: decisionText(step.decision),
        }),
      ];
    case "ipvs":
      return [
        verbatim("ipvs"),
        step.before === step.packet
          ? decisionText(step.decision)
          : text("tell.became", {
              before: ends(step.before),
              after: ends(step.packet),
              decision: decisionText(step.decision),
            }),
      ];
    case "bridge":
      return [text("kind.bridge"), because(step.bridge, step.decision)];
    case "arp":
      return [text("kind.arp"), because(step.device, step.decision)];
    case "transmit":
      return [text("kind.transmit"), text("tell.transmit", { device: step.device, packet: ends(step.packet) })];
    case "forward":
      return [text("kind.forward"), text("tell.forward", { in: step.in, out: step.out, ttl: step.packet.ttl })];
    case "socket":
      return [text("kind.socket"), decisionText(step.decision)];
    case "link":
      return [text("kind.link"), decisionText(step.decision)];
    case "tunnel":
      return [
        text("kind.tunnel"),
        text("tell.at", { decision: decisionText(step.decision), packet: ends(step.packet) }),
      ];
    case "log":
      return [verbatim("LOG"), `${step.prefix.trim()}${devices(step)}  ${ends(step.packet)}`];
    case "error":
      return [
        text("kind.error"),
        text("tell.error", { answer: packetName(step.answer), decision: decisionText(step.decision) }),
      ];
    case "drop":
      return [
        text("kind.drop"),
        text("tell.drop", { reason: step.reason, step: placeText(step.step), decision: decisionText(step.decision) }),
      ];
  }
}

/** One step in a word or two for its kind, and in one line for what happened. */
export function stepText(step: Step, lang: Lang = "en"): { readonly kind: string; readonly text: string } {
  const [kind, what] = stepWords(step);
  return { kind: say(kind, lang), text: sayAny(what, lang) };
}

export function originsOf(step: Step): readonly Origin[] {
  if ("origin" in step && step.origin !== undefined) return [step.origin];
  return "origins" in step ? step.origins : [];
}

/** `file:line: text` for every line an origin goes back to. */
export function quotes(origins: readonly Origin[], quote: Quote): readonly string[] {
  const seen = new Set<string>();
  return origins.flatMap(linesOf).flatMap((o) => {
    const at = `${o.file}:${o.line}`;
    if (seen.has(at)) return [];
    seen.add(at);
    const text = quote(o.file, o.line);
    return [text === undefined ? at : `${at}: ${text.trim()}`];
  });
}
