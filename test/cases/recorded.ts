import type { DropStep, Packet, Step } from "@hairpin/core/model/index.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import type { Branch, Connection } from "@hairpin/core/trace/index.ts";
import { LAB_PORT } from "@hairpin/lab/conform.ts";
import { predictedHooks, stepsOf } from "@hairpin/lab/predict.ts";

/**
 * What an experiment printed on a real kernel, line by line: the client's result, hooks as LOG rules saw them, captures,
 * conntrack, martians and counters. The client's port there is the lab's here.
 */
export interface Recording {
  readonly result: string | undefined;
  readonly hooks: readonly string[];
  readonly captures: readonly string[];
  readonly conntrack: readonly string[];
  readonly martians: readonly string[];
  readonly reversePathFilter: boolean;
}

const HOOK =
  /^([a-z]+\/[A-Z]+) +in=(\S+) +out=(\S+) +((?:PHYS(?:IN|OUT)=\S+ )*)(\S+) > (\S+) (TCP|UDP|ICMP)((?: [A-Z]{3})*) ?(?:t(\d+)\/c(\d+) )?ttl=(\d+)(?: mark=(\S+))?$/;
const CAPTURE = /(\d+\.\d+\.\d+\.\d+)\.(\d+) > (\d+\.\d+\.\d+\.\d+)\.(\d+): Flags \[(S|S\.|R|R\.)\]/;
const CAPTURED_ICMP =
  /(\d+\.\d+\.\d+\.\d+) > (\d+\.\d+\.\d+\.\d+): ICMP (?:(echo request|echo reply)|\S+ (?:tcp|udp) port \d+ (unreachable)|host \S+ (unreachable))/;
const CONNTRACK = /^tcp .*?src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+).*? src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)/;

export function readRecording(text: string): Recording {
  const lines = text.split("\n");
  const port = clientPort(lines);
  const ours = (p: string): string => (p === port ? String(LAB_PORT) : p);
  const end = (text: string): string => text.replace(/:(\d+)$/, (_, p: string) => `:${ours(p)}`);
  const hooks = lines.flatMap((line) => {
    const m = HOOK.exec(line);
    if (m === null) return [];
    const [, at, from, to, phys, src, dst, protocol, flags, type, code, ttl, mark] = m;
    const named = (flags ?? "")
      .trim()
      .split(" ")
      .filter((f) => f !== "" && f !== "PSH");
    // Bare acknowledgements and what ends a connection are not walked; a redirect is a remark beside the flow.
    if (protocol === "TCP" && !named.includes("SYN") && !flags!.includes("PSH")) return [];
    if (type === "5" || (protocol === "TCP" && port !== undefined && !`${src} ${dst}`.includes(`:${port}`))) return [];
    const order = ["SYN", "RST", "ACK"].filter((f) => named.includes(f)).join(",");
    const ports = [...(phys ?? "").matchAll(/PHYS(IN|OUT)=(\S+)/g)].map(
      ([, way, d]) => `phys${way!.toLowerCase()}=${d}`,
    );
    // NFLOG, by which the lab watches, tells the port a frame came in by only beside its device.
    const told = from === "-" ? ports.filter((p) => !p.startsWith("physin")) : ports;
    const what = type === undefined ? order : `type ${type} code ${code}`;
    return [
      [
        at,
        `in=${from}`,
        `out=${to}`,
        ...told,
        `${end(src!)} > ${end(dst!)}`,
        protocol!.toLowerCase(),
        what,
        `ttl=${ttl}`,
      ]
        .concat(mark === undefined ? [] : [`mark=${mark}`])
        .join(" "),
    ];
  });
  const captures = lines.flatMap((line) => {
    const m = CAPTURE.exec(line);
    if (m !== null && (port === undefined || m[2] === port || m[4] === port))
      return [`${m[1]}:${ours(m[2]!)} > ${m[3]}:${ours(m[4]!)} ${m[5]}`];
    const i = CAPTURED_ICMP.exec(line);
    return i === null ? [] : [`${i[1]} > ${i[2]} ${i[3] ?? (i[4] === undefined ? "3/1" : "3/3")}`];
  });
  const conntrack = lines.flatMap((line) => {
    const m = CONNTRACK.exec(line);
    if (m === null || (port !== undefined && m[3] !== port)) return [];
    return [`${m[1]}:${ours(m[3]!)} > ${m[2]}:${m[4]} back ${m[5]}:${m[7]} > ${m[6]}:${ours(m[8]!)}`];
  });
  const martians = lines.flatMap((line) => {
    const m = /martian source (\S+) from (\S+), on dev (\S+)/.exec(line);
    return m === null ? [] : [`${m[2]} > ${m[1]} on ${m[3]}`];
  });
  const result = lines.map((l) => /^(OK|ERR \S+(?: E\w+)?)/.exec(l)?.[1]).find((r) => r !== undefined);
  const counted = lines.some((l) => /TcpExtIPReversePathFilter=[1-9]/.test(l));
  // A retransmission is printed again.
  return { result, hooks: [...new Set(hooks)], captures, conntrack, martians, reversePathFilter: counted };
}

function clientPort(lines: readonly string[]): string | undefined {
  const told = lines
    .map((l) => /^(?:OK|ERR timeout\(recv\)) local=\S+:(\d+)/.exec(l)?.[1])
    .find((p) => p !== undefined);
  const hooked = lines
    .map((l) => / TCP SYN ttl=/.test(l) && / \S+:(\d+) > /.exec(l)?.[1])
    .find((p) => typeof p === "string");
  const captured = lines.map((l) => /\.(\d+) > \S+: Flags \[S\]/.exec(l)?.[1]).find((p) => p !== undefined);
  const answered = lines.map((l) => / > \S+:(\d+) TCP ACK SYN ttl=/.exec(l)?.[1]).find((p) => p !== undefined);
  return told ?? (typeof hooked === "string" ? hooked : (captured ?? answered));
}

/** What of a recording a branch of the walk does not say; empty: it predicts all of it. */
export function unpredicted(r: Recording, branch: Branch, stack: string): readonly string[] {
  const steps = stepsOf(branch);
  const hooks = predictedHooks(branch, false)
    .filter((h) => h.stack === stack)
    .map((h) => h.text.replace(/ (?:tos|id)=\S+| \[[^\]]*\]/g, ""));
  const packets = new Set(steps.filter(crosses).map((s) => packetText(s.packet)));
  const entries = new Set(branch.connections.all().map(entryText));
  const drops = steps.filter((s): s is DropStep => s.kind === "drop" && s.step === "source validation");
  const refused = new Set(
    steps.flatMap((s) =>
      s.kind === "source validation" && s.result !== "ok"
        ? [`${formatAddress(s.packet.src)} > ${formatAddress(s.packet.dst)} on ${s.device}`]
        : [],
    ),
  );
  return [
    ...(resultFits(r.result, branch) ? [] : [`the client: ${r.result}, the walk ${branch.clientSees}`]),
    ...inOrder(r.hooks, hooks).map((h) => `hook ${h}`),
    ...r.captures.filter((c) => !packets.has(c)).map((c) => `frame ${c}`),
    ...r.conntrack.filter((c) => !entries.has(c)).map((c) => `conntrack ${c}`),
    ...r.martians.filter((m) => !refused.has(m)).map((m) => `martian ${m}`),
    ...(r.reversePathFilter && !drops.some((d) => d.reason === "IP_RPFILTER") ? ["TcpExtIPReversePathFilter"] : []),
  ];
}

/**
 * The recorded lines that the walk lacks, or has in another order. Of the handshake no line may be left out; some experiments
 * printed certain hooks only.
 */
function inOrder(recorded: readonly string[], all: readonly string[]): readonly string[] {
  const printed = new Set(recorded.map((l) => l.split(" ")[0]));
  const walked = all.filter((l) => printed.has(l.split(" ")[0]));
  const missing: string[] = [];
  let at = 0;
  for (const line of recorded) {
    const found = walked.indexOf(line, at);
    const skipped = walked.slice(at, found).filter((l) => l.includes(" SYN"));
    if (found < 0 || (line.includes(" SYN") && at > 0 && skipped.length > 0)) missing.push(line);
    else at = found + 1;
  }
  return missing;
}

const crosses = (s: Step): boolean => s.kind === "transmit" || s.kind === "receive";

const FLAGS: Readonly<Record<number, string>> = { 2: "S", 18: "S.", 4: "R", 20: "R." };

function packetText(p: Packet): string {
  const ends = `${formatAddress(p.src)} > ${formatAddress(p.dst)}`;
  if (p.icmp !== undefined) {
    const { type, code } = p.icmp;
    return `${ends} ${type === 8 ? "echo request" : type === 0 ? "echo reply" : `${type}/${code}`}`;
  }
  return `${formatAddress(p.src)}:${p.sport} > ${formatAddress(p.dst)}:${p.dport} ${FLAGS[p.tcpFlags] ?? p.tcpFlags}`;
}

const entryText = ({ original: o, reply: r }: Connection): string =>
  `${formatAddress(o.src)}:${o.sport} > ${formatAddress(o.dst)}:${o.dport} back ${formatAddress(r.src)}:${r.sport} > ${formatAddress(r.dst)}:${r.dport}`;

function resultFits(result: string | undefined, { clientSees, errno }: Branch): boolean {
  if (result === undefined) return true;
  if (result === "OK") return clientSees === "connected";
  if (result.startsWith("ERR timeout(recv)")) return clientSees === "stalled";
  // The experiments wait a second, neighbour discovery gives up after three.
  if (result.startsWith("ERR timeout")) return clientSees === "timeout" || errno === "EHOSTUNREACH";
  return errno !== null && result.includes(errno);
}
