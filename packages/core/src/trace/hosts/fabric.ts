import {
  decapsulate,
  fibLookup,
  isRouteError,
  type Kernel,
  memo,
  type Skb,
  Undetermined,
} from "../../datapath/index.ts";
import {
  type Decision,
  type Device,
  isTunnel,
  type Packet,
  type RealServer,
  type Stack,
  type World,
} from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import { entryNodes } from "../question/only-node.ts";
import type { Walk } from "../walk/walk.ts";
import { absenceOf } from "./absent.ts";
import { answeringPlaces } from "./answering.ts";
import { Balancing } from "./balancing.ts";
import { outerObserved } from "./far-end.ts";
import { homeOfAddress } from "./home.ts";
import { isInternal, routedElsewhere } from "./known-hosts.ts";
import { homeOfEndpoint } from "./local-endpoints.ts";
import { devicesWith, entriesWith, type Owner, onDevice, ownerOf } from "./owners.ts";
import { NeedsHost } from "./synthesise.ts";
import { type Attachment, isUnderlay } from "./topology.ts";
import { TunnelEnds } from "./tunnel-ends.ts";
import { denies, isPrivate, tupleKey, withoutMacs } from "./underlay.ts";

/** The cloud itself has the address, and so knows the way to it. */
const isDelegated = ({ stacks }: World, address: Address): boolean =>
  stacks.some((s) => s.devices.items.some((d) => d.delegated?.includes(address)));

/**
 * The underlay nobody dumped: delivers by who owns the destination address. Its behaviours (source check, load
 * balancers, egress translation, firewalls) are facts of the World that the user can change.
 */
export class Fabric {
  readonly #walk: Walk;
  readonly #balancing: Balancing;
  readonly #tunnels: TunnelEnds;
  readonly #egress: { readonly inside: Packet; readonly outside: Packet }[] = [];
  /** Who has called whom: what goes the other way is an answer. */
  readonly #flows = new Set<string>();

  /**
   * A client of whom only an address is known and that called an address nobody owns (a Service's) reaches it through
   * one node: it is taken to be attached there, and answers go back by that node.
   */
  #attached: { readonly address: Address; readonly node: Kernel } | undefined;

  /** Whoever answered the outside client's ARP request. */
  #answered: Attachment | undefined;

  constructor(walk: Walk) {
    this.#walk = walk;
    this.#balancing = new Balancing(walk, (kernel, device, skb) => this.#toOwner(kernel, device, skb));
    this.#tunnels = new TunnelEnds(walk);
  }

  /** A stack got a tunnel's packet and its tunnel devices were not shown: it comes out where its answer would go in. */
  unwrap(kernel: Kernel, skb: Skb): void {
    const { carried } = skb.packet;
    if (carried === undefined) return;
    const outer = skb.packet;
    decapsulate(skb, carried);
    const place = this.#byRouteBack(kernel, skb, NOWHERE);
    if (place === undefined) {
      const reason: Decision = {
        kind: "unknown-tunnel-devices",
        stack: kernel.name,
        tunnel: carried.tunnel,
        address: outer.src,
      };
      throw new Undetermined(kernel.name, "tunnel", reason);
    }
    this.#note(kernel, skb, { kind: "fabric-unwrapped", stack: kernel.name });
    this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), false);
  }

  /**
   * A permanent neighbour has another MAC than who is known to have its address: the frame is for somebody else, and whether he passes it on
   * nobody showed. Of entries that were learnt it is not said: a cloud answers for its machines with MACs of its own.
   */
  #refuseStranger({ name, stack }: Kernel, device: Device, hop: Address, { destinationMac: mac }: Skb): void {
    if (mac === undefined || isTunnel(device)) return;
    const entry = stack.neighbours.items.find(
      (n) => n.mac === mac && n.address === hop && n.device === device.name && n.states.includes("PERMANENT"),
    );
    if (entry === undefined) return;
    const owners = this.#walk.world.stacks.flatMap((s) => (s === stack ? [] : devicesWith(s, hop)));
    if (owners.length > 0 && owners.every((d) => d.mac !== undefined && d.mac !== mac))
      throw new Undetermined(name, "neighbour", { kind: "unknown-neighbour", address: hop, mac }, [entry.origin]);
  }

  carry(kernel: Kernel, device: Device, skb: Skb): void {
    const { world } = this.#walk;
    // A firewall sees the tunnel, not what is in it.
    const hop = skb.route?.gateway ?? skb.packet.dst;
    const visible = isTunnel(device) ? outerObserved(world, kernel.stack, device, skb.packet, hop) : skb.packet;
    if (visible !== undefined && world.fabric.deny.some((d) => denies(kernel, d, visible))) {
      kernel.drop(skb, "fabric", "FABRIC_DENY", { kind: "fabric-denied" }, [world.fabric.origin]);
      return;
    }
    // wg_xmit(): no peer whose allowed ips hold the destination.
    if (
      device.kind === "wireguard" &&
      !this.#walk.oracle.rests({ kind: "peers", stack: kernel.name, device: device.name })
    ) {
      const decision: Decision = { kind: "fabric-no-peer", device: device.name, address: skb.packet.dst };
      kernel.drop(skb, "fabric", "TUNNEL_NO_DEVICE", decision, [device.origin]);
      return;
    }
    const { mtu } = world.fabric;
    if (mtu !== undefined && skb.packet.length > mtu && !isTunnel(device)) {
      const decision: Decision = { kind: "fabric-mtu", bytes: skb.packet.length, mtu };
      kernel.drop(skb, "fabric", "PKT_TOO_BIG", decision, [world.fabric.origin]);
      return;
    }
    if (this.#checksSource() && !isTunnel(device) && !this.#owns(kernel, device, skb.packet.src)) {
      kernel.drop(
        skb,
        "fabric",
        "FABRIC_SRC_DST_CHECK",
        { kind: "fabric-source-checked", device: device.name, address: skb.packet.src },
        [world.fabric.origin],
      );
      return;
    }
    if (skb.packet.carried !== undefined && this.#tunnels.lacksFarEnd(skb.packet.dst)) {
      this.#tunnels.unwrapUndumped(kernel, skb, skb.packet.carried);
      this.#toOwner(kernel, device, skb, "pod");
      return;
    }
    this.#refuseStranger(kernel, device, hop, skb);
    if (this.#endsBeside(kernel, device, skb)) return;
    const answered = this.#undo(kernel, skb) || this.#flows.has(tupleKey(skb.packet, "back"));
    if (!answered) {
      this.#flows.add(tupleKey(skb.packet, "forth"));
      this.#translateEgress(kernel, skb);
    }
    if (this.#balancing.balance(kernel, device, skb)) return;
    this.#toOwner(kernel, device, skb);
  }

  /**
   * A frame that a bridge floods to somebody nobody dumped, because the port of whoever has its address is down: br_flood() passes that
   * port over, and nobody else takes the frame.
   */
  #endsBeside(kernel: Kernel, device: Device, skb: Skb): boolean {
    const owner = device.master === undefined ? undefined : ownerOf(this.#walk.world, skb.packet.dst);
    if (owner?.kind !== "device" || owner.stack.assumed !== undefined || owner.stack.node !== kernel.name) return false;
    const link = this.#walk.topology.linkOf(owner.stack.name, owner.device.name);
    const port = link?.ends.find((e) => e.stack === kernel.name);
    const beside = kernel.stack.devices.items.find((d) => d.name === port?.device && d.master === device.master);
    if (beside === undefined || (beside.up && beside.carrier !== false)) return false;
    kernel.drop(skb, "bridge", "DEV_DOWN", { kind: "device-down", device: beside.name }, [beside.origin]);
    return true;
  }

  #checksSource(): boolean {
    const { fabric } = this.#walk.world;
    if (fabric.open?.includes("srcDstCheck"))
      return this.#walk.oracle.fact({ kind: "src-dst-check" }, ["false", "true"]) === "true";
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
    this.#note(kernel, skb, { kind: "fabric-egress", address: egressNat });
  }

  #owns(kernel: Kernel, device: Device, source: Address): boolean {
    if (entriesWith(device, source).length > 0) return true;
    const owner = ownerOf(this.#walk.world, source);
    return owner !== undefined && owner.stack.name !== kernel.name
      ? owner.stack.node === kernel.name
      : owner?.kind !== "device";
  }

  /** An answer to what a load balancer or the egress translation rewrote. */
  #undo(kernel: Kernel, skb: Skb): boolean {
    const back = this.#balancing.undo(kernel, skb);
    const egress = this.#egress.find((e) => e.outside.src === skb.packet.dst && e.outside.dst === skb.packet.src);
    if (egress !== undefined) {
      skb.packet = { ...skb.packet, dst: egress.inside.src };
      this.#note(kernel, skb, { kind: "fabric-egress-undone" });
    }
    return back || egress !== undefined;
  }

  /** `as`: what the destination is taken for if nobody has it; a pod where a tunnel led to it. */
  #toOwner(kernel: Kernel, device: Device, skb: Skb, as?: "pod"): void {
    const { world, question } = this.#walk;
    const { packet } = skb;
    const attached = this.#attached;
    if (attached !== undefined && attached.address === packet.dst && attached.node !== kernel) {
      const place = this.#byRouteBack(attached.node, skb, device);
      if (place !== undefined) {
        this.#note(kernel, skb, { kind: "fabric-goes-back", stack: attached.node.name });
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    if (this.#byOwnNode(kernel, device, skb) || this.#toNextHop(kernel, device, skb)) return;
    const owner = ownerOf(world, packet.dst);
    const drained = drainedServer(world, packet.dst);
    const unknown = owner === undefined || owner.stack.assumed !== undefined;
    if (
      unknown &&
      drained !== undefined &&
      this.#walk.oracle.fact({ kind: "endpoint", address: packet.dst }, ["gone", "answers"]) === "gone"
    ) {
      const decision: Decision = { kind: "fabric-drained", address: packet.dst };
      kernel.drop(skb, "fabric", "FABRIC_NO_OWNER", decision, [drained.origin]);
      return;
    }
    // Sent from outside to an address no dumped stack owns (a Service address): it arrives where the user said, or at
    // the only node, whoever was made up beyond that node.
    const fromOutside = kernel.stack.assumed === "outside" && kernel.name === question.client;
    if (fromOutside && (owner === undefined || owner.stack.assumed !== undefined)) {
      const place = this.#entry(kernel, skb);
      if (place !== undefined) {
        this.#attached = { address: packet.src, node: place.kernel };
        this.#note(kernel, skb, { kind: "fabric-arrives", stack: place.kernel.name, device: place.device.name });
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    if (owner !== undefined && !(fromOutside && owner.stack.name === kernel.name)) {
      const straight = this.#arrival(owner, device, skb);
      const place =
        straight !== undefined && kernel.stack.assumed !== undefined
          ? (this.#tunnels.wrapFor(straight, skb) ?? straight)
          : straight;
      if (place === "denied") return;
      if (place !== undefined) {
        this.#note(kernel, skb, { kind: "fabric-delivered", stack: place.kernel.name, device: place.device.name });
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    if (fromOutside) {
      const place = this.#answering(kernel, packet.dst);
      if (place !== undefined) {
        this.#note(kernel, skb, { kind: "fabric-answered-for", stack: place.kernel.name, device: place.device.name });
        this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
        return;
      }
    }
    const published = fromOutside ? publishedBy(world, packet.dst) : undefined;
    if (published !== undefined) {
      const reason: Decision = { kind: "unknown-published", address: packet.dst, service: published };
      throw new Undetermined(kernel.name, "fabric", reason);
    }
    const virtual = onDevice(world, packet.dst);
    if (virtual !== undefined) {
      kernel.drop(
        skb,
        "fabric",
        "FABRIC_NO_OWNER",
        { kind: "fabric-virtual", address: packet.dst, stack: virtual.stack.name },
        virtual.kind === "device" ? entriesWith(virtual.device, packet.dst).map((a) => a.origin) : [],
      );
      return;
    }
    const query = packet.dst === question.to;
    if (fromOutside && query && world.stacks.some((s) => s.kind === "node")) {
      const reason: Decision = { kind: "unknown-between", from: packet.src, to: packet.dst };
      throw new Undetermined(kernel.name, "fabric", reason);
    }
    if (query && as === undefined) this.#refuseGuess(kernel, skb);
    if (this.#isNobodys(kernel, skb)) return;
    throw new NeedsHost({ kind: "far", address: packet.dst, as: query && as === undefined ? "outside" : "endpoint" });
  }

  /** Nobody is made up for an address of which somebody says that nobody has it. */
  #isNobodys(kernel: Kernel, skb: Skb): boolean {
    const address = skb.packet.dst;
    if (this.#walk.oracle.settled?.({ kind: "endpoint", address }) === "answers") return false;
    const absence = absenceOf(this.#walk.world, address);
    if (absence === undefined) return false;
    kernel.drop(skb, "fabric", "FABRIC_NO_OWNER", { kind: "fabric-nobody", address, absence }, absence.origins);
    return true;
  }

  /** An endpoint that was made up and that a node counts among its own is behind that node: what it sends passes there. */
  #byOwnNode(kernel: Kernel, device: Device, skb: Skb): boolean {
    if (kernel.stack.assumed !== "endpoint" || kernel.stack.node !== undefined) return false;
    const home = homeOfEndpoint(this.#walk.world, skb.packet.src);
    const node = home === undefined ? undefined : this.#walk.kernel(home);
    const place = node === undefined ? undefined : this.#byRouteBack(node, skb, device);
    if (node === undefined || place === undefined) return false;
    this.#walk.oracle.assume({ kind: "endpoint-node", address: skb.packet.src }, node.name, {
      kind: "local-endpoint",
      address: skb.packet.src,
      node: node.name,
    });
    this.#note(kernel, skb, { kind: "fabric-behind", stack: node.name, device: place.device.name });
    this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
    return true;
  }

  /**
   * A next hop that somebody has gets the packet, whoever has its destination (host-gw); one that nobody is known to have is
   * taken for a router that knows the way. What a stack sends away although it is its own never comes back to it for good.
   */
  #toNextHop(kernel: Kernel, device: Device, skb: Skb): boolean {
    const gateway = kernel.stack.assumed !== undefined || isTunnel(device) ? undefined : skb.route?.gateway;
    if (gateway === undefined) return false;
    const { world } = this.#walk;
    const hop = this.#nextHop(kernel, gateway);
    if (hop !== undefined) {
      const there = this.#walk.kernel(hop.stack.name);
      const link = this.#walk.topology.linkOf(hop.stack.name, hop.device.name);
      if (there === undefined || (link !== undefined && link.type !== "fabric")) return false;
      this.#note(kernel, skb, { kind: "fabric-next-hop", gateway: gateway, stack: hop.stack.name });
      this.#walk.arrive(there, hop.device, withoutMacs(skb), true);
      return true;
    }
    const owner = ownerOf(world, skb.packet.dst);
    if (owner === undefined || owner.kind === "device" || owner.stack !== kernel.stack)
      return !this.#passedOn(kernel, gateway, skb);
    const place = owner.kind === "bridged" ? owner.bridge : owner.device;
    const decision: Decision = {
      kind: "fabric-own-behind",
      address: skb.packet.dst,
      device: place.name,
      stack: kernel.name,
      gateway: gateway,
    };
    kernel.drop(skb, "fabric", "FABRIC_NO_OWNER", decision, [...(skb.route?.origins ?? []), place.origin]);
    return true;
  }

  /**
   * A gateway that nobody showed is trusted with what the question puts outside and with packets from node to node; for anything
   * else the way rests on it.
   */
  #passedOn(kernel: Kernel, gateway: Address, skb: Skb): boolean {
    const { world, question, oracle } = this.#walk;
    const destination = skb.packet.dst;
    const owner = ownerOf(world, destination);
    const shown = owner?.kind === "device" && owner.stack.assumed === undefined;
    if (shown && owner.stack.kind !== "pod" && isUnderlay(owner.device)) return true;
    const outside = owner?.stack.name === question.client && owner.stack.assumed === "outside";
    if (outside && !isInternal(world, destination)) return true;
    if (isDelegated(world, destination)) return true;
    const routedBy = routedElsewhere(world, kernel.name, destination);
    const ground = {
      kind: "gateway",
      stack: kernel.name,
      gateway,
      destination,
      ...(routedBy !== undefined && { routedBy }),
    } as const;
    if (oracle.rests(ground)) return true;
    const decision = { kind: "fabric-gateway-drops", gateway, address: destination } as const;
    kernel.drop(skb, "fabric", "GATEWAY_DROPS", decision, skb.route?.origins ?? []);
    return false;
  }

  /** Who has a next hop's address: the sender's own host first; if several others have it, nobody can tell which. */
  #nextHop({ stack }: Kernel, gateway: Address): { readonly stack: Stack; readonly device: Device } | undefined {
    const owners = this.#walk.world.stacks.flatMap((s) => {
      const device = devicesWith(s, gateway).find(isUnderlay);
      return device === undefined || s === stack || s.assumed !== undefined ? [] : [{ stack: s, device }];
    });
    return owners.find((o) => o.stack.name === stack.node) ?? (owners.length === 1 ? owners[0] : undefined);
  }

  /**
   * A private address that nobody owns, that no route but the default knows, and that the rules shown leave alone, may
   * well be a Service whose rules were not shown: who answers is not to be guessed.
   */
  #refuseGuess(kernel: Kernel, skb: Skb): void {
    const { stack } = kernel;
    const nat = stack.netfilter.tables.filter((t) => t.name === "nat" && t.family === 4);
    const native = stack.netfilter.nft ?? [];
    const all = [...nat, ...native];
    const shownWhole = all.length > 0 && all.every((t) => t.extent === "whole");
    if (stack.kind !== "node" || stack.rulesOnly === true || shownWhole || !isPrivate(skb.packet.dst)) return;
    if (skb.route?.route !== undefined && skb.route.route.destination.length > 0) return;
    // Rules that follow from objects say all there is to say of a Service whose object was given.
    const follows = nat.length > 0 && nat.every((t) => t.extent === "whole" || t.origin.kind === "assumed");
    if (follows && isOfService(this.#walk.world, skb.packet.dst)) return;
    const reason: Decision = { kind: "unknown-untranslated", address: skb.packet.dst, stack: kernel.name };
    throw new Undetermined(kernel.name, "fabric", reason);
  }

  /**
   * Nodes that have an address on a dummy device answer ARP for it on a card of its subnet, unless arp_ignore forbids: the
   * sender's packets go to whoever answered first.
   */
  #answering(from: Kernel, address: Address): Attachment | undefined {
    const places = answeringPlaces(this.#walk, from, address);
    if (places.length <= 1) return places[0];
    const options = places.map((p) => ({ label: p.kernel.name, share: 1 / places.length }));
    // The sender's neighbour entry stands for the whole conversation.
    this.#answered ??= places[this.#walk.oracle.chance(`arp/${formatAddress(address)}`, options)];
    return this.#answered;
  }

  /** On which device of its owner's node a packet comes in. */
  #arrival(owner: Owner, sentBy: Device, skb: Skb): Attachment | undefined {
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
  #byRouteBack(kernel: Kernel, skb: Skb, sentBy: Device): Attachment | undefined {
    const { packet } = skb;
    // A cloud delivers to the card that it gave the address to, whatever the node's routes say.
    const given = kernel.stack.devices.items.find((d) => d.delegated?.includes(packet.dst));
    if (given !== undefined && !isTunnel(sentBy)) return { kernel, device: given };
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
    this.#walk.oracle.assume({ kind: "arrival", stack: kernel.name, address: packet.dst }, device.name, {
      kind: "arrival",
      address: packet.dst,
      stack: kernel.name,
      device: device.name,
    });
    return { kernel, device };
  }

  /** Where a packet from outside enters when its destination has no owner. */
  #entry(from: Kernel, skb: Skb): Attachment | undefined {
    const { question, world } = this.#walk;
    const nodes = entryNodes(world);
    const home = homeOfAddress(nodes, skb.packet.src);
    if (home !== undefined && nodes.length > 1 && question.arrival === undefined) {
      const address = skb.packet.src;
      this.#walk.oracle.assume({ kind: "home", address }, home, { kind: "home", address, stack: home });
    }
    const name = question.arrival?.stack ?? home;
    const kernel = name === undefined ? undefined : this.#walk.kernel(name);
    if (kernel === undefined || kernel === from) return undefined;
    const device = question.arrival?.device === undefined ? undefined : kernel.device(question.arrival.device);
    return device === undefined ? this.#byRouteBack(kernel, skb, { ...NOWHERE }) : { kernel, device };
  }

  #note(kernel: Kernel, skb: Skb, decision: Decision, balancer?: Address): void {
    const by = balancer === undefined ? {} : { balancer };
    if (this.#walk.recording)
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

/** A Service that has this address for clients outside: a load balancer or a router brings them to some node. */
function publishedBy(world: World, address: Address): string | undefined {
  const has = (list: readonly Address[]): boolean => list.some((a) => a === address);
  const service = world.kubernetes.services.find((s) => has(s.loadBalancerIps) || has(s.externalIps));
  return service === undefined ? undefined : `Service ${service.namespace}/${service.name}`;
}

const isOfService = ({ kubernetes }: World, address: Address): boolean =>
  kubernetes.services.some(
    (s) => s.form === "object" && [...s.clusterIps, ...s.loadBalancerIps, ...s.externalIps].some((a) => a === address),
  );

const drained = new WeakMap<World["stacks"], ReadonlyMap<Address, RealServer>>();

/** A real server of weight 0 is being drained: its pod may be gone. Of several listed with an address the first. */
const drainedServer = ({ stacks }: World, address: Address): RealServer | undefined =>
  memo(drained, stacks, () => {
    const found = new Map<Address, RealServer>();
    for (const stack of stacks) {
      // What kube-proxy would have programmed drains nobody, and is not made for this question.
      if (stack.fromObjects === true) continue;
      for (const { realServers } of stack.ipvs.services)
        for (const server of realServers)
          if (server.weight === 0 && !found.has(server.address)) found.set(server.address, server);
    }
    return found;
  }).get(address);
