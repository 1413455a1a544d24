import type { ObservedIp, ObservedPacket, ReadOrigin } from "../model/index.ts";
import { PROTO } from "../net/index.ts";
import { endText, flowText } from "./endpoint-text.ts";
import { FlowGroups } from "./groups.ts";
import { inOrder, type Owns } from "./order.ts";
import { type ConnectionOutcome, outcomeOf } from "./outcome.ts";
import { innermost, roleOf, type Sighting } from "./sighting.ts";

/** One connection followed through all captures, whatever addresses it went by. */
export interface ObservedConnection {
  readonly protocol: number | undefined;
  /** As the client sent it, as far as that was seen. */
  readonly request: Pick<ObservedIp, "src" | "sport" | "dst" | "dport">;
  /** In order: where it was seen. */
  readonly sightings: readonly Sighting[];
  /** The forms the request's addresses took, in order. */
  readonly forms: readonly { readonly text: string; readonly origin: ReadOrigin }[];
  readonly outcome: ConnectionOutcome;
  /** Last packet of the connection that was seen in each direction. */
  readonly last?: Sighting;
}

/** Whether a sighting goes the client's way. */
export const isRequest = (sighting: Sighting, client: ReadonlySet<string>): boolean =>
  client.has(endText(sighting.ip.src, sighting.ip.sport));

/** Follows every connection through the packets of a case. `owns`: which addresses are whose, where that is known. */
export function connectionsOf(
  packets: readonly ObservedPacket[],
  owns: Owns = () => false,
): readonly ObservedConnection[] {
  const groups = new FlowGroups();
  const observed: { readonly key: string; readonly sighting: Sighting }[] = [];
  const errors: Sighting[] = [];
  packets.forEach((packet, index) => {
    const inside = innermost(packet);
    if (inside === undefined) return;
    const { ip, tunnel } = inside;
    const role = roleOf(ip);
    const sighting: Sighting = {
      role,
      ip,
      place: packet.place,
      ...(packet.device === undefined ? {} : { device: packet.device }),
      ...(packet.direction === undefined ? {} : { direction: packet.direction }),
      ...(packet.srcMac === undefined ? {} : { srcMac: packet.srcMac }),
      ...(packet.vlans === undefined ? {} : { vlans: packet.vlans }),
      ...(tunnel === undefined ? {} : { tunnel }),
      ...(packet.time === undefined ? {} : { time: packet.time }),
      times: 1,
      origin: packet.origin,
      index,
    };
    if (role === "icmp-error") errors.push(sighting);
    else {
      const { file, line } = packet.place.capture;
      observed.push({ key: groups.add(ip, `${file}:${line}`), sighting });
    }
  });
  const byRoot = new Map<string, Sighting[]>();
  for (const { key, sighting } of observed) {
    const root = groups.root(key);
    const list = byRoot.get(root);
    if (list === undefined) byRoot.set(root, [sighting]);
    else list.push(sighting);
  }
  placeErrors(errors, byRoot);
  return [...byRoot.values()].map((all) => connectionOf(all, owns));
}

/** An ICMP error belongs to the connection it quotes, by as much of its addresses as it names. */
function placeErrors(errors: readonly Sighting[], byRoot: ReadonlyMap<string, Sighting[]>): void {
  if (errors.length === 0) return;
  const byEnds = new Map<string, Sighting[]>();
  for (const list of byRoot.values()) {
    for (const { ip } of list) {
      byEnds.set(`${endText(ip.src, undefined)} > ${endText(ip.dst, ip.dport)}`, list);
      byEnds.set(`${endText(ip.src, undefined)} > ${endText(ip.dst, undefined)}`, list);
    }
  }
  for (const error of errors) {
    const about = error.ip.icmp?.inner;
    if (about === undefined) continue;
    const from = endText(about.src, undefined);
    byEnds.get(`${from} > ${endText(about.dst, about.dport)}`)?.push(error);
  }
}

function connectionOf(all: readonly Sighting[], owns: Owns): ObservedConnection {
  const first = all[0]!;
  const opener = all.find((s) => s.role === "syn" || s.role === "echo-request") ?? first;
  const answered = opener.role === "syn-ack" || opener.role === "echo-reply";
  const protocol = opener.ip.protocol;
  const clients = new Set<string>();
  for (const { role, ip } of all) {
    if (role === "syn" || role === "echo-request") clients.add(endText(ip.src, ip.sport));
    if (role === "syn-ack" || role === "echo-reply") clients.add(endText(ip.dst, ip.dport));
  }
  if (clients.size === 0) clients.add(clientEnd(opener.ip));
  const sightings = inOrder(alike(all), clients, owns);
  const requests = sightings.filter((s) => isRequest(s, clients));
  const forms = new Map<string, ReadOrigin>();
  for (const s of requests)
    if (s.role !== "icmp-error" && !forms.has(flowText(s.ip))) forms.set(flowText(s.ip), s.origin);
  const lead = requests.find((s) => s.role === "syn" || s.role === "echo-request") ?? requests[0];
  const turned = { src: opener.ip.dst, sport: opener.ip.dport, dst: opener.ip.src, dport: opener.ip.sport };
  const shown = lead?.ip ?? (answered ? turned : opener.ip);
  const last = sightings[sightings.length - 1];
  return {
    protocol,
    request: {
      src: shown.src,
      dst: shown.dst,
      ...(shown.sport === undefined ? {} : { sport: shown.sport }),
      ...(shown.dport === undefined ? {} : { dport: shown.dport }),
    },
    sightings,
    forms: [...forms].map(([text, origin]) => ({ text, origin })),
    outcome: outcomeOf(sightings, clients),
    ...(last === undefined ? {} : { last }),
  };
}

/** Without a beginning, the higher port is taken for the client's. */
function clientEnd(ip: ObservedIp): string {
  const low = (p: ObservedIp["sport"]): number => (typeof p === "number" ? p : 0);
  const reversed = ip.protocol === PROTO.tcp || ip.protocol === PROTO.udp ? low(ip.sport) < low(ip.dport) : false;
  return reversed ? endText(ip.dst, ip.dport) : endText(ip.src, ip.sport);
}

/** The same packet again at the same place (a retransmission, or its second pass) is counted, not repeated. */
function alike(all: readonly Sighting[]): readonly Sighting[] {
  const merged = new Map<string, Sighting>();
  for (const s of all) {
    const { tcp, icmp } = s.ip;
    const what =
      s.role === "echo-request" || s.role === "echo-reply" || s.role === "datagram"
        ? ""
        : (tcp?.seq ?? icmp?.type ?? "");
    const key = [
      s.role,
      flowText(s.ip),
      what,
      s.place.capture.file,
      s.place.capture.line,
      s.device,
      s.direction,
      s.vlans?.join(),
      s.tunnel,
    ].join("|");
    const known = merged.get(key);
    if (known === undefined) merged.set(key, s);
    else merged.set(key, { ...known, times: known.times + 1, ...(s.time === undefined ? {} : { lastTime: s.time }) });
  }
  return [...merged.values()];
}
