import { linesOf, type Origin, type Packet, type Port, type Step, TCP } from "../model/index.ts";
import { formatAddress, protocolName } from "../net/index.ts";
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
  return `${proto} ${formatAddress(p.src)}:${port(p.sport)} > ${formatAddress(p.dst)}:${port(p.dport)}${flags === "" ? "" : ` ${flags}`}`;
}

const ends = (p: Packet): string =>
  p.icmp === undefined
    ? `${formatAddress(p.src)}:${port(p.sport)} > ${formatAddress(p.dst)}:${port(p.dport)}`
    : `${formatAddress(p.src)} > ${formatAddress(p.dst)}`;

const mark = (m: number): string => (m === 0 ? "" : ` mark 0x${m.toString(16)}`);
const devices = (s: { in: string; out: string; physIn?: string; physOut?: string }): string =>
  [
    s.in === "" ? "" : ` in ${s.in}`,
    s.out === "" ? "" : ` out ${s.out}`,
    s.physIn === undefined ? "" : ` physin ${s.physIn}`,
    s.physOut === undefined ? "" : ` physout ${s.physOut}`,
  ].join("");

/** One step in a word or two for its kind, and in one line for what happened. */
export function stepText(step: Step): { readonly kind: string; readonly text: string } {
  switch (step.kind) {
    case "send":
      return { kind: "send", text: `${packetText(step.packet)} (${step.why})` };
    case "receive":
      return {
        kind: "receive",
        text: `on ${step.device}${step.sourceMac === undefined ? "" : ` from ${step.sourceMac}`}`,
      };
    case "hook":
      return {
        kind: `${step.hook}`,
        text: `${step.table}${devices(step)}${mark(step.mark)}  ${ends(step.packet)} ttl ${step.packet.ttl}`,
      };
    case "rule": {
      const where = step.number === 0 ? `${step.chain} policy` : `${step.chain} rule ${step.number}`;
      const sure = step.effect === "matched" ? "" : step.effect === "not matched" ? "no: " : `${step.effect}: `;
      return { kind: "rule", text: `${where}: ${sure}${step.decision}` };
    }
    case "route": {
      const rule = step.rule === undefined ? "" : ` (rule ${step.rule}, table ${step.table ?? "?"})`;
      if (step.result === "error") return { kind: `route (${step.lookup})`, text: `${step.error ?? "error"}${rule}` };
      const via = step.gateway === undefined ? "" : ` via ${formatAddress(step.gateway)}`;
      const source = step.source === undefined || step.source === 0 ? "" : ` src ${formatAddress(step.source)}`;
      const to =
        step.result === "local"
          ? "local"
          : `${step.result === "broadcast" ? "broadcast " : ""}dev ${step.device}${via}`;
      return { kind: `route (${step.lookup})`, text: `${to}${source}${rule}` };
    }
    case "source validation":
      return { kind: "source check", text: `${step.result === "ok" ? "" : `${step.result}: `}${step.decision}` };
    case "conntrack":
      return {
        kind: "conntrack",
        text:
          step.action === "attach"
            ? `${step.state}${step.direction === "reply" ? " (reply)" : ""}: ${step.decision}`
            : step.decision,
      };
    case "nat":
      return {
        kind: "nat",
        text: `${step.manip} ${ends(step.before)}  becomes  ${ends(step.packet)}: ${step.decision}`,
      };
    case "ipvs":
      return {
        kind: "ipvs",
        text:
          step.before === step.packet
            ? step.decision
            : `${ends(step.before)}  becomes  ${ends(step.packet)}: ${step.decision}`,
      };
    case "bridge":
      return { kind: "bridge", text: `${step.bridge}: ${step.decision}` };
    case "arp":
      return { kind: "neighbour", text: `${step.device}: ${step.decision}` };
    case "transmit":
      return { kind: "transmit", text: `out of ${step.device}  ${ends(step.packet)}` };
    case "forward":
      return { kind: "forward", text: `from ${step.in} to ${step.out}, ttl ${step.packet.ttl}` };
    case "socket":
      return { kind: "socket", text: step.decision };
    case "link":
      return { kind: "fabric", text: step.decision };
    case "tunnel":
      return { kind: "tunnel", text: `${step.decision}  ${ends(step.packet)}` };
    case "log":
      return { kind: "LOG", text: `${step.prefix.trim()}${devices(step)}  ${ends(step.packet)}` };
    case "error":
      return { kind: "error", text: `answers with ${step.answer}: ${step.decision}` };
    case "drop":
      return { kind: "DROPPED", text: `${step.reason} at ${step.step}: ${step.decision}` };
  }
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
