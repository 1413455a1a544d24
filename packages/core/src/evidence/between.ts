import type { ObservedIp, ObservedPacket, ObservedPlace, ReadOrigin } from "../model/index.ts";
import { smallest } from "../net/append.ts";
import { hasPorts } from "../net/index.ts";
import { hostText } from "./endpoint-text.ts";

/** Packets of one direction that one node's capture shows and another's, which shows the other direction, does not. */
export interface LostBetween {
  readonly src: string;
  readonly dst: string;
  readonly protocol: number | undefined;
  /** The port that does not change with the client: of the service, or of the tunnel. */
  readonly port: number | undefined;
  readonly sent: number;
  readonly leftAt: ObservedPlace;
  readonly missingAt: ObservedPlace;
  /** They carry others: packets of a tunnel, known as one or going to the same port both ways. */
  readonly carrier: boolean;
  readonly origins: readonly ReadOrigin[];
}

interface Count {
  n: number;
  readonly origin: ReadOrigin;
}

interface CapturedAt {
  readonly place: ObservedPlace;
  /** By direction, as `src > dst`. */
  readonly ways: Map<string, Count>;
}

interface Flow {
  readonly ends: readonly [string, string];
  readonly protocol: number | undefined;
  readonly port: number | undefined;
  carrier: boolean;
  /** Ways whose destination port is `port`. */
  readonly towards: Set<string>;
  readonly captures: Map<string, CapturedAt>;
}

/** A direction that shows fewer packets than this may be a capture that ended early. */
const ENOUGH = 2;

const lower = ({ sport, dport }: ObservedIp): number | undefined => {
  const ports = [sport, dport].filter((p) => typeof p === "number");
  return ports.length === 0 ? undefined : smallest(Number.POSITIVE_INFINITY, ports);
};

/**
 * What was lost on the way from one node to another. Two captures of one pair of hosts, on different nodes: one shows
 * both directions, the other only one. Then the other direction left the first node and did not reach the second: had the
 * second sent it, its own capture would show it. No address needs to be known for that; where it is known who has one, a node is not said to
 * have lost what it received.
 */
export function lostBetween(
  packets: readonly ObservedPacket[],
  ownerOf: (host: string) => string | undefined = () => undefined,
): readonly LostBetween[] {
  const flows = new Map<string, Flow>();
  for (const packet of packets) {
    let ip = packet.ip;
    for (let depth = 0; depth < 4 && ip !== undefined; depth++) {
      note(flows, packet, ip);
      ip = ip.inner?.ip;
    }
  }
  return [...flows.values()].flatMap((f) => lossesOf(f, ownerOf));
}

function note(flows: Map<string, Flow>, packet: ObservedPacket, ip: ObservedIp): void {
  const [src, dst] = [hostText(ip.src), hostText(ip.dst)];
  const port = hasPorts(ip.protocol ?? 0) ? lower(ip) : undefined;
  const ends: readonly [string, string] = src < dst ? [src, dst] : [dst, src];
  const key = `${ends.join(" ")} ${ip.protocol ?? ""} ${port ?? ""}`;
  const flow = flows.get(key) ?? {
    ends,
    protocol: ip.protocol,
    port,
    carrier: false,
    towards: new Set<string>(),
    captures: new Map<string, CapturedAt>(),
  };
  flows.set(key, flow);
  if (ip.dport === port && port !== undefined) flow.towards.add(src);
  if (ip.tunnel !== undefined || flow.towards.size > 1) flow.carrier = true;
  const { capture } = packet.place;
  const at = `${capture.file}:${capture.line}`;
  const observed: CapturedAt = flow.captures.get(at) ?? { place: packet.place, ways: new Map() };
  flow.captures.set(at, observed);
  const way = `${src} > ${dst}`;
  const count = observed.ways.get(way);
  if (count === undefined) observed.ways.set(way, { n: 1, origin: packet.origin });
  else count.n++;
}

function lossesOf(
  { ends, protocol, port, carrier, captures }: Flow,
  ownerOf: (host: string) => string | undefined,
): readonly LostBetween[] {
  const [a, b] = ends;
  return [...captures.values()].flatMap((deaf) =>
    [
      { src: a, dst: b },
      { src: b, dst: a },
    ].flatMap(({ src, dst }) => {
      const way = `${src} > ${dst}`;
      const back = deaf.ways.get(`${dst} > ${src}`);
      if (deaf.ways.has(way) || back === undefined || back.n < ENOUGH) return [];
      // Whoever has the destination did not send these packets, he got them; and nobody else need ever see them.
      const receiver = ownerOf(dst);
      if (receiver !== undefined && receiver !== deaf.place.node) return [];
      const heard = [...captures.values()].find(
        (c) =>
          c.place.node !== deaf.place.node &&
          c.place.node !== receiver &&
          (c.ways.get(way)?.n ?? 0) >= ENOUGH &&
          (c.ways.get(`${dst} > ${src}`)?.n ?? 0) > 0,
      );
      const left = heard?.ways.get(way);
      if (heard === undefined || left === undefined) return [];
      const origins = [left.origin, back.origin];
      const places = { leftAt: heard.place, missingAt: deaf.place };
      return [{ src, dst, protocol, port, sent: left.n, ...places, carrier, origins }];
    }),
  );
}
