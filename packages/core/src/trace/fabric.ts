import { fibLookup } from "../datapath/fib.ts";
import { decapsulate } from "../datapath/iptunnel.ts";
import type { Kernel } from "../datapath/kernel.ts";
import { Undetermined } from "../datapath/oracle.ts";
import { portInRange } from "../datapath/ports.ts";
import { isRouteError } from "../datapath/route-result.ts";
import type { Skb } from "../datapath/skb.ts";
import { devConf } from "../datapath/sysctl.ts";
import { VXLAN_OVERHEAD, vxlanPort, vxlanVni } from "../datapath/vxlan.ts";
import {
  type Carried,
  type Device,
  type FabricDeny,
  type LoadBalancer,
  type Packet,
  portKey,
  type RealServer,
  type World,
} from "../model/index.ts";
import { type Address, contains, formatAddress, hasPorts, PROTO, parsePrefix, sameAddress } from "../net/index.ts";
import { farEndOf, underlayAddress } from "./far-end.ts";
import { type Owner, onDevice, ownerOf } from "./owners.ts";
import { NeedsHost } from "./synthesise.ts";
import { isTunnel, type Place } from "./topology.ts";
import { balancedTo } from "./unknown-balancer.ts";
import type { Walk } from "./walk.ts";

/** A connection through a load balancer, to be undone for the answer. */
interface Balanced {
  readonly balancer: LoadBalancer;
  readonly target: string;
  readonly asked: Packet;
  readonly sent: Packet;
}

/** Addresses, ports and protocol of a packet, or of what would answer it. */
function flowKey(p: Packet, way: "forth" | "back"): string {
  const ends = [`${formatAddress(p.src)} ${portKey(p.sport)}`, `${formatAddress(p.dst)} ${portKey(p.dport)}`];
  return [p.protocol, ...(way === "forth" ? ends : ends.reverse())].join(" > ");
}

/**
 * The underlay nobody dumped: delivers by who owns the destination address. Its behaviours (source check, load
 * balancers, egress translation, firewalls) are facts of the World that the user can change.
 */
export class Fabric {
  readonly #walk: Walk;
  readonly #balanced: Balanced[] = [];
  readonly #egress: { readonly inside: Packet; readonly outside: Packet }[] = [];
  /** Who has called whom: what goes the other way is an answer. */
  readonly #flows = new Set<string>();

  /**
   * A client of whom only an address is known and that called an address nobody owns (a Service's) reaches it through
   * one node: it is taken to be attached there, and answers go back by that node.
   */
  #attached: { readonly address: Address; readonly node: Kernel } | undefined;

  /** Whoever answered the outside client's ARP request. */
  #answered: Place | undefined;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  carry(kernel: Kernel, device: Device, skb: Skb): void {
    const { world } = this.#walk;
    const denied = world.fabric.deny.find((d) => denies(kernel, d, skb.packet));
    if (denied !== undefined) {
      kernel.drop(skb, "fabric", "FABRIC_DENY", "the fabric's firewall denies it", [world.fabric.origin]);
      return;
    }
    if (this.#checksSource() && !isTunnel(device) && !this.#owns(kernel, device, skb.packet.src)) {
      kernel.drop(
        skb,
        "fabric",
        "FABRIC_SRC_DST_CHECK",
        `${device.name} does not own the source ${formatAddress(skb.packet.src)} and the fabric checks it`,
        [world.fabric.origin],
      );
      return;
    }
    if (skb.packet.carried !== undefined && this.#lacksFarEnd(skb.packet.dst)) {
      this.#unwrapUnseen(kernel, skb, skb.packet.carried);
      this.#toOwner(kernel, device, skb);
      return;
    }
    const answered = this.#undo(kernel, skb) || this.#flows.has(flowKey(skb.packet, "back"));
    if (!answered) {
      this.#flows.add(flowKey(skb.packet, "forth"));
      this.#translateEgress(kernel, skb);
    }
    if (this.#balance(kernel, skb)) return;
    this.#toOwner(kernel, device, skb);
  }

  /** Does a tunnel's packet go to a node of which nothing was shown? */
  #lacksFarEnd(address: Address): boolean {
    const owner = ownerOf(this.#walk.world, address);
    return owner === undefined || owner.stack.assumed !== undefined;
  }

  #unwrapUnseen(kernel: Kernel, skb: Skb, carried: Carried): void {
    const shown = formatAddress(skb.packet.dst);
    this.#walk.oracle.assume(
      `fabric/tunnel/${shown}`,
      "delivers",
      `${shown}, of which nothing was shown, takes the packet out of the tunnel and hands it on`,
    );
    decapsulate(skb, carried);
    this.#note(kernel, skb, `${shown} takes it out of the tunnel`);
  }

  /** A stack got a tunnel's packet and its tunnel devices were not shown: it comes out where its answer would go in. */
  unwrap(kernel: Kernel, skb: Skb): void {
    const { carried } = skb.packet;
    if (carried === undefined) return;
    const outer = skb.packet;
    decapsulate(skb, carried);
    const place = this.#byRouteBack(kernel, skb, NOWHERE);
    if (place === undefined) {
      const reason = `${kernel.name} got a packet in ${carried.tunnel} from ${formatAddress(outer.src)}, and its devices were not shown`;
      throw new Undetermined(kernel.name, "tunnel", reason);
    }
    this.#note(kernel, skb, `${kernel.name} takes it out of the tunnel`);
    this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), false);
  }

  /**
   * Somebody who was not shown sends through a tunnel: his node wraps the packet, and it reaches the tunnel's near end by
   * the underlay. False: too little of the tunnel was shown to say how.
   */
  #wrapFor({ kernel, device }: Place, skb: Skb): Place | undefined {
    if ((device.kind !== "vxlan" && device.kind !== "ipip") || skb.packet.carried !== undefined) return undefined;
    const remote = this.#remoteBehind(kernel, device, skb.packet.src);
    if (remote === undefined) return undefined;
    const local = underlayAddress(kernel.stack, device);
    const near = kernel.stack.devices.items.find(
      (d) => isUnderlay(d) && d.addresses.some((a) => local !== undefined && sameAddress(a.prefix.address, local)),
    );
    if (local === undefined || near === undefined || sameAddress(local, remote)) return undefined;
    const link = this.#walk.topology.linkOf(kernel.name, near.name);
    if (link !== undefined && link.type !== "fabric") return undefined;
    const inner = skb.packet;
    const vxlan = device.kind === "vxlan";
    const vni = vxlan ? vxlanVni(device) : undefined;
    skb.wrapped = [...(skb.wrapped ?? []), skb.masqueraded];
    skb.masqueraded = false;
    skb.packet = {
      ...inner,
      src: remote,
      dst: local,
      protocol: vxlan ? PROTO.udp : PROTO.ipip,
      sport: vxlan ? this.#walk.newPort("vxlan", 32768, 60999) : 0,
      dport: vxlan ? vxlanPort(device) : 0,
      tcpFlags: 0,
      ttl: vxlan ? 64 : inner.ttl,
      tos: inner.tos & 3,
      length: inner.length + (vxlan ? VXLAN_OVERHEAD : 20),
      df: vxlan ? false : inner.df,
      carried: { tunnel: vxlan ? "vxlan" : "ipip", packet: inner, ...(vni !== undefined && { vni }) },
    };
    const { icmp: _, ...outer } = skb.packet;
    skb.packet = outer;
    const denied = this.#walk.world.fabric.deny.some((d) => denies(kernel, d, outer));
    this.#note(kernel, skb, `${formatAddress(remote)} sends it to ${formatAddress(local)} in ${device.kind}`);
    if (denied) {
      kernel.drop(skb, "fabric", "FABRIC_DENY", "the fabric's firewall denies it", [this.#walk.world.fabric.origin]);
      return { kernel, device: NOWHERE };
    }
    return { kernel, device: near };
  }

  /** The far end of a tunnel towards an address, as the near side would send to it. */
  #remoteBehind(kernel: Kernel, device: Device, address: Address): Address | undefined {
    const back = fibLookup(kernel, { daddr: address, saddr: 0, iif: "lo", mark: 0, tos: 0, protocol: 0 });
    if (isRouteError(back) || back.device !== device) return undefined;
    if (device.tunnel?.remote !== undefined) return device.tunnel.remote;
    const hop = back.gateway ?? address;
    if (device.kind === "ipip") return back.gateway;
    const mac = kernel.stack.neighbours.items.find((n) => n.device === device.name && sameAddress(n.address, hop))?.mac;
    const entry = kernel.stack.fdb.items.find(
      (e) => e.device === device.name && e.mac === mac && e.destination !== undefined,
    );
    return entry?.destination ?? farEndOf(this.#walk.world, kernel.stack, device, hop, address);
  }

  #checksSource(): boolean {
    const { fabric } = this.#walk.world;
    if (fabric.open?.includes("srcDstCheck"))
      return this.#walk.oracle.fact("fabric/srcDstCheck", ["false", "true"]) === "true";
    return fabric.srcDstCheck;
  }

  /** What leaves for the outside carries a public address, so that what comes back is no own address of the sender. */
  #translateEgress(kernel: Kernel, skb: Skb): void {
    const { world } = this.#walk;
    const { packet } = skb;
    const { egressNat } = world.fabric;
    if (egressNat === undefined || kernel.stack.assumed !== undefined || isPrivate(packet.dst)) return;
    const owner = ownerOf(world, packet.dst);
    if (owner !== undefined && owner.stack.assumed === undefined) return;
    const outside: Packet = { ...packet, src: egressNat };
    this.#egress.push({ inside: packet, outside });
    skb.packet = outside;
    this.#note(kernel, skb, `egress is translated to ${formatAddress(egressNat)}`);
  }

  #owns(kernel: Kernel, device: Device, source: Address): boolean {
    if (device.addresses.some((a) => sameAddress(a.prefix.address, source))) return true;
    const owner = ownerOf(this.#walk.world, source);
    return owner !== undefined && owner.stack.name !== kernel.name
      ? owner.stack.node === kernel.name
      : owner?.kind !== "device";
  }

  /** An answer to what a load balancer or the egress translation rewrote. */
  #undo(kernel: Kernel, skb: Skb): boolean {
    const { packet } = skb;
    const back = this.#balanced.find(
      (b) =>
        sameAddress(b.sent.dst, packet.src) &&
        portKey(b.sent.dport) === portKey(packet.sport) &&
        sameAddress(b.sent.src, packet.dst) &&
        portKey(b.sent.sport) === portKey(packet.dport),
    );
    if (back !== undefined) {
      // A balancer that keeps the client's address undoes its translation too: the answer passes it on its way out.
      skb.packet = {
        ...packet,
        src: back.asked.dst,
        sport: back.asked.dport,
        dst: back.asked.src,
        dport: back.asked.sport,
      };
      this.#note(kernel, skb, `load balancer ${formatAddress(back.balancer.address)} answers the client`);
    }
    const egress = this.#egress.find(
      (e) => sameAddress(e.outside.src, skb.packet.dst) && sameAddress(e.outside.dst, skb.packet.src),
    );
    if (egress !== undefined) {
      skb.packet = { ...skb.packet, dst: egress.inside.src };
      this.#note(kernel, skb, "the egress translation is undone");
    }
    return back !== undefined || egress !== undefined;
  }

  /** A load balancer takes the packet. True: it is under way to one of its targets. */
  #balance(kernel: Kernel, skb: Skb): boolean {
    const { packet } = skb;
    const { world, oracle } = this.#walk;
    const balancer = world.loadBalancers.find((b) => sameAddress(b.address, packet.dst));
    if (balancer === undefined) return this.#balanceUnknown(kernel, skb);
    const port = balancer.ports.find((p) => p.port === packet.dport && p.protocol === packet.protocol);
    if (port === undefined) {
      kernel.drop(
        skb,
        "load balancer",
        "FABRIC_NO_OWNER",
        `load balancer ${formatAddress(balancer.address)} has no such port`,
        [balancer.origin],
      );
      return true;
    }
    const n = balancer.targets.length;
    if (n === 0) {
      kernel.drop(skb, "load balancer", "FABRIC_NO_OWNER", "the load balancer has no target", [balancer.origin]);
      return true;
    }
    // A connection stays with the target it began with.
    const begun = this.#balanced.find((b) => flowKey(b.asked, "forth") === flowKey(packet, "forth"));
    const options = balancer.targets.map((label) => ({ label, share: 1 / n }));
    const draw = () =>
      balancer.targets[n === 1 ? 0 : oracle.chance(`load-balancer/${formatAddress(balancer.address)}`, options)]!;
    const target = begun?.target ?? draw();
    const there = this.#walk.kernel(target);
    const device = there?.stack.devices.items.find((d) => isUnderlay(d) && d.addresses.length > 0);
    const address = device?.addresses.find((a) => typeof a.prefix.address === "number")?.prefix.address;
    if (there === undefined || device === undefined || address === undefined) {
      kernel.drop(skb, "load balancer", "FABRIC_NO_OWNER", `nothing is known of the target ${target}`, [
        balancer.origin,
      ]);
      return true;
    }
    const keeps =
      balancer.preserveClient === "?"
        ? oracle.fact(`load-balancer/${formatAddress(balancer.address)}/preserveClient`, ["true", "false"]) === "true"
        : balancer.preserveClient;
    const sent: Packet = {
      ...packet,
      dst: address,
      dport: port.targetPort,
      ...(keeps ? {} : { src: balancer.address, sport: begun?.sent.sport ?? this.#walk.newPort("lb", 1024, 65535) }),
    };
    if (begun === undefined) this.#balanced.push({ balancer, target, asked: packet, sent });
    skb.packet = sent;
    this.#note(
      kernel,
      skb,
      `load balancer ${formatAddress(balancer.address)} sends it to ${target}, ${keeps ? "keeping" : "replacing"} the client's address`,
      balancer.address,
    );
    this.#walk.arrive(there, device, withoutMacs(skb), true);
    return true;
  }

  /**
   * An address that kube-proxy calls a load balancer's, and of which nothing more is known: it may send the packet back to
   * the node it came from. Another node is taken to serve it.
   */
  #balanceUnknown(kernel: Kernel, skb: Skb): boolean {
    const { world, oracle } = this.#walk;
    const { packet } = skb;
    const origin = balancedTo(world, packet).get(kernel.name);
    const owner = ownerOf(world, packet.dst);
    if (origin === undefined || (owner !== undefined && owner.stack.assumed === undefined)) return false;
    const shown = formatAddress(packet.dst);
    if (oracle.fact(`load-balancer/${shown}/target`, [kernel.name, "another node"]) !== kernel.name) return false;
    const keeps = oracle.fact(`load-balancer/${shown}/preserveClient`, ["true", "false"]) === "true";
    const device = kernel.stack.devices.items.find((d) => isUnderlay(d) && d.addresses.length > 0);
    const address = device?.addresses.find((a) => typeof a.prefix.address === "number")?.prefix.address;
    const own = kernel.compiled.interfaceAddress(packet.src) !== undefined;
    if (!keeps || !own || device === undefined || address === undefined) {
      const reason = `load balancer ${shown} sends it back to ${kernel.name}, to a node port that is not known`;
      throw new Undetermined(kernel.name, "load balancer", reason, [origin]);
    }
    // Whatever the port: a packet from the node's own address ends at source validation, or the port is asked for.
    skb.packet = { ...packet, dst: address, dport: this.#walk.newPort("nodeport", 30000, 32767) };
    const decision = `load balancer ${shown} sends it back to ${kernel.name}, keeping the client's address`;
    this.#note(kernel, skb, decision, packet.dst);
    this.#walk.arrive(kernel, device, withoutMacs(skb), true);
    return true;
  }

  #toOwner(kernel: Kernel, device: Device, skb: Skb): void {
    const { world, question } = this.#walk;
    const { packet } = skb;
    const attached = this.#attached;
    if (attached !== undefined && sameAddress(attached.address, packet.dst) && attached.node !== kernel) {
      const place = this.#byRouteBack(attached.node, skb, device);
      if (place !== undefined) {
        this.#note(kernel, skb, `goes back by ${attached.node.name}, where the client's packets came in`);
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    if (this.#toNextHop(kernel, device, skb)) return;
    const owner = ownerOf(world, packet.dst);
    const drained = drainedServer(world, packet.dst);
    const unknown = owner === undefined || owner.stack.assumed !== undefined;
    if (
      unknown &&
      drained !== undefined &&
      this.#walk.oracle.fact(`endpoint/${formatAddress(packet.dst)}`, ["gone", "answers"]) === "gone"
    ) {
      const text = `${formatAddress(packet.dst)} was taken out of service (weight 0) and answers no more`;
      kernel.drop(skb, "fabric", "FABRIC_NO_OWNER", text, [drained.origin]);
      return;
    }
    // Sent from outside to an address no dumped stack owns (a Service address): it arrives where the user said, or at
    // the only node, whoever was made up beyond that node.
    const fromOutside = kernel.stack.assumed === "outside" && kernel.name === question.client;
    if (fromOutside && (owner === undefined || owner.stack.assumed !== undefined)) {
      const place = this.#entry(kernel, skb);
      if (place !== undefined) {
        this.#attached = { address: packet.src, node: place.kernel };
        this.#note(kernel, skb, `arrives at ${place.kernel.name} on ${place.device.name}`);
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    if (owner !== undefined && !(fromOutside && owner.stack.name === kernel.name)) {
      const straight = this.#arrival(owner, device, skb);
      const place =
        straight !== undefined && kernel.stack.assumed !== undefined
          ? (this.#wrapFor(straight, skb) ?? straight)
          : straight;
      if (place?.device === NOWHERE) return;
      if (place !== undefined) {
        this.#note(kernel, skb, `delivered to ${place.kernel.name} on ${place.device.name}`);
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    if (fromOutside) {
      const place = this.#answering(kernel, packet.dst);
      if (place !== undefined) {
        this.#note(kernel, skb, `${place.kernel.name} answers for it on ${place.device.name}`);
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    const virtual = onDevice(world, packet.dst);
    if (virtual !== undefined) {
      kernel.drop(
        skb,
        "fabric",
        "FABRIC_NO_OWNER",
        `${formatAddress(packet.dst)} is a virtual address that ${virtual.stack.name} has for itself: the underlay has no way to it`,
        virtual.kind === "device"
          ? virtual.device.addresses.filter((a) => sameAddress(a.prefix.address, packet.dst)).map((a) => a.origin)
          : [],
      );
      return;
    }
    const asked = sameAddress(packet.dst, question.to);
    if (fromOutside && asked && world.stacks.some((s) => s.kind === "node")) {
      const ends = `${formatAddress(packet.src)} and ${formatAddress(packet.dst)}`;
      const reason = `${ends} are both addresses of nobody who was shown, and which node lies between them is not known (--node)`;
      throw new Undetermined(kernel.name, "fabric", reason);
    }
    if (asked) this.#refuseGuess(kernel, skb);
    throw new NeedsHost({ kind: "far", address: packet.dst, as: asked ? "outside" : "endpoint" });
  }

  /**
   * A next hop that somebody has gets the packet, whoever has its destination (host-gw); one that nobody is known to have is
   * taken for a router that knows the way. What a stack sends away although it is its own never comes back to it for good.
   */
  #toNextHop(kernel: Kernel, device: Device, skb: Skb): boolean {
    const gateway = kernel.stack.assumed !== undefined || isTunnel(device) ? undefined : skb.route?.gateway;
    if (gateway === undefined) return false;
    const { world } = this.#walk;
    const hop = onDevice(world, gateway, isUnderlay);
    if (hop?.kind === "device" && hop.stack.assumed === undefined && hop.stack !== kernel.stack) {
      const there = this.#walk.kernel(hop.stack.name);
      const link = this.#walk.topology.linkOf(hop.stack.name, hop.device.name);
      if (there === undefined || (link !== undefined && link.type !== "fabric")) return false;
      this.#note(kernel, skb, `goes to ${formatAddress(gateway)}, which is ${hop.stack.name}`);
      this.#walk.arrive(there, hop.device, withoutMacs(skb), true);
      return true;
    }
    const owner = ownerOf(world, skb.packet.dst);
    if (owner === undefined || owner.kind === "device" || owner.stack !== kernel.stack) return false;
    const place = owner.kind === "bridged" ? owner.bridge : owner.device;
    const text = `${formatAddress(skb.packet.dst)} is behind ${place.name} of ${kernel.name} itself, whose route sends it to ${formatAddress(gateway)}`;
    kernel.drop(skb, "fabric", "FABRIC_NO_OWNER", text, [...(skb.route?.origins ?? []), place.origin]);
    return true;
  }

  /**
   * A private address that nobody owns, that no route but the default knows, and that the rules shown leave alone, may
   * well be a Service whose rules were not shown: who answers is not to be guessed.
   */
  #refuseGuess(kernel: Kernel, skb: Skb): void {
    const { stack } = kernel;
    const nat = stack.netfilter.tables.filter((t) => t.name === "nat" && t.family === 4);
    const seenWhole = nat.length > 0 && nat.every((t) => t.extent === "whole");
    if (stack.kind !== "node" || stack.rulesOnly === true || seenWhole || !isPrivate(skb.packet.dst)) return;
    if (skb.route?.route !== undefined && skb.route.route.destination.length > 0) return;
    const shown = formatAddress(skb.packet.dst);
    const reason = `nobody is known to have ${shown}, and not all nat rules of ${kernel.name} were shown: one of them may translate it (iptables-save -t nat)`;
    throw new Undetermined(kernel.name, "fabric", reason);
  }

  /**
   * Nodes that have an address on a dummy device answer ARP for it on a card of its subnet, unless arp_ignore forbids: the
   * sender's packets go to whoever answered first.
   */
  #answering(from: Kernel, address: Address): Place | undefined {
    const places = this.#walk.world.stacks.flatMap((stack) => {
      const kernel = this.#walk.kernel(stack.name);
      if (kernel === undefined || kernel === from || stack.assumed !== undefined) return [];
      if (!stack.devices.items.some((d) => d.addresses.some((a) => sameAddress(a.prefix.address, address)))) return [];
      const device = stack.devices.items.find(
        (d) => isUnderlay(d) && d.addresses.some((a) => a.prefix.length < 32 && contains(a.prefix, address)),
      );
      if (device === undefined || Number(devConf(kernel, "arp_ignore", device.name).value) > 0) return [];
      return [{ kernel, device }];
    });
    if (places.length <= 1) return places[0];
    const options = places.map((p) => ({ label: p.kernel.name, share: 1 / places.length }));
    // The sender's neighbour entry stands for the whole conversation.
    this.#answered ??= places[this.#walk.oracle.chance(`arp/${formatAddress(address)}`, options)];
    return this.#answered;
  }

  /** On which device of its owner's node a packet comes in. */
  #arrival(owner: Owner, sentBy: Device, skb: Skb): Place | undefined {
    const { stack } = owner;
    const kernel = this.#walk.kernel(stack.name);
    if (kernel === undefined) return undefined;
    const { question } = this.#walk;
    if (question.arrival?.stack === stack.name && question.arrival.device !== undefined) {
      const device = kernel.device(question.arrival.device);
      if (device !== undefined && this.#fromClient(skb)) return { kernel, device };
    }
    if (owner.kind === "device") {
      const { device } = owner;
      const link = this.#walk.topology.linkOf(stack.name, device.name);
      const wired = link !== undefined && link.type !== "fabric";
      if (!wired && (isUnderlay(device) || isTunnel(device))) return { kernel, device };
      // A pod or VM behind a node: its traffic enters by the node.
      const node = stack.node === undefined ? undefined : this.#walk.kernel(stack.node);
      if (node !== undefined) return this.#byRouteBack(node, skb, sentBy);
      return this.#byRouteBack(kernel, skb, sentBy);
    }
    return this.#byRouteBack(kernel, skb, sentBy);
  }

  readonly #fromClient = (skb: Skb): boolean => skb.leg === 0 || this.#walk.legs[skb.leg]?.what === "data";

  /** The node's own way back to the sender, seen from the address the packet goes to, is the way it comes in. */
  #byRouteBack(kernel: Kernel, skb: Skb, sentBy: Device): Place | undefined {
    const { packet } = skb;
    const back = fibLookup(kernel, {
      daddr: packet.src,
      saddr: packet.dst,
      iif: "lo",
      mark: 0,
      tos: 0,
      protocol: packet.protocol,
    });
    const outward = (d: Device) => isUnderlay(d) || isTunnel(d);
    let device = isRouteError(back) || !outward(back.device) ? undefined : back.device;
    if (isTunnel(sentBy))
      device = kernel.stack.devices.items.find((d) => d.name === sentBy.name && isTunnel(d)) ?? device;
    device ??= kernel.stack.devices.items.find((d) => isUnderlay(d) && d.addresses.length > 0);
    if (device === undefined) return undefined;
    this.#walk.oracle.assume(
      `${kernel.name}/arrival/${formatAddress(packet.dst)}`,
      device.name,
      `packets for ${formatAddress(packet.dst)} reach ${kernel.name} on ${device.name}`,
    );
    return { kernel, device };
  }

  /** Where a packet from outside enters when its destination has no owner. */
  #entry(from: Kernel, skb: Skb): Place | undefined {
    const { question, world } = this.#walk;
    const nodes = world.stacks.filter((s) => s.kind === "node");
    const name = question.arrival?.stack ?? (nodes.length === 1 ? nodes[0]!.name : undefined);
    const kernel = name === undefined ? undefined : this.#walk.kernel(name);
    if (kernel === undefined || kernel === from) return undefined;
    const device = question.arrival?.device === undefined ? undefined : kernel.device(question.arrival.device);
    return device === undefined ? this.#byRouteBack(kernel, skb, { ...NOWHERE }) : { kernel, device };
  }

  #note(kernel: Kernel, skb: Skb, decision: string, balancer?: Address): void {
    const by = balancer === undefined ? {} : { balancer };
    this.#walk.record(skb, { kind: "link", stack: kernel.name, packet: skb.packet, ...by, decision });
  }
}

const NOWHERE: Device = {
  name: "",
  kind: "unknown",
  addresses: [],
  addressesKnown: false,
  origin: { kind: "assumed", rule: "outside" },
};

/** RFC 1918 and the shared range of RFC 6598: where clusters put their Services. */
const isPrivate = (a: Address): boolean =>
  ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"].some((p) => within(p, a));

/** A real server of weight 0 is being drained: its pod may be gone. */
const drainedServer = (world: World, address: Address): RealServer | undefined =>
  world.stacks
    .flatMap((s) => s.ipvs.services.flatMap((v) => v.realServers))
    .find((r) => r.weight === 0 && sameAddress(r.address, address));

function withoutMacs(skb: Skb): Skb {
  delete skb.sourceMac;
  delete skb.destinationMac;
  delete skb.vlan;
  return skb;
}

/** A card, or whatever is not known to be anything else: what the underlay reaches. */
export const isUnderlay = (d: Device): boolean =>
  (d.kind === "ethernet" ||
    d.kind === "unknown" ||
    d.kind === "bond" ||
    d.kind === "team" ||
    d.kind === "vlan" ||
    d.kind === "bridge") &&
  d.master === undefined;

function denies(kernel: Kernel, d: FabricDeny, p: Packet): boolean {
  if (d.from !== undefined && !within(d.from, p.src)) return false;
  if (d.to !== undefined && !within(d.to, p.dst)) return false;
  if (d.protocol !== undefined && d.protocol !== p.protocol) return false;
  const ports = d.ports ?? (d.port === undefined ? undefined : { from: d.port, to: d.port });
  return ports === undefined || (hasPorts(p.protocol) && portInRange(kernel, p.dport, ports));
}

function within(text: string, address: Address): boolean {
  const prefix = parsePrefix(text);
  return prefix !== undefined && contains(prefix, address);
}
