import {
  type Absence,
  type Decision,
  type Device,
  isEthernet,
  type LostDiscovery,
  type Neighbour,
} from "../../model/index.ts";
import { type Address, contains, formatAddress, type Ipv6, isIpv4, type Mac, parseMac } from "../../net/index.ts";
import { icmpSend } from "../ip/icmp-send.ts";
import { ICMPV6, icmpv6Send, UNREACH } from "../ipv6/icmpv6-send.ts";
import { ndiscSolicit, type Solicited } from "../ipv6/ndisc.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import type { Skb } from "../kernel/skb.ts";
import { devConf } from "../kernel/sysctl.ts";
import { refuseUnwalked } from "../nft/bridge-hook.ts";
import { isLocalAddress } from "../route/fib.ts";
import { inetSelectAddr, SCOPE_LINK } from "../route/inet-select-addr.ts";
import { noteNeighbour } from "../route/neighbour-state.ts";

/** The MAC the underlay answers with: frames to it are delivered by who owns the destination address. */
export const FABRIC_MAC = "fabric";

/** Devices that never ask: no link-layer addresses, or IFF_NOARP. */
export const isNoArp = (device: Device): boolean =>
  device.flags?.includes("NOARP") === true || device.kind === "dummy" || !isEthernet(device);

/** Follows ip_finish_output2() and neigh_resolve_output(): fills in the MACs. False: the packet is over. */
export function neighbourResolve(kernel: Kernel, skb: Skb, out: Device): boolean {
  if (out.mac !== undefined) skb.sourceMac = out.mac;
  if (isNoArp(out)) {
    skb.destinationMac = undefined;
    return true;
  }
  const target = skb.route?.gateway ?? skb.packet.dst;
  const known = entryFor(kernel, out, target);
  if (known?.states.includes("PERMANENT") && known.mac !== undefined)
    return resolved(kernel, skb, out, target, known.mac, "static");
  if (isEnslaved(kernel, out)) return failed(kernel, skb, out, target);
  const { answers, lost, late } = isIpv4(target)
    ? arpAnswersTo(kernel, out, target, skb)
    : ndAnswersTo(kernel, out, target, skb);
  if (answers.length === 0 && late !== undefined) {
    const decision: Decision = { kind: "proxy-late", address: target, stack: late.stack, device: late.device };
    kernel.drop(skb, "neighbour", "NEIGH_QUEUED", decision);
    return false;
  }
  if (answers.length === 0) {
    const last = skb.route?.gateway === undefined;
    const absence = last ? kernel.network.absence(kernel, out, target) : undefined;
    if (absence !== undefined) return failed(kernel, skb, out, target, known, absence);
    if (known?.mac !== undefined && !isFailed(known)) return resolved(kernel, skb, out, target, known.mac, "resolved");
    return failed(kernel, skb, out, target, undefined, undefined, lost);
  }
  const unshown = answers.length === 1 && answers[0] === FABRIC_MAC;
  if (unshown && known !== undefined && isFailed(known) && staysSilent(kernel, out, known))
    return failed(kernel, skb, out, target, known);
  // neigh_resolve_output(): who is known (NUD_CONNECTED) is not asked for, though he may have another MAC by now.
  if (known?.mac !== undefined && isConnected(known) && answers.every((mac) => isShown(mac) && mac !== known.mac))
    return resolved(kernel, skb, out, target, known.mac, "static");
  const options = answers.map((mac) => ({ label: mac, share: 1 / answers.length }));
  const pick = answers.length === 1 ? 0 : kernel.oracle.chance(`${kernel.name}/arp/${formatAddress(target)}`, options);
  if (failing.get(kernel) === keyOf(out, target)) return failed(kernel, skb, out, target);
  // Whoever of several was heard first stays known.
  if (answers.length > 1) kernel.network.learn(kernel, out, target, answers[pick]!);
  return resolved(kernel, skb, out, target, answers[pick]!, "resolved");
}

/** Whether a packet goes out at once, and waits for no neighbour to answer. */
export function isKnown(kernel: Kernel, skb: Skb, out: Device): boolean {
  if (isNoArp(out)) return true;
  const target = skb.route?.gateway ?? skb.packet.dst;
  const entry = entryFor(kernel, out, target);
  return (entry?.mac !== undefined && !isFailed(entry)) || kernel.network.learnt(kernel, out, target) !== undefined;
}

function arpAnswersTo(kernel: Kernel, out: Device, target: Address, skb: Skb): Solicited {
  refuseUnwalked(kernel, "arp", "neighbour");
  const sender = arpSource(kernel, out, skb, target);
  return kernel.network.resolve(kernel, out, target, sender, skb);
}

function whileAsking<T>(asking: Set<string>, key: string, ask: () => T): T {
  try {
    return ask();
  } finally {
    asking.delete(key);
  }
}

const asked = new WeakMap<Kernel, Set<string>>();

const keyOf = (out: Device, target: Address): string => `${out.name} ${formatAddress(target)}`;

/** neigh_invalidate(): the neighbour that has just failed. An error about it that is to go to that very neighbour waits for it, and is thrown away with all that waits (__skb_queue_purge()). */
const failing = new WeakMap<Kernel, string | undefined>();

function ndAnswersTo(kernel: Kernel, out: Device, target: Ipv6, skb: Skb): Solicited {
  const learnt = kernel.network.learnt(kernel, out, target);
  if (learnt !== undefined) return { answers: [learnt] };
  const key = keyOf(out, target);
  const asking = memo(asked, kernel, () => new Set<string>());
  // __neigh_event_send(): what needs a neighbour that is being asked for waits for it, the question itself too.
  if (asking.has(key)) return { answers: [] };
  asking.add(key);
  const solicited = whileAsking(asking, key, () => ndiscSolicit(kernel, out, target, skb));
  if (solicited.answers.length === 1) kernel.network.learn(kernel, out, target, solicited.answers[0]!);
  if (solicited.answers.length > 0 || solicited.lost !== undefined || solicited.late !== undefined) return solicited;
  return { answers: [...kernel.network.unanswered(kernel, out, target, skb)] };
}

/** What comes in by a port is its bridge's, ARP replies included (br_handle_frame()): neighbours of the port itself stay unresolved. */
const isEnslaved = (kernel: Kernel, { master }: Device): boolean =>
  master !== undefined && ["bridge", "bond", "team"].includes(kernel.device(master)?.kind ?? "");

/** A MAC that a dump shows, not a name for one. */
const isShown = (mac: Mac): boolean => parseMac(mac) !== undefined;

const isConnected = (n: Neighbour): boolean => n.states.includes("REACHABLE") || n.states.includes("NOARP");

export const isFailed = (n: Neighbour): boolean => n.states.includes("FAILED") || n.states.includes("INCOMPLETE");

/** NUD_INCOMPLETE: he was asked that very moment, and whether he answered is not shown. */
const staysSilent = (kernel: Kernel, out: Device, { states, address }: Neighbour): boolean =>
  states.includes("FAILED") ||
  kernel.oracle.fact({ kind: "neighbour", stack: kernel.name, device: out.name, address }, ["silent", "answers"]) ===
    "silent";

function entryFor(kernel: Kernel, out: Device, target: Address): Neighbour | undefined {
  return kernel.stack.neighbours.items.find((n) => n.device === out.name && !n.proxy && n.address === target);
}

function resolved(
  kernel: Kernel,
  skb: Skb,
  out: Device,
  target: Address,
  mac: string,
  result: "resolved" | "static",
): true {
  skb.destinationMac = mac;
  if (result === "resolved") noteNeighbour(kernel, out, target, "REACHABLE");
  if (kernel.recording)
    kernel.record(skb, {
      kind: "arp",
      stack: kernel.name,
      packet: skb.packet,
      device: out.name,
      target,
      result,
      mac,
      decision: { kind: "neighbour", address: target, mac },
    });
  return true;
}

/**
 * An entry that still has the MAC of somebody who is gone is sent to without asking until it is probed (STALE, DELAY, PROBE: some eight
 * seconds): those packets are lost without a word.
 */
function failed(
  kernel: Kernel,
  skb: Skb,
  out: Device,
  target: Address,
  entry?: Neighbour,
  absence?: Absence,
  lost?: LostDiscovery,
): false {
  noteNeighbour(kernel, out, target, "FAILED");
  const silent = entry?.mac !== undefined && !isFailed(entry);
  const decision: Decision = {
    kind: "no-neighbour",
    address: target,
    device: out.name,
    ...(entry !== undefined && isFailed(entry) && { states: entry.states }),
    ...(absence !== undefined && { absence }),
    ...(lost !== undefined && { lost }),
  };
  if (kernel.recording)
    kernel.record(skb, {
      kind: "arp",
      stack: kernel.name,
      packet: skb.packet,
      device: out.name,
      target,
      result: "no answer",
      decision,
    });
  const outer = failing.get(kernel);
  if (!silent && outer !== keyOf(out, target)) {
    failing.set(kernel, keyOf(out, target));
    if (isIpv4(skb.packet.dst)) icmpSend(kernel, skb, 3, 1, decision);
    else icmpv6Send(kernel, outOf(skb, out), ICMPV6.unreachable, UNREACH.address, decision);
    failing.set(kernel, outer);
  }
  const origins = [
    ...(entry === undefined ? [] : [entry.origin]),
    ...(absence?.origins ?? []),
    ...(lost?.origins ?? []),
  ];
  kernel.drop(skb, "neighbour", "NEIGH_FAILED", decision, origins);
  return false;
}

/** ip6_output(): from there on an own packet is of the device it leaves by, though it came in by none (IP6CB(skb)->iif). */
const outOf = (skb: Skb, out: Device): Skb => (skb.dev === undefined ? { ...skb, dev: out, iif6: "none" } : skb);

/** Follows inet_addr_onlink(): whether both addresses are in one subnet of the device. */
const inetAddrOnlink = ({ addresses }: Device, a: Address, b: Address): boolean =>
  addresses.some(({ prefix, peer }) => contains(peer ?? prefix, a) && contains(peer ?? prefix, b));

/** Follows arp_solicit(): which address the request claims to come from, by arp_announce. */
function arpSource(kernel: Kernel, out: Device, skb: Skb, target: Address): Address | undefined {
  const { src } = skb.packet;
  const announce = Number(devConf(kernel, "arp_announce", out.name).value);
  if (announce === 0 && isLocalAddress(kernel, src)) return src;
  if (announce === 1 && isLocalAddress(kernel, src) && inetAddrOnlink(out, target, src)) return src;
  return inetSelectAddr(kernel, out, target, SCOPE_LINK)?.address;
}
