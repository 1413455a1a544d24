import {
  between,
  type ConntrackTuple,
  type Hook,
  type NatFlags,
  type Packet,
  type Port,
  portKey,
} from "../../model/index.ts";
import {
  type Address,
  bytesOf,
  compareAddress,
  hasPorts,
  isIcmp,
  isIpv4,
  lowBitsOf,
  offset,
  type PortRange,
  PROTO,
} from "../../net/index.ts";
import type { TableVerdict } from "../iptables/ipt-do-table.ts";
import { jhash } from "../kernel/jhash.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { excludePort, portInRange } from "../kernel/ports.ts";
import type { Skb } from "../kernel/skb.ts";
import { spoilChecksum } from "../tunnel/udp-checksum.ts";
import { type Conntrack, invertTuple, type Tuple } from "./nf-conntrack.ts";
import { zoneId } from "./nf-conntrack-zone.ts";

export type Manip = "source" | "destination";

export const manipOf = (hook: Hook): Manip => (hook === "PREROUTING" || hook === "OUTPUT" ? "destination" : "source");

/** struct nf_nat_range2 as rules ask for it. */
export interface NatWish {
  readonly addresses?: { readonly from: Address; readonly to: Address };
  readonly ports?: PortRange;
  /** NF_NAT_RANGE_PROTO_OFFSET: the asked port less this one counts from the first of the range. */
  readonly basePort?: number;
  readonly flags?: Partial<NatFlags>;
}

export const natInitialised = (ct: Conntrack, manip: Manip): boolean =>
  manip === "source" ? ct.srcNatDone : ct.dstNatDone;

/** IPS_NAT_DONE_MASK: PREROUTING or OUTPUT decides the one side, POSTROUTING or INPUT the other. */
export const natFinished = (ct: Conntrack): boolean => ct.srcNatDone && ct.dstNatDone;

/** Follows nf_nat_setup_info(): decides one side of a connection's translation, once. */
export function natSetup(kernel: Kernel, ct: Conntrack, wish: NatWish, manip: Manip, byRule: boolean): void {
  const current = invertTuple(ct.tuple.reply);
  const next = uniqueTuple(kernel, current, wish, ct, manip);
  if (!sameTuple(current, next)) {
    kernel.conntrack.alterReply(ct, invertTuple(next));
    if (manip === "source") ct.srcNat = true;
    else ct.dstNat = true;
  }
  if (manip === "source") {
    ct.srcNatDone = true;
    if (byRule) ct.sourceRule = true;
  } else ct.dstNatDone = true;
}

/** nf_nat_alloc_null_binding(): no rule matched; keeps the address, but a taken tuple still moves the port. */
export function natNullBinding(kernel: Kernel, ct: Conntrack, manip: Manip): void {
  const keep = manip === "source" ? ct.tuple.reply.dst : ct.tuple.reply.src;
  natSetup(kernel, ct, { addresses: { from: keep, to: keep } }, manip, false);
}

const sameTuple = (a: Tuple, b: Tuple): boolean =>
  a.src === b.src && a.dst === b.dst && portKey(a.sport) === portKey(b.sport) && portKey(a.dport) === portKey(b.dport);

/** Follows get_unique_tuple() (nf_nat_core.c). */
function uniqueTuple(kernel: Kernel, current: Tuple, wish: NatWish, ct: Conntrack, manip: Manip): Tuple {
  const taken = (t: Tuple) => kernel.conntrack.taken(invertTuple(t), ct.zone, ct);
  const random = wish.flags?.randomFully === true || wish.flags?.random === true;
  if (manip === "source" && !random) {
    if (inWish(kernel, current, wish, manip)) {
      if (!taken(current)) return current;
    } else {
      const same = currentMapping(kernel, current, wish, ct);
      if (same !== undefined && !taken(same)) return same;
    }
  }
  const address = pickAddress(current, wish, ct, manip);
  const moved: Tuple = manip === "source" ? { ...current, src: address } : { ...current, dst: address };
  if (!random) {
    if (wish.ports === undefined) {
      if (!taken(moved)) return moved;
    } else if (wish.basePort === undefined && portFits(kernel, moved, wish.ports, manip) && !taken(moved)) return moved;
  }
  return withPort(kernel, moved, wish, ct, manip, taken);
}

/** Follows find_appropriate_src(): what another connection of the same source has been given serves this one, too. */
function currentMapping(kernel: Kernel, current: Tuple, wish: NatWish, ct: Conntrack): Tuple | undefined {
  const { src, sport, protocol } = current;
  const shown = kernel.conntrack.dumped(
    ({ original: o }) => o.src === src && o.sport === sport && o.protocol === protocol,
  );
  for (const other of [...shown, ...kernel.conntrack.made]) {
    const { original, reply } = other.tuple;
    const same =
      other.srcNatDone &&
      zoneId(other.zone, "original") === zoneId(ct.zone, "original") &&
      original.protocol === current.protocol &&
      original.src === current.src &&
      portKey(original.sport) === portKey(current.sport);
    if (!same) continue;
    const mapped = invertTuple(reply);
    const result: Tuple = { ...current, src: mapped.src, sport: mapped.sport };
    if (inWish(kernel, result, wish, "source")) return result;
  }
  return undefined;
}

function inWish(kernel: Kernel, t: Tuple, wish: NatWish, manip: Manip): boolean {
  const address = manip === "source" ? t.src : t.dst;
  const { addresses } = wish;
  if (
    addresses !== undefined &&
    (compareAddress(address, addresses.from) < 0 || compareAddress(address, addresses.to) > 0)
  ) {
    return false;
  }
  return wish.ports === undefined || portFits(kernel, t, wish.ports, manip);
}

const natPort = (t: Tuple, manip: Manip): Port => (isIcmp(t.protocol) || manip === "source" ? t.sport : t.dport);
const portFits = (kernel: Kernel, t: Tuple, ports: PortRange, manip: Manip): boolean =>
  portInRange(kernel, natPort(t, manip), ports);

/**
 * Follows find_best_ips_proto(): a hash without a secret of the source and, unless `--persistent`, of the destination and the zone picks from
 * a range of addresses. The same client gets the same one, even after a reboot. Words are hashed as they lie in a little-endian machine.
 */
function pickAddress(current: Tuple, wish: NatWish, ct: Conntrack, manip: Manip): Address {
  const { addresses } = wish;
  if (addresses === undefined) return manip === "source" ? current.src : current.dst;
  const { from, to } = addresses;
  if (from === to) return from;
  const zone = zoneId(ct.zone, "original");
  const persistent = wish.flags?.persistent === true;
  const destination = bytesOf(current.dst);
  const word = (at: number): number =>
    destination[at]! | (destination[at + 1]! << 8) | (destination[at + 2]! << 16) | (destination[at + 3]! << 24);
  const source = [...bytesOf(current.src), ...new Array<number>(isIpv4(current.src) ? 12 : 0).fill(0)];
  let hash = jhash(source, persistent ? 0 : (word(destination.length - 4) ^ zone) >>> 0);
  // Each of the upper words of an IPv6 address, which a range leaves as they are, turns the hash on.
  if (!persistent) for (let at = 0; at < destination.length - 4; at += 4) hash = (hash ^ word(at)) >>> 0;
  // reciprocal_scale()
  const count = lowBitsOf(to) - lowBitsOf(from) + 1;
  return offset(from, Number((BigInt(hash) * BigInt(count)) >> 32n));
}

/** The offset is one of 16 bits, whichever of the two is larger. */
const shifted = (port: number, base: number, { from, to }: PortRange): number =>
  from + (((port - base) & 0xffff) % (to - from + 1));

/** nf_nat_l4proto_unique_tuple(): a port of the same class, from a random offset. */
function withPort(
  kernel: Kernel,
  t: Tuple,
  wish: NatWish,
  ct: Conntrack,
  manip: Manip,
  taken: (t: Tuple) => boolean,
): Tuple {
  // GRE without PPTP, IPIP and whatever has no ports stay as they are, taken or not.
  if (!hasPorts(t.protocol) && !isIcmp(t.protocol)) return t;
  const old = natPort(t, manip);
  let range = wish.ports;
  if (range === undefined) {
    // Without a port range a destination keeps its port; the id of an echo is looked for in either direction.
    if (manip === "destination" && !isIcmp(t.protocol)) return t;
    const low = typeof old === "number" ? old : old.from;
    range = isIcmp(t.protocol)
      ? { from: 0, to: 65535 }
      : low < 512
        ? { from: 1, to: 511 }
        : low < 1024
          ? { from: 600, to: 1023 }
          : { from: 1024, to: 65535 };
  }
  const withIt = (port: Port): Tuple =>
    isIcmp(t.protocol) || manip === "source" ? { ...t, sport: port } : { ...t, dport: port };
  if (range.from === range.to) {
    evictClosed(kernel, ct, withIt(range.from));
    return withIt(range.from);
  }
  if (wish.basePort !== undefined && typeof old === "number") return withIt(shifted(old, wish.basePort, range));
  const inside = range;
  const used = usedPorts(kernel, t, manip).filter((p) => isWithin(p, inside) && taken(withIt(p)));
  // All are taken: it gets one that is, and clashes with it when it is confirmed.
  const open = used.filter((p) => !isClosed(kernel.conntrack.find(invertTuple(withIt(p)), ct.zone)?.ct));
  if (open.length > range.to - range.from) return withIt(open[0]!);
  const port = kernel.network.newPort("nat", range.from, range.to);
  // One that is taken is passed over.
  for (const other of used) if (typeof other === "number") excludePort(kernel, port, other);
  return withIt(port);
}

const isWithin = (p: Port, { from, to }: PortRange): boolean =>
  typeof p === "number" ? p >= from && p <= to : p.from >= from && p.to <= to;

const isClosed = (ct: Conntrack | undefined): boolean => ct?.tcpState === "TIME_WAIT" || ct?.tcpState === "CLOSE";

const SEQUENCE = [
  { label: "has advanced", share: 1 / 2 },
  { label: "has not advanced", share: 1 / 2 },
];

/**
 * nf_nat_used_tuple_harder() and nf_nat_may_kill(): a SYN for which only one port is left takes it from a translated connection that is closed, if its sequence number is
 * past that one's (nf_seq_has_advanced()). Absent in 6.1, there in 6.12.
 */
function evictClosed(kernel: Kernel, ct: Conntrack, t: Tuple): void {
  if (t.protocol !== PROTO.tcp || ct.tcpState !== "SYN_SENT" || !kernelAtLeast(kernel, 6, 12)) return;
  const found = kernel.conntrack.find(invertTuple(t), ct.zone);
  if (found === undefined || found.ct === ct || found.direction !== "reply" || !found.ct.srcNat) return;
  if (!isClosed(found.ct)) return;
  if (kernel.oracle.chance(`${kernel.name}/sequence`, SEQUENCE) === 0) kernel.conntrack.remove(found.ct);
}

/** Ports of other connections that this one might clash with, each once: of a dump's those between the same ends. */
const usedPorts = (kernel: Kernel, t: Tuple, manip: Manip): readonly Port[] => {
  const { src, dst } = invertTuple(t);
  const isBetween = (u: ConntrackTuple): boolean => u.src === src && u.dst === dst;
  const shown = kernel.conntrack.dumped(
    (e) => e.original.protocol === t.protocol && (isBetween(e.reply) || isBetween(e.original)),
  );
  return [
    ...new Set(
      [...shown, ...kernel.conntrack.made].flatMap(({ tuple: { original, reply } }) => {
        const ports = [original, invertTuple(reply)].map((u) => natPort(u, manip));
        return original.protocol === t.protocol ? ports : [];
      }),
    ),
  ];
};

/**
 * Applies a connection's translation to a packet at this hook. Follows nf_nat_packet(): in the reply direction the
 * roles are swapped, so PREROUTING restores the destination of what was source-translated.
 */
export function natPacket(kernel: Kernel, skb: Skb, ct: Conntrack, hook: Hook, decided?: TableVerdict): void {
  const manip = manipOf(hook);
  const forward = skb.ctDirection === "original";
  const active = (manip === "source") === forward ? ct.srcNat : ct.dstNat;
  if (forward && manip === "source" && ct.sourceRule) skb.masqueraded = true;
  if (!active) return;
  const target = invertTuple(ct.tuple[forward ? "reply" : "original"]);
  const before = skb.packet;
  const after = mangle(before, target, manip);
  if (samePacket(before, after)) return;
  skb.packet = after;
  if (skb.checksumLeft && before.carried?.tunnel === "vxlan") spoilChecksum(kernel, skb);
  if (kernel.recording)
    kernel.record(skb, {
      kind: "nat",
      stack: kernel.name,
      packet: after,
      before,
      manip,
      hook,
      decision: decided?.decision ?? { kind: forward ? "nat-connection" : "nat-undone" },
      ...(decided?.rule !== undefined && { by: decided.rule }),
      ...(decided?.origin !== undefined && { origin: decided.origin }),
    });
  else kernel.meet(skb, decided?.origin);
}

function mangle(p: Packet, target: Tuple, manip: Manip): Packet {
  if (p.icmp !== undefined) {
    const icmp = { ...p.icmp, id: target.sport };
    return manip === "source" ? { ...p, src: target.src, icmp } : { ...p, dst: target.dst, icmp };
  }
  return manip === "source"
    ? between(p, target.src, target.sport, p.dst, p.dport)
    : between(p, p.src, p.sport, target.dst, target.dport);
}

const samePacket = (a: Packet, b: Packet): boolean =>
  a.src === b.src &&
  a.dst === b.dst &&
  portKey(a.sport) === portKey(b.sport) &&
  portKey(a.dport) === portKey(b.dport) &&
  portKey(a.icmp?.id ?? 0) === portKey(b.icmp?.id ?? 0);

/**
 * Follows nf_nat_icmp_reply_translation(): the quoted packet is turned back first, then the outer header. The manip
 * runs when the inner packet's translation of this hook's opposite type is in force.
 */
export function natIcmpError(kernel: Kernel, skb: Skb, ct: Conntrack, hook: Hook): void {
  const inner = skb.packet.icmp?.inner;
  if (inner === undefined || skb.packet.icmp === undefined) return;
  const manip = manipOf(hook);
  const forward = skb.ctDirection === "original";
  const active = (manip === "source") === forward ? ct.srcNat : ct.dstNat;
  if (!active) return;
  const before = skb.packet;
  // The quoted packet ran the other way: its opposite side is what this hook's translation turns back.
  const other = ct.tuple[forward ? "reply" : "original"];
  const quoted = mangle(inner, other, manip === "source" ? "destination" : "source");
  const outerTarget = invertTuple(other);
  const outer = manip === "source" ? { ...before, src: outerTarget.src } : { ...before, dst: outerTarget.dst };
  skb.packet = { ...outer, icmp: { ...skb.packet.icmp, inner: quoted } };
  if (kernel.recording)
    kernel.record(skb, {
      kind: "nat",
      stack: kernel.name,
      packet: skb.packet,
      before,
      manip,
      hook,
      decision: { kind: "nat-icmp" },
    });
}
