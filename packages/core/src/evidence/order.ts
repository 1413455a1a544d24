import type { ObservedHost } from "../model/index.ts";
import { endText } from "./endpoint-text.ts";
import type { Sighting } from "./sighting.ts";

/** Whether the machine of this name, or a stack on it, has the address. */
export type Owns = (node: string, host: ObservedHost) => boolean;

const PHASE: Readonly<Record<Sighting["role"], number>> = {
  syn: 0,
  "echo-request": 0,
  "icmp-error": 1,
  "syn-ack": 1,
  "echo-reply": 1,
  ack: 2,
  data: 2,
  datagram: 2,
  fin: 2,
  rst: 3,
};

const captureOf = (s: Sighting): string => `${s.place.capture.file}:${s.place.capture.line}`;

/**
 * From the client to the server and back. Clocks of nodes need not agree, so captures are ranked by what does not depend on
 * them: who owns the addresses, the nearer to the client, the longer from SYN to SYN-ACK, and the larger the TTL; else as they were given.
 */
export function inOrder(sightings: readonly Sighting[], clients: ReadonlySet<string>, owns: Owns): readonly Sighting[] {
  const ranks = rankCaptures(sightings, owns);
  const rank = (s: Sighting): number => ranks.get(captureOf(s)) ?? 0;
  return [...sightings].sort((a, b) => {
    const phase = PHASE[a.role] - PHASE[b.role];
    if (phase !== 0) return phase;
    const away = clients.has(endText(a.ip.src, a.ip.sport)) ? 1 : -1;
    const near = (rank(a) - rank(b)) * (PHASE[a.role] === 2 ? 1 : away);
    if (near !== 0) return near;
    const time = (a.time?.seconds ?? 0) - (b.time?.seconds ?? 0);
    return time !== 0 ? time : a.index - b.index;
  });
}

interface Capture {
  readonly name: string;
  readonly input: number;
  readonly node: string;
  readonly out?: number;
  readonly back?: number;
  readonly ttl?: number;
  /** The request came to the machine's own address, or goes from it: before a translation, or after one. */
  readonly own?: "dst" | "src";
}

/** Before the machine translated it a request goes to its address, afterwards it comes from it. */
const SIDE = { dst: 0, src: 2 } as const;
const sideOf = ({ own }: Capture): number => (own === undefined ? 1 : SIDE[own]);

const ownEnd = ({ ip, place }: Sighting, owns: Owns): "dst" | "src" | undefined => {
  const [src, dst] = [owns(place.node, ip.src), owns(place.node, ip.dst)];
  return src === dst ? undefined : src ? "src" : "dst";
};

function rankCaptures(sightings: readonly Sighting[], owns: Owns): ReadonlyMap<string, number> {
  const captures = new Map<string, Capture>();
  for (const s of sightings) {
    const name = captureOf(s);
    const known = captures.get(name) ?? { name, input: captures.size, node: `${s.place.node}/${s.place.stack ?? ""}` };
    const opens = s.role === "syn" || s.role === "echo-request";
    const answers = s.role === "syn-ack" || s.role === "echo-reply";
    const own = opens && known.own === undefined ? ownEnd(s, owns) : undefined;
    captures.set(name, {
      ...known,
      ...(own === undefined ? {} : { own }),
      ...(opens && known.out === undefined && s.time !== undefined ? { out: s.time.seconds } : {}),
      ...(answers && known.back === undefined && s.time !== undefined ? { back: s.time.seconds } : {}),
      ...(opens && s.ip.ttl !== undefined && known.ttl === undefined ? { ttl: s.ip.ttl } : {}),
    });
  }
  const sorted = [...captures.values()].sort((a, b) => {
    if (a.node === b.node && sideOf(a) !== sideOf(b)) return sideOf(a) - sideOf(b);
    if (a.out !== undefined && a.back !== undefined && b.out !== undefined && b.back !== undefined) {
      const nearer = b.back - b.out - (a.back - a.out);
      if (Math.abs(nearer) > 1e-6) return nearer;
    }
    if (a.ttl !== undefined && b.ttl !== undefined && a.ttl !== b.ttl) return b.ttl - a.ttl;
    if (a.node === b.node && a.out !== undefined && b.out !== undefined && a.out !== b.out && a.input !== b.input) {
      // One clock: but captures without a name of their node all seem to be of one.
      if (Math.abs(a.out - b.out) < 0.002) return a.out - b.out;
    }
    return a.input - b.input;
  });
  return new Map(sorted.map((c, i) => [c.name, i]));
}
