import type { Stack } from "../../model/index.ts";
import {
  type Address,
  contains,
  containsPrefix,
  type Family,
  familyOf,
  formatPrefix,
  hostPrefix,
  isHost,
  PROTO,
  type Prefix,
} from "../../net/index.ts";
import { dnatTo, pathsTo } from "../differences/paths.ts";
import { hintOfEntry } from "../differences/sets.ts";
import type { Element } from "../element.ts";
import { type Hint, hintOf } from "../hint.ts";
import { covers, inside, isOwn, ownAddresses, podAddresses, type Side } from "../side.ts";
import type { Destination } from "./catalogue.ts";
import { type Flow, probeKey, type Who, type Whom } from "./flow.ts";

/** Packets tried for one element at most. */
const MAX_FLOWS = 48;
/** Packets tried for one element at most that the rules beside it suggest. */
const MAX_CLOSER = 400;
/** Addresses of a node tried beside the one it is known by. */
const MAX_OTHER_ADDRESSES = 2;
/** Services asked that lead to one endpoint. */
const MAX_BEFORE = 4;
const ASKABLE: ReadonlySet<number> = new Set([PROTO.tcp, PROTO.udp, PROTO.sctp, PROTO.icmp, PROTO.icmp6]);

/** Who there is on both sides, in one family. */
export interface Sides {
  readonly family: Family;
  readonly a: Side;
  readonly b: Side;
  readonly sameNode: boolean;
  readonly pods: readonly Address[];
  readonly destinations: readonly Destination[];
}

/** The packets that should show what an element does: what it asks for taken as given, the rest varied over who there is. */
export function flowsFor(element: Element, sides: Sides): readonly Flow[] {
  const hints = element.hints
    .flatMap((h) => withMarkers(h, sides))
    .flatMap((h) => withMembers(h, sides))
    .flatMap((h) => [h, ...beforeTranslation(h, sides)]);
  const reversed = hints.filter((h) => h.sport !== undefined || h.src !== undefined).map(reverse);
  const out = new Map<string, Flow>();
  for (const hint of [...hints, ...reversed]) {
    for (const flow of expand(hint, sides)) {
      if (out.size >= MAX_FLOWS) return [...out.values()];
      out.set(probeKey(flow), flow);
    }
  }
  return [...out.values()];
}

/** Packets of which every part is one that some rule beside asks for: tried where chosen ones show nothing. */
export function closerFlows(
  element: Element,
  sides: Sides,
): { readonly flows: readonly Flow[]; readonly all: boolean } {
  const around = element.around?.() ?? [];
  if (around.length === 0) return { flows: [], all: true };
  const out = new Map<string, Flow>();
  let all = true;
  const hints = element.hints.slice(0, 2);
  for (const hint of [...hints, ...hints.map(reverse)]) {
    const beside = [...around, ...around.map(reverse)];
    const narrower = (own: Prefix | undefined, other: Prefix | undefined): readonly Prefix[] =>
      other === undefined || (own !== undefined && !containsPrefix(own, other)) ? [] : [other];
    const sources = beside.flatMap((o) => narrower(hint.src, o.src));
    const targets = beside.flatMap((o) => narrower(hint.dst, o.dst));
    const kinds = beside.flatMap((o) => (o.dport === undefined && o.protocol === undefined ? [] : [o]));
    for (const src of [undefined, ...unique(sources)]) {
      for (const dst of [undefined, ...unique(targets)]) {
        for (const kind of [undefined, UNUSUAL, ...kinds]) {
          const protocol = hint.protocol ?? kind?.protocol;
          const dport = hint.dport ?? kind?.dport;
          const merged: Hint = {
            ...hint,
            ...(src !== undefined && { src }),
            ...(dst !== undefined && { dst }),
            ...(protocol !== undefined && { protocol }),
            ...(dport !== undefined && { dport }),
          };
          for (const flow of expand(merged, { ...sides, destinations: lean(sides) })) {
            if (out.size >= MAX_CLOSER) all = false;
            else out.set(probeKey(flow), flow);
          }
        }
      }
    }
  }
  return { flows: [...out.values()], all };
}

/** A port that no rule is likely to ask for. */
const UNUSUAL: Hint = { dport: 9 };
const lean = ({ destinations }: Sides): readonly Destination[] => {
  const plain = destinations.filter((d) => d.to === "pod" || d.to === "self" || typeof d.to === "object");
  return [...plain.slice(0, 1), ...plain.slice(-3)];
};
const unique = (list: readonly Prefix[]): readonly Prefix[] => [
  ...new Map(list.map((p) => [formatPrefix(p), p])).values(),
];

const reverse = ({ src, dst, sport, dport, in: _, out: __, local: ___, ...rest }: Hint): Hint => ({
  ...rest,
  ...(dst !== undefined && { src: dst }),
  ...(src !== undefined && { dst: src }),
  ...(sport !== undefined ? { dport: sport } : dport !== undefined ? { dport } : {}),
});

/** A packet has no mark to begin with: whoever would set this one says which packets get it. */
function withMarkers(hint: Hint, sides: Sides): readonly Hint[] {
  const { mark } = hint;
  if (mark === undefined) return [hint];
  const sets = (node: Stack) =>
    pathsTo(node, sides.family, ({ target }) => target.kind === "mark" && (target.value & mark.mask) === mark.value);
  const paths = [...sets(sides.a.node), ...sets(sides.b.node)];
  return [...paths.slice(0, 8).map((p): Hint => ({ ...hintOf(p), ...without(hint) })), hint];
}

/** A packet that a set is to hold looks like one of its entries. */
function withMembers(hint: Hint, sides: Sides): readonly Hint[] {
  const [first, ...rest] = hint.sets ?? [];
  if (first === undefined) return [hint];
  const of = (node: Stack) => node.ipsets.items.find((s) => s.name === first.name)?.entries ?? [];
  const entries = [...of(sides.a.node), ...of(sides.b.node)];
  const some = entries.length <= 6 ? entries : [...entries.slice(0, 3), ...entries.slice(-3)];
  const { sets: _, ...bare } = hint;
  const one = some.map(
    (e): Hint => ({ ...bare, ...hintOfEntry(e, first.directions), ...(rest.length > 0 && { sets: rest }) }),
  );
  return [...new Map(one.map((h) => [JSON.stringify(h), h])).values()].flatMap((h) => withMembers(h, sides));
}

/** Behind a translation a packet carries an endpoint's address: who asks the Service gets there. */
function beforeTranslation(hint: Hint, sides: Sides): readonly Hint[] {
  const { dst } = hint;
  if (dst === undefined || !isHost(dst)) return [];
  const { dst: _, dport: __, ...rest } = hint;
  const out: Hint[] = [];
  for (const { node } of [sides.a, sides.b]) {
    for (const path of dnatTo(node, dst.address)) {
      const { dst: to, dport, protocol, local } = hintOf(path);
      if (to === undefined && dport === undefined) continue;
      out.push({
        ...rest,
        ...(to !== undefined && { dst: to }),
        ...(dport !== undefined && { dport }),
        ...(protocol !== undefined && { protocol }),
        ...(local !== undefined && { local }),
      });
    }
    for (const { key, realServers } of node.ipvs.services) {
      if (key.kind !== "address" || !realServers.some((s) => s.address === dst.address)) continue;
      out.push({ ...rest, dst: hostPrefix(key.address), dport: key.port, protocol: key.protocol });
      if (out.length > MAX_BEFORE) break;
    }
  }
  return out.slice(0, MAX_BEFORE);
}

const without = ({ mark: _, ...rest }: Hint): Hint => rest;

function expand(hint: Hint, sides: Sides): readonly Flow[] {
  const protocol = hint.protocol ?? PROTO.tcp;
  if (!ASKABLE.has(protocol)) return [];
  const sources = sourcesOf(hint, sides);
  const flows: Flow[] = [];
  for (const d of targetsOf(hint, sides)) {
    for (const from of sources) {
      // Whoever else says 127.0.0.1 means himself.
      if (d.to === "loopback" && from !== "node") continue;
      const flow: Flow = {
        from,
        to: d.to,
        ...(sides.family === 6 && { family: sides.family }),
        port: hint.dport ?? otherThan(hint.notDport, d.port),
        protocol: hint.protocol ?? d.protocol,
        ...(hint.sport !== undefined && { sport: hint.sport }),
      };
      flows.push(flow);
      if (hint.in !== undefined && from === "external" && bothHave(sides, hint.in))
        flows.push({ ...flow, in: hint.in });
    }
  }
  return flows;
}

const otherThan = (not: number | undefined, port: number): number => (port === not ? port + 1 : port);

const bothHave = ({ a, b }: Sides, device: string): boolean =>
  [a, b].every(({ node }) => node.devices.items.some((d) => d.name === device));

function sourcesOf(hint: Hint, sides: Sides): readonly Who[] {
  const { src, notSrc } = hint;
  if (src !== undefined) {
    if (familyOf(src.address) !== sides.family) return [];
    return pick(src, sides).flatMap((address): readonly Who[] =>
      isOwn(sides.a.node, address) && isOwn(sides.b.node, address) ? ["node", { address }] : [{ address }],
    );
  }
  // A second pod: the first may be the one endpoint, and be treated as such.
  const [, other] = sides.pods.filter((p, i, all) => all.indexOf(p) === i);
  const classes: readonly Who[] = [
    "external",
    "pod",
    "node",
    ...(sides.sameNode && other !== undefined ? [{ address: other }] : []),
  ];
  const pod = sides.pods.filter((p) => !covers(notSrc, p));
  return classes.filter((c) => c !== "pod" || notSrc === undefined || pod.length > 0);
}

/** Known pods of that network, and somebody else of it: another rule may single out either. */
function pick(prefix: Prefix, sides: Sides): readonly Address[] {
  if (isHost(prefix)) return [prefix.address];
  const pods = sides.pods.filter((p, i) => sides.pods.indexOf(p) === i);
  const known = pods.filter((p) => contains(prefix, p)).slice(0, 2);
  const own = [sides.a, sides.b].flatMap((s) =>
    s.node.devices.items.flatMap((d) => d.addresses.map((i) => i.prefix.address)),
  );
  return [...known, inside(prefix, [...pods, ...own])];
}

function targetsOf(hint: Hint, sides: Sides): readonly Destination[] {
  const { dst, notDst, local, out } = hint;
  const as = (to: Whom): Destination => ({
    to,
    port: sides.destinations.find((d) => d.to === to)?.port ?? 80,
    protocol: hint.protocol ?? PROTO.tcp,
  });
  if (dst !== undefined) {
    if (familyOf(dst.address) !== sides.family) return [];
    return pick(dst, sides).map((address) => {
      const own =
        !sides.sameNode && [sides.a, sides.b].some((s) => ownAddresses(s.node, sides.family).includes(address));
      return as(own ? "self" : { address });
    });
  }
  if (local === true) {
    // Which addresses of a node answer on a node port is kube-proxy's to say.
    const others = sides.sameNode ? ownAddresses(sides.a.node, sides.family).slice(1, 1 + MAX_OTHER_ADDRESSES) : [];
    const more = [as("loopback"), ...others.map((address) => as({ address }))];
    return hint.dport === undefined ? [as("self")] : [as("self"), ...more];
  }
  const byDevice =
    out === undefined
      ? []
      : [sides.a, sides.b].flatMap((s) => behind(s, sides.family, out)).map((address) => as({ address }));
  const free = sides.destinations.filter(
    (d) =>
      (hint.protocol === undefined || hint.dport !== undefined || d.protocol === hint.protocol) &&
      (typeof d.to === "string" || !covers(notDst, d.to.address)) &&
      !(local === false && d.to === "self"),
  );
  return [...byDevice, ...free];
}

/** Somebody whom the node reaches by this device. */
function behind(side: Side, family: Family, device: string): readonly Address[] {
  const found = side.node.devices.items.find((d) => d.name === device);
  const nets = found?.addresses.filter((a) => familyOf(a.prefix.address) === family && !isHost(a.prefix)) ?? [];
  return nets.slice(0, 2).map((n) => inside(n.prefix, [n.prefix.address, ...podAddresses(side, family)]));
}
