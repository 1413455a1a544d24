import { hostText, type ObservedConnection, partOf, type Sighting } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import type { Device, ObservedPacket, Origin, Stack, Symptom } from "../../../model/index.ts";
import { isHostName } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { delivers, leavesNode, shownStacks, suspect } from "../claim.ts";
import { bestRoute, isOnPath } from "../same-path.ts";

/** Bytes that a tunnel puts around what it carries, over IPv4. */
const OVERHEAD: Readonly<Record<string, number>> = lookup({
  vxlan: 50,
  geneve: 50,
  ipip: 20,
  gre: 24,
  wireguard: 60,
  sit: 20,
});

/** Segments larger than this do not pass where small ones do. */
const LARGE = 1000;

/** More than this is not on the way at once: numbers so far apart are not counted from one beginning. */
const WINDOW = 65_536;

/** Sent twice may be chance. */
const AGAIN = 3;

/** A connection that came about, and whose large segments are sent again and again. */
function stalledBy({ protocol, sightings }: ObservedConnection): Sighting | undefined {
  if (protocol !== PROTO.tcp || !sightings.some((s) => s.role === "syn-ack")) return undefined;
  return sightings.find((s) => s.role === "data" && s.times >= AGAIN && (s.ip.payload ?? 0) >= LARGE);
}

/**
 * A connection in which bytes are missing: something later arrived, and what lies before, full segments of it, did not. Guard: a capture that began in the middle,
 * or dropped packets itself, has holes too, so that a hole counts only right behind what was seen.
 */
function holeIn({ protocol, sightings }: ObservedConnection): Sighting | undefined {
  if (protocol !== PROTO.tcp || !sightings.some((s) => s.role === "syn-ack")) return undefined;
  const next = new Map<string, number>();
  for (const s of sightings) {
    const { seq } = s.ip.tcp ?? {};
    if (seq === undefined) continue;
    const way = hostText(s.ip.src);
    if (s.role === "syn" || s.role === "syn-ack") {
      next.set(way, seq + 1);
      continue;
    }
    const expected = next.get(way);
    if (s.role !== "data" || expected === undefined) continue;
    const gap = seq - expected;
    if (gap >= LARGE && gap < WINDOW && !isFilled(s, sightings, expected)) return s;
    next.set(way, Math.max(expected, seq + (s.ip.payload ?? 0)));
  }
  return undefined;
}

/** What was missing was seen later on. */
const isFilled = ({ ip }: Sighting, sightings: readonly Sighting[], from: number): boolean =>
  sightings.some((s) => s.ip.tcp?.seq === from && hostText(s.ip.src) === hostText(ip.src) && (s.ip.payload ?? 0) > 0);

interface TooSmall {
  readonly stack: Stack;
  readonly tunnel: Device;
  readonly below: Device;
}

/** The device that a route through a tunnel leaves by in the end: its gateway is the other end of the tunnel (IPIP, with `onlink`). */
function routedBy(stack: Stack, tunnel: Device): Device | undefined {
  if (tunnel.kind !== "ipip" && tunnel.kind !== "gre") return undefined;
  const ends = stack.routeTables.flatMap((t) =>
    t.routes.flatMap((r) =>
      r.nexthops.flatMap((h) => (h.device === tunnel.name && h.gateway !== undefined ? [h.gateway] : [])),
    ),
  );
  const names = ends.flatMap((end) => bestRoute(stack, end)?.nexthops.flatMap((h) => h.device ?? []) ?? []);
  return stack.devices.items.find((d) => d !== tunnel && names.includes(d.name));
}

/** A tunnel that lets packets in which do not fit the card below once it has wrapped them. */
function tooSmall(stack: Stack): TooSmall | undefined {
  for (const tunnel of stack.devices.items) {
    const overhead = OVERHEAD[tunnel.kind];
    // Most devices are none: of a hundred pods each would be held against all others.
    if (overhead === undefined) continue;
    const local = tunnel.tunnel?.local;
    const below =
      stack.devices.items.find(
        (d) =>
          d !== tunnel &&
          OVERHEAD[d.kind] === undefined &&
          (d.name === tunnel.lower ||
            (local !== undefined && d.addresses.some((a) => formatAddress(a.prefix.address) === formatAddress(local)))),
      ) ?? routedBy(stack, tunnel);
    if (tunnel.mtu === undefined || below?.mtu === undefined) continue;
    if (tunnel.mtu + overhead > below.mtu) return { stack, tunnel, below };
  }
  return undefined;
}

/**
 * Small packets pass and large ones do not. Guard: an MTU that does not add up is a sign only where a stall was seen: the kernel
 * may fragment, or learn the path's MTU.
 */
export const mtuBlackhole: Sign = {
  codes: ["MTU_BLACKHOLE"],
  detect: (look) => {
    const to = formatAddress(look.question.to);
    const again = look.connections
      .filter(
        ({ request: { dst }, sightings }) =>
          hostText(dst) === to ||
          sightings.some((s) => hostText(s.ip.dst) === to) ||
          (!isHostName(dst) && isOnPath(look, dst)),
      )
      .flatMap((c) => {
        const s = stalledBy(c) ?? holeIn(c);
        return s === undefined ? [] : [s];
      })[0];
    const stalled = look.testimonies.find((t) => t.outcome === "stalled");
    const size = shownStacks(look).flatMap((s) => tooSmall(s) ?? [])[0];
    const observed = again?.origin ?? stalled?.origin;
    if (size !== undefined && observed !== undefined) return [byTunnel(size, observed, "inferred")];
    const cut = fragmentOf(look);
    if (cut !== undefined) return [fragments(look, cut)];
    if (again !== undefined) return [plain(look, again.origin)];
    const pinged = largeLost(look);
    if (pinged !== undefined) return [bySize(look, pinged)];
    // By the asker's word it connects and hangs, and no walk says why.
    const known = look.testimonies.find((t) => t.byAsker === true && t.outcome === "stalled");
    if (known !== undefined && delivers(look) && leavesNode(look)) return [plain(look, known.origin)];
    // Some failure, and sizes that do not add up: a client that was given up may have waited for a large answer.
    const waiting = look.testimonies.find((t) => t.outcome === "waiting");
    return size === undefined || waiting === undefined ? [] : [byTunnel(size, waiting.origin, "possible")];
  },
};

interface Pinged {
  readonly large: Symptom;
  readonly small: Symptom;
}

/** ping: a large packet to the asked host, or to one that the same route leads to, is lost, and a small one is answered. */
function largeLost(look: Look): Pinged | undefined {
  const pings = look.observations.symptoms.filter(
    ({ tool, target, size }) =>
      tool === "ping" &&
      size !== undefined &&
      target !== undefined &&
      !isHostName(target) &&
      (target === look.question.to || isOnPath(look, target)),
  );
  for (const large of pings) {
    if (large.result !== "timeout" || (large.size ?? 0) < LARGE) continue;
    const small = pings.find(
      (p) => p.result === "ok" && p.target === large.target && (p.size ?? 0) < (large.size ?? 0),
    );
    if (small !== undefined) return { large, small };
  }
  return undefined;
}

const bySize = ({ question }: Look, { large, small }: Pinged): ClaimedCause =>
  suspect({
    code: "MTU_BLACKHOLE",
    stack: question.client,
    summary: text("cause.mtu_blackhole.pinged", { large: large.size ?? 0, small: small.size ?? 0 }),
    evidence: [large.origin, small.origin],
    step: "mtu",
    check: { text: text("check.mtu"), command: shell`tracepath -n ${formatAddress(question.to)}` },
  });

/** A tunnel's packet that carries the asked flow and had to be cut into pieces. */
const fragmentOf = ({ flow, observations }: Look): ObservedPacket | undefined =>
  observations.packets.find(({ ip }) => {
    const carried = ip?.inner?.ip;
    if (ip?.tunnel === undefined || carried === undefined || partOf(flow, carried)?.own !== true) return false;
    return ip.fragment === true || (carried.missing ?? 0) > 0;
  });

/** Guard: a fragmented tunnel may work all the same; it is more than a suspicion only where large data was seen to hang. */
const fragments = ({ testimonies }: Look, { ip, place, origin }: ObservedPacket): ClaimedCause => {
  const stalls = testimonies.some((t) => t.outcome === "stalled");
  return suspect({
    code: "MTU_BLACKHOLE",
    stack: place.node,
    certainty: stalls ? "inferred" : "possible",
    summary: text("cause.mtu_blackhole.fragments", { stack: place.node, bytes: ip?.inner?.ip?.payload ?? 0 }),
    evidence: [origin],
    step: "mtu",
    check: { text: text("check.mtu"), command: "ip -d link; ping -M do -s 1450 OTHER-NODE" },
  });
};

const byTunnel = (
  { stack, tunnel, below }: TooSmall,
  found: Origin,
  certainty: "inferred" | "possible",
): ClaimedCause =>
  suspect({
    code: "MTU_BLACKHOLE",
    stack: stack.name,
    certainty,
    summary: text(certainty === "inferred" ? "cause.mtu_blackhole.tunnel" : "cause.mtu_blackhole.sizes", {
      stack: stack.name,
      tunnel: tunnel.name,
      mtu: tunnel.mtu ?? 0,
      below: below.name,
      limit: below.mtu ?? 0,
    }),
    evidence: [tunnel.origin, below.origin, found],
    step: "mtu",
    check: { text: text("check.mtu"), command: shell`ip link show ${tunnel.name}; ip link show ${below.name}` },
  });

const plain = ({ question }: Look, sighted: Origin): ClaimedCause =>
  suspect({
    code: "MTU_BLACKHOLE",
    stack: question.client,
    summary: text(sighted.kind === "read" ? "cause.mtu_blackhole.stall" : "cause.mtu_blackhole.told"),
    evidence: [sighted],
    step: "mtu",
    check: { text: text("check.mtu"), command: shell`ping -M do -s 1400 ${formatAddress(question.to)}` },
  });
