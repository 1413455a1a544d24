import type { Tuple } from "@hairpin/core/datapath/index.ts";
import { formatAddress, isIcmp, protocolName } from "@hairpin/core/net/index.ts";
import type { Branch, Connection } from "@hairpin/core/trace/index.ts";
import type { ConntrackRecord, StackState } from "../observation.ts";
import { fits } from "./star.ts";

const SEEN_REPLY = 2;
const SRC_NAT = 16;
const DST_NAT = 32;

type Port = Tuple["sport"];
const port = (p: Port): string => (typeof p === "number" ? String(p) : "*");

function tupleText(t: Tuple): string {
  if (isIcmp(t.protocol)) return `${formatAddress(t.src)} > ${formatAddress(t.dst)} id=${port(t.sport)}`;
  return `${formatAddress(t.src)}:${port(t.sport)} > ${formatAddress(t.dst)}:${port(t.dport)}`;
}

/** `tcp ESTABLISHED 10.0.0.1:40000 > 10.96.0.1:80 back 10.0.0.2:8080 > 10.0.0.1:40000 DNAT` */
function entryText(c: Omit<Connection, "stack">): string {
  return [
    protocolName(c.original.protocol),
    ...(c.tcpState === undefined ? [] : [c.tcpState]),
    tupleText(c.original),
    "back",
    tupleText(c.reply),
    ...(c.seenReply ? [] : ["UNREPLIED"]),
    ...(c.sourceNat ? ["SNAT"] : []),
    ...(c.destinationNat ? ["DNAT"] : []),
    ...(c.mark === 0 ? [] : [`mark=0x${c.mark.toString(16)}`]),
    ...(c.zone === 0 ? [] : [`zone=${c.zone}`]),
  ].join(" ");
}

const ofRecord = (r: ConntrackRecord): string =>
  entryText({
    original: r.original,
    reply: r.reply,
    seenReply: (r.status & SEEN_REPLY) !== 0,
    sourceNat: (r.status & SRC_NAT) !== 0,
    destinationNat: (r.status & DST_NAT) !== 0,
    mark: r.mark,
    zone: r.zone,
    ...(r.tcpState === undefined ? {} : { tcpState: r.tcpState }),
  });

/** The handshake's last ACK, which is not walked by itself, passes where the data that follows it is too large. */
const stuckBySize = ({ data }: Branch): boolean => data[0]?.drop === "PKT_TOO_BIG";

/** A tunnel's flows of one pair of ends are one line: only their hashed ports tell them apart. */
export const predictedEntries = (branch: Branch, stack: string): readonly string[] =>
  branch.connections
    .all()
    .filter((c) => c.stack === stack)
    .map((c) => (c.tcpState === "SYN_RECV" && stuckBySize(branch) ? { ...c, tcpState: "ESTABLISHED" } : c))
    .map((c) => ({
      text: entryText(c),
      hashed: typeof c.original.sport !== "number" && /^vxlan/.test(c.original.sport.id),
    }))
    .filter(({ text, hashed }, i, all) => !hashed || all.findIndex((e) => e.text === text) === i)
    .map(({ text }) => text)
    .sort();

/** What conntrack holds at the end, stack by stack, as far as the lab asked for it. */
export function compareConntrack(branch: Branch, states: readonly StackState[], query: ReadonlySet<string>) {
  return states
    .filter((s) => query.has(s.stack))
    .flatMap((state) => {
      const left = state.conntrack.map(ofRecord);
      const missing: string[] = [];
      for (const ours of predictedEntries(branch, state.stack)) {
        const at = left.findIndex((theirs) => fits(ours, theirs));
        if (at < 0) missing.push(ours);
        else left.splice(at, 1);
      }
      return [
        ...missing.map((e) => `${state.stack}, conntrack: only the walk has ${e}`),
        ...left.map((e) => `${state.stack}, conntrack: only the kernel has ${e}`),
      ];
    });
}
