import type { Observations, ReadOrigin } from "../model/index.ts";
import { formatAddress } from "../net/index.ts";
import type { ObservedConnection } from "./connection.ts";
import { flowText, hostText, placeText } from "./endpoint-text.ts";
import { fromServices } from "./services.ts";
import type { Sighting } from "./sighting.ts";

/** Something that follows from what was seen. */
export interface DerivedFact {
  /** Stable, upper case: `BRIDGED`. */
  readonly code: string;
  readonly text: string;
  readonly origins: readonly ReadOrigin[];
}

/** An address was translated: the same packet was seen under other addresses. */
function translated(connection: ObservedConnection): readonly DerivedFact[] {
  const [first, ...later] = connection.forms;
  if (first === undefined || later.length === 0) return [];
  return later.map((form, i) => {
    const from = connection.forms[i]!;
    return { code: "TRANSLATED", text: `${from.text} became ${form.text}`, origins: [from.origin, form.origin] };
  });
}

/** A frame for somebody else's MAC that a node passes on: it is bridged, not routed. */
function bridged(connection: ObservedConnection): readonly DerivedFact[] {
  const facts: DerivedFact[] = [];
  const done = new Set<string>();
  for (const s of connection.sightings) {
    const key = `${s.place.node}/${s.place.stack ?? ""} ${flowText(s.ip)}`;
    if (s.direction !== "other" || done.has(key)) continue;
    done.add(key);
    const mac = s.srcMac === undefined ? "" : ` from ${s.srcMac}`;
    const out = connection.sightings.find(
      (o) =>
        o.direction === "out" &&
        o.place.node === s.place.node &&
        o.role === s.role &&
        o.srcMac === s.srcMac &&
        s.srcMac !== undefined,
    );
    facts.push({
      code: "BRIDGED",
      text:
        out === undefined
          ? `${placeText(s.place)}: the frame${mac} is for another MAC, so it was bridged`
          : `${placeText(s.place)}: the frame${mac} is for another MAC and leaves with the MAC it came with: bridged, not routed`,
      origins: out === undefined ? [s.origin] : [s.origin, out.origin],
    });
  }
  return facts;
}

const vlansAt = (sightings: readonly Sighting[]): ReadonlyMap<number, Sighting> => {
  const vlans = new Map<number, Sighting>();
  for (const s of sightings) for (const v of s.vlans ?? []) if (!vlans.has(v)) vlans.set(v, s);
  return vlans;
};

/** What leaves a node in one VLAN and comes back in another takes another way back. */
function otherVlan(connection: ObservedConnection): readonly DerivedFact[] {
  const facts: DerivedFact[] = [];
  for (const node of new Set(connection.sightings.map((s) => s.place.node))) {
    const here = connection.sightings.filter((s) => s.place.node === node);
    const out = vlansAt(here.filter((s) => s.direction === "out"));
    const back = vlansAt(here.filter((s) => s.direction === "in"));
    if (out.size === 0 || back.size === 0 || [...out.keys()].some((v) => back.has(v))) continue;
    facts.push({
      code: "OTHER_VLAN",
      text: `${node}: it leaves in VLAN ${[...out.keys()].join(", ")} and the answer arrives in VLAN ${[...back.keys()].join(", ")}`,
      origins: [...[...out.values()].slice(0, 1), ...[...back.values()].slice(0, 1)].map((s) => s.origin),
    });
  }
  return facts;
}

/** Captured on two devices of one node: asked by one, answered by the other. */
function otherDevice(connection: ObservedConnection): readonly DerivedFact[] {
  const facts: DerivedFact[] = [];
  const asks = connection.sightings.filter((s) => s.role === "syn" || s.role === "echo-request");
  const answers = connection.sightings.filter((s) => s.role === "syn-ack" || s.role === "echo-reply");
  const deviceOf = (s: Sighting): string | undefined =>
    s.device ?? (s.place.device === "any" ? undefined : s.place.device);
  for (const stack of new Set(asks.map((s) => stackOf(s)))) {
    const by = new Map(asks.filter((s) => stackOf(s) === stack).map((s) => [deviceOf(s), s]));
    const back = new Map(answers.filter((s) => stackOf(s) === stack).map((s) => [deviceOf(s), s]));
    if (by.size !== 1 || back.size !== 1 || by.has(undefined) || back.has(undefined)) continue;
    const [[from, ask]] = [...by] as [[string, Sighting]];
    const [[to, answer]] = [...back] as [[string, Sighting]];
    if (from === to) continue;
    facts.push({
      code: "OTHER_DEVICE",
      text: `${stack}: the request was seen on ${from} and the answer on ${to} only`,
      origins: [ask.origin, answer.origin],
    });
  }
  return facts;
}

const stackOf = (s: Sighting): string =>
  s.place.stack === undefined ? s.place.node : `${s.place.node}/${s.place.stack}`;

/** A TTL that nobody lowered, in less time than any wire takes. */
const LOCAL_RTT_MS = 0.1;

function ownAnswers({ symptoms }: Observations): readonly DerivedFact[] {
  return symptoms.flatMap((s) => {
    if (s.tool !== "ping" || s.result !== "ok" || s.ttl !== 64 || s.rtt === undefined || s.rtt > LOCAL_RTT_MS)
      return [];
    const who = s.target === undefined ? "it" : hostText(s.target);
    const name = s.answeredName === undefined ? "" : `, by the name ${s.answeredName}`;
    return [
      {
        code: "ANSWERED_BY_ITSELF",
        text: `${who} was answered by the node that asked, not by anybody on the wire: TTL 64 after ${s.rtt} ms${name}`,
        origins: [s.origin],
      },
    ];
  });
}

/** Two owners of one address. */
function arpConflicts({ packets }: Observations): readonly DerivedFact[] {
  const owners = new Map<string, Map<string, ReadOrigin>>();
  for (const { arp, origin } of packets) {
    if (arp?.operation !== "reply" || arp.sender === undefined || arp.mac === undefined) continue;
    const address = hostText(arp.sender);
    const macs = owners.get(address) ?? new Map<string, ReadOrigin>();
    if (!macs.has(arp.mac)) macs.set(arp.mac, origin);
    owners.set(address, macs);
  }
  return [...owners].flatMap(([address, macs]) =>
    macs.size < 2
      ? []
      : [
          {
            code: "SEVERAL_ANSWER_ARP",
            text: `${address} is claimed by ${[...macs.keys()].join(" and ")}`,
            origins: [...macs.values()],
          },
        ],
  );
}

function fromLogs({ martians, complaints, counters }: Observations): readonly DerivedFact[] {
  const seen = new Map<string, DerivedFact & { readonly times: number }>();
  const add = (fact: DerivedFact): void => {
    const known = seen.get(fact.text);
    seen.set(fact.text, known === undefined ? { ...fact, times: 1 } : { ...known, times: known.times + 1 });
  };
  for (const m of martians)
    add({
      code: "MARTIAN",
      text: `${m.place.node} dropped a packet from ${formatAddress(m.src)} to ${formatAddress(m.dst)} on ${m.device} as martian ${m.kind}`,
      origins: [m.origin],
    });
  for (const c of complaints) {
    if (c.what === "conntrack-full")
      add({ code: "CONNTRACK_FULL", text: `${c.place.node}: the connection table was full`, origins: [c.origin] });
    if (c.what === "neighbour-overflow")
      add({ code: "NEIGHBOUR_OVERFLOW", text: `${c.place.node}: the neighbour table overflowed`, origins: [c.origin] });
  }
  for (const c of counters) {
    if (!/^conntrack\.(?:insert_failed|drop|early_drop)$/.test(c.name) || c.value === 0) continue;
    add({
      code: "CONNTRACK_DROPS",
      text: `${c.place.node}: ${c.name.replace(".", " ")} is ${c.value} on ${c.of ?? "one CPU"}`,
      origins: [c.origin],
    });
  }
  return [...seen.values()].map(({ times, ...fact }) =>
    times === 1 ? fact : { ...fact, text: `${fact.text} (${times} times)` },
  );
}

export function derivedFacts(
  observations: Observations,
  connections: readonly ObservedConnection[],
): readonly DerivedFact[] {
  return [
    ...connections.flatMap((c) => [...translated(c), ...bridged(c), ...otherVlan(c), ...otherDevice(c)]),
    ...ownAnswers(observations),
    ...arpConflicts(observations),
    ...fromLogs(observations),
    ...fromServices(observations),
  ];
}
