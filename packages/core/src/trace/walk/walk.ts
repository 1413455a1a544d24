import {
  type Conntrack,
  type Drop,
  dropTooLong,
  FABRIC_MAC,
  heldFragments,
  ipDoRedirect,
  ipLocalOut,
  ipRtSendRedirect,
  isRedirect,
  isSkbForwardable,
  isTooBig,
  Kernel,
  macOf,
  memo,
  type Network,
  netifReceive,
  newSkb,
  type Oracle,
  type Resolution,
  type RouteError,
  type RouteResult,
  type Skb,
  scrub,
  takePathMtu,
  tunnelErr,
  Undetermined,
  Work,
} from "../../datapath/index.ts";
import {
  type Absence,
  type Device,
  type Fact,
  isBoundSet,
  isTunnel,
  KUBE_IPVS0,
  type Origin,
  type Packet,
  type PortSet,
  rulesSaying,
  type Stack,
  type Step,
  type World,
} from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Address, contains, formatAddress, isHost, type Mac, PROTO } from "../../net/index.ts";
import { type Connection, Connections } from "../explore/branch.ts";
import { absenceBehind, absenceOf } from "../hosts/absent.ts";
import { arpReachesNobody } from "../hosts/arp-unheard.ts";
import { Fabric } from "../hosts/fabric.ts";
import { farEndOf, vtepMacOf } from "../hosts/far-end.ts";
import { hostGround } from "../hosts/host-ground.ts";
import { ownerOf } from "../hosts/owners.ts";
import { NeedsHost } from "../hosts/synthesise.ts";
import { type Attachment, isUnderlay, Topology } from "../hosts/topology.ts";
import type { Question } from "../question/question.ts";
import { arpExchange, unheardAnswer } from "./arp-exchange.ts";
import type { LegEnd, LegRecord } from "./leg-record.ts";
import { isolatedByParent } from "./parent-isolated.ts";

const NEIGHBOUR_SOLICITATION = 135;

/** Links a packet may cross before it is taken to go round in circles (TTL ends routed loops by itself). */
const MAX_HOPS = 200;

/** What is kept of the way beside the answer: every step; the lines it came by; nothing. */
export type Recorded = boolean | "lines";

/** What a walk makes beside its answer. */
export interface WalkOptions {
  readonly record?: Recorded;
  /** Rules that did not match are recorded, too. */
  readonly verbose?: boolean;
  readonly work?: Work;
}

const OPEN: LegEnd = { kind: "open" };
/** Of every walk that is not recorded. */
const NO_STEPS: Step[] = [];

/** Kept by the list: every branch is a walk of its own through the same World. */
const named = new WeakMap<World["stacks"], ReadonlyMap<string, Stack>>();

/** What a frame costs at one machine beside its rules, in rules: routes, neighbours, hooks, sockets. */
const FRAME = 400;

/** One deterministic walk: kernels of all stacks, the links between them, and the legs seen so far. */
export class Walk implements Network {
  readonly world: World;
  readonly question: Question;
  readonly oracle: Oracle;
  readonly recording: boolean;
  readonly noting: boolean;
  readonly verbose: boolean;
  readonly work: Work;
  readonly legs: LegRecord[] = [];
  readonly topology: Topology;
  readonly fabric: Fabric;
  readonly #kernels = new Map<string, Kernel>();
  readonly #stacks: ReadonlyMap<string, Stack>;
  readonly #queue: (() => void)[] = [];
  /** Neighbours asked for in this walk, by stack, device and address; undefined: nobody answered. */
  readonly #learnt: Map<string, Mac | undefined>;
  /** MACs from which a frame was sent in this walk, ARP included. */
  readonly #spoken = new Set<Mac>();
  #ports = 0;
  #lessons = 0;
  readonly #before: Walk | undefined;

  /** `before`: the walk whose connections live on in this one, after the World has changed. */
  constructor(world: World, question: Question, oracle: Oracle, options: WalkOptions = {}, before?: Walk) {
    const { record = true, verbose = false, work = new Work() } = options;
    this.work = work;
    this.recording = record === true;
    this.noting = record === "lines";
    this.#before = before;
    this.#learnt = new Map(before === undefined ? [] : before.#learnt);
    if (before !== undefined) this.#ports = before.#ports;
    this.world = world;
    this.question = question;
    this.oracle = oracle;
    this.verbose = verbose;
    this.#stacks = memo(named, world.stacks, () => new Map(world.stacks.map((s) => [s.name, s])));
    this.topology = new Topology(world, (name) => this.kernel(name));
    this.fabric = new Fabric(this);
  }

  kernel(name: string): Kernel | undefined {
    let kernel = this.#kernels.get(name);
    if (kernel === undefined) {
      const stack = this.#stacks.get(name);
      if (stack === undefined) return undefined;
      kernel = new Kernel(stack, this, this.#before?.kernel(name));
      this.#kernels.set(name, kernel);
    }
    return kernel;
  }

  /** What conntrack holds now, in every stack a packet has been in. */
  connections(): Connections {
    const held = [...this.#kernels.values()].map((kernel) => {
      const view = (ct: Conntrack): Connection => ({
        stack: kernel.name,
        original: ct.tuple.original,
        reply: ct.tuple.reply,
        sourceNat: ct.srcNat,
        destinationNat: ct.dstNat,
        seenReply: ct.seenReply,
        // ctnetlink_dump_info(): of an offloaded connection the state is not told.
        ...(ct.tuple.original.protocol === PROTO.tcp && ct.offloaded === undefined && { tcpState: ct.tcpState }),
        mark: ct.mark,
        // What `zone=` shows: a zone of both directions.
        zone: ct.zone.direction === undefined ? ct.zone.id : 0,
      });
      return { all: kernel.conntrack.snapshot(view), touched: kernel.conntrack.touched(view) };
    });
    return new Connections(held);
  }

  /** Whether a stack on the way has a flowtable. */
  offloads(): boolean {
    return [...this.#kernels.values()].some(({ stack }) => stack.netfilter.nft?.some((t) => t.flowtables.length > 0));
  }

  newLeg(what: string, packet: Packet, answers?: number): Skb {
    const id = this.legs.length;
    this.legs.push({
      id,
      what,
      ...(answers !== undefined && { answers }),
      steps: this.recording ? [] : NO_STEPS,
      met: this.noting ? { source: packet.src, origins: [], routes: [] } : undefined,
      end: OPEN,
    });
    return newSkb(id, packet);
  }

  /** Runs until no frame is under way. */
  drain(): void {
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      this.work.look(FRAME);
      job();
    }
  }

  /** Runs after what is under way: a process that answers. */
  later(job: () => void): void {
    this.#queue.push(job);
  }

  /** ip_local_out(): the packet has its route. */
  startOutput(kernel: Kernel, skb: Skb): void {
    ipLocalOut(kernel, skb);
  }

  record(skb: Skb, step: Step): void {
    const leg = this.legs[skb.leg];
    if (leg === undefined) return;
    leg.steps.push(step);
    if (!this.work.keep(1)) throw new Undetermined(step.stack, step.kind, { kind: "unknown-too-much-work" });
  }

  meet(kernel: Kernel, skb: Skb, origin: Origin): void {
    const met = this.legs[skb.leg]?.met;
    if (met === undefined) return;
    met.origins.push(origin);
    if (!this.work.keep(1)) throw new Undetermined(kernel.name, "walk", { kind: "unknown-too-much-work" });
  }

  routed(kernel: Kernel, skb: Skb, found: RouteResult | RouteError): void {
    kernel.meetAll(skb, found.origins);
    this.legs[skb.leg]?.met?.routes.push({ stack: kernel.name, found });
  }

  dropped(kernel: Kernel, skb: Skb, drop: Drop): void {
    if (skb.probe !== undefined) {
      const what = skb.packet.icmp?.type === NEIGHBOUR_SOLICITATION ? "solicitation" : "advertisement";
      skb.probe.lost ??= { what, stack: kernel.name, decision: drop.decision, origins: drop.origins };
      return;
    }
    if (skb.arp !== undefined) {
      const { operation: what } = skb.arp;
      skb.arp.lost ??= { what, stack: kernel.name, decision: drop.decision, origins: drop.origins };
      return;
    }
    this.#end(skb, { kind: "dropped", kernel, skb, drop });
  }

  deliver(kernel: Kernel, skb: Skb): void {
    const { icmp } = skb.packet;
    if (icmp !== undefined && isTooBig(skb.packet) && takePathMtu(kernel, icmp)) this.#lessons++;
    if (isRedirect(skb.packet) && ipDoRedirect(kernel, skb.packet, skb.dev)) this.#lessons++;
    if (icmp !== undefined) tunnelErr(kernel, skb, icmp);
    // What never left a node known by its object alone rests on it, too.
    if (kernel.stack.fromObjects === true && !this.isThere(kernel)) this.#absent(kernel, skb);
    else this.#end(skb, { kind: "delivered", kernel, skb });
  }

  #absent(kernel: Kernel, skb: Skb): void {
    kernel.drop(skb, "link", "HOST_NOT_THERE", { kind: "host-not-there", stack: kernel.name });
  }

  #end(skb: Skb, end: LegEnd): void {
    const leg = this.legs[skb.leg];
    if (leg !== undefined && leg.end.kind === "open") leg.end = end;
  }

  /**
   * What a packet that was lost taught those who sent it: that the path carries less, that another gateway is nearer. Redirects are played
   * here, not when they are sent: they matter to what is sent next, and a packet that arrived is not sent again.
   */
  lessons(): number {
    for (const kernel of [...this.#kernels.values()])
      for (const detour of kernel.detours.splice(0)) {
        ipRtSendRedirect(kernel, detour);
        this.drain();
      }
    return this.#lessons;
  }

  /** How often a packet moved a counter that decides. */
  counted(): number {
    let all = 0;
    for (const kernel of this.#kernels.values()) all += kernel.counted;
    return all;
  }

  /** Nothing else is under way: who waits for fragments does so in vain. */
  expire(leg: number): void {
    for (const kernel of this.#kernels.values())
      for (const skb of heldFragments(kernel, leg))
        kernel.drop(skb, "ip_defrag", "FRAG_REASM_TIMEOUT", { kind: "fragments-missing" });
  }

  tell(packet: Packet, what: string): Skb {
    return this.newLeg(what, packet);
  }

  answer(_kernel: Kernel, cause: Skb, packet: Packet, what: string): Skb {
    const skb = this.newLeg(what, packet, cause.leg);
    skb.masqueraded = cause.masqueraded;
    return skb;
  }

  newPort(label: string, from: number, to: number): PortSet {
    return { id: `${label}${this.#ports++}`, from, to };
  }

  transmit(kernel: Kernel, device: Device, skb: Skb): boolean {
    if (++skb.hops > MAX_HOPS) {
      kernel.drop(skb, "link", "LOOP", { kind: "loop" });
      return true;
    }
    if (skb.sourceMac !== undefined) this.#spoken.add(skb.sourceMac);
    const link = this.topology.linkOf(kernel.name, device.name);
    if (link?.type !== "veth") skb.checksumLeft = false;
    if (link === undefined || link.type === "fabric") {
      this.#queue.push(() => this.fabric.carry(kernel, device, skb));
      return true;
    }
    const peers = this.topology.peers(kernel, device);
    const there = link.type === "veth" ? peers[0] : this.#takerOf(kernel, peers, skb);
    if (there === undefined) {
      kernel.drop(skb, "link", "BRIDGE_NO_PORT", { kind: "no-mac", mac: skb.destinationMac ?? "?" });
      return true;
    }
    if (link.type === "veth" && !isSkbForwardable(there.device, skb)) {
      dropTooLong(kernel, there.device, there.kernel.name, skb, "link");
      return false;
    }
    this.arrive(there.kernel, there.device, skb, kernel !== there.kernel);
    return true;
  }

  farEnd(kernel: Kernel, device: Device, skb: Skb): Address | undefined {
    const { dst } = skb.packet;
    return farEndOf(this.world, kernel.stack, device, skb.route?.gateway ?? dst, dst);
  }

  unwrap(kernel: Kernel, skb: Skb): void {
    this.fabric.unwrap(kernel, skb);
  }

  /** Whether a stack that was made up is there, as this walk has it. */
  isThere({ stack }: Kernel): boolean {
    const ground = hostGround(this, stack);
    return ground === undefined || this.oracle.rests(ground);
  }

  /** A frame comes out of a link into a device. */
  arrive(kernel: Kernel, device: Device, skb: Skb, crossesStacks: boolean): void {
    this.#queue.push(() => {
      if (crossesStacks && !this.isThere(kernel)) {
        this.#absent(kernel, skb);
        return;
      }
      const { mark } = skb;
      scrub(skb);
      if (!crossesStacks) skb.mark = mark;
      skb.dev = undefined;
      netifReceive(kernel, device, skb);
    });
  }

  /** Who takes a frame on a segment. A MAC that no card shows is of a card whose MAC nobody showed. */
  #takerOf(from: Kernel, peers: readonly Attachment[], skb: Skb): Attachment | undefined {
    const there = peers.find((p) => this.#takes(p.kernel, p.device, skb));
    if (there !== undefined) return there;
    const unshown = peers.filter((p) => p.device.mac === undefined && p.kernel.stack.assumed === undefined);
    const [first, ...more] = unshown;
    if (first === undefined) return undefined;
    const { name } = first.kernel;
    if (more.length > 0 || !this.oracle.rests({ kind: "addresses", stack: name }))
      throw new Undetermined(from.name, "link", { kind: "unknown-addresses", stack: name });
    return first;
  }

  /** Is a frame on a segment for this card, or for what is behind it: on its VLAN of that tag, on a bridge it is a port of? */
  #takes(kernel: Kernel, device: Device, { destinationMac, vlan }: Skb): boolean {
    if (destinationMac === undefined) return false;
    const tagged =
      vlan === undefined
        ? undefined
        : kernel.stack.devices.items.find(
            (d) => d.kind === "vlan" && d.lower === device.name && d.vlan?.id === vlan && d.up !== false,
          );
    return [device, ...(tagged === undefined ? [] : [tagged])].some(
      (d) => macOf(kernel.name, d) === destinationMac || this.#behindPort(kernel, d, destinationMac),
    );
  }

  /** Is the MAC the bridge's own, or behind another of its ports? */
  #behindPort(kernel: Kernel, port: Device, mac: Mac): boolean {
    const bridge = port.master === undefined ? undefined : kernel.device(port.master);
    if (bridge?.kind !== "bridge") return false;
    if (macOf(kernel.name, bridge) === mac || port.mac === mac) return true;
    return kernel.compiled.ports(bridge.name).some((p) => p !== port && this.topology.leadsTo(kernel, p, mac));
  }

  hasSpoken(mac: Mac): boolean {
    return this.#spoken.has(mac);
  }

  leadsTo(kernel: Kernel, port: Device, mac: Mac): boolean {
    return this.topology.leadsTo(kernel, port, mac);
  }

  leadsOut(kernel: Kernel, port: Device): boolean {
    const domain = this.topology.domain(kernel, port);
    return domain.fabric || domain.loose.length > 0;
  }

  /**
   * Whether a stack has the very address that was asked for is worth a hypothesis where its addresses were not all
   * shown: a VIP on kube-ipvs0, the node's own address in a case of rules alone. Other addresses are taken as shown.
   */
  mayBind(kernel: Kernel, address: Address): boolean {
    const { stack } = kernel;
    if (stack.kind !== "node" || stack.assumed !== undefined || address !== this.question.to) return false;
    const { devices } = stack;
    if (devices.extent === "whole" && devices.items.every((d) => d.addressesKnown)) return false;
    const owner = ownerOf(this.world, address);
    if (owner !== undefined && owner.stack.assumed === undefined) return false;
    if (this.world.loadBalancers.some((b) => b.vipBoundOnNode === false && b.address === address)) return false;
    if (bindsServices(stack)) return true;
    // kube-proxy's iptables rules name Service addresses and bind none of them; and nobody asks a node for itself.
    if (stack.rulesOnly !== true || stack.name === this.question.client) return false;
    return !kernel.compiled.isServiceDestination(address);
  }

  /** A ClusterIP by kube-proxy's own rules on some node. */
  isClusterAddress(address: Address): boolean {
    if (this.world.kubernetes.services.some((s) => s.clusterIps.some((a) => a === address))) return true;
    return this.world.stacks.some(
      (s) => s.fromObjects !== true && this.kernel(s.name)?.compiled.isClusterAddress(address) === true,
    );
  }

  binds(kernel: Kernel, address: Address): boolean {
    const fact: Fact = { kind: "address", stack: kernel.name, address };
    return this.oracle.fact(fact, ["bound", "not bound"]) === "bound";
  }

  resolve(kernel: Kernel, device: Device, target: Address, sender: Address | undefined, skb: Skb): Resolution {
    // A host that was made up has one way out, and whoever is there takes its frames.
    const learnt = this.#learnt.get(neighbourKey(kernel, device, target));
    if (learnt !== undefined) return { answers: [learnt] };
    const mac = macOf(kernel.name, device);
    const asker = { kernel, device };
    const { answering, heardBy, lost } = arpExchange(this.topology, asker, target, sender, skb, (k) => this.isThere(k));
    const answers = new Set(answering.map((p) => macOf(p.kernel.name, p.device)));
    for (const { port, learns } of sender === undefined ? [] : heardBy) {
      const key = neighbourKey(port.kernel, port.device, sender!);
      const known = this.#learnt.get(key);
      const takes = known === undefined ? this.#learnt.has(key) : known !== mac && this.overrides();
      if (learns === "always" || takes) this.#learnt.set(key, mac);
    }
    for (const each of [...answers, mac]) this.#spoken.add(each);
    const [only] = answers;
    if (answers.size <= 1) this.#learnt.set(neighbourKey(kernel, device, target), only);
    if (answers.size > 0) return { answers: [...answers] };
    if (lost !== undefined) return { answers: [], lost };
    const unanswered = this.unanswered(kernel, device, target, skb);
    const unheard = unanswered.includes(FABRIC_MAC) ? unheardAnswer(asker, target, sender) : undefined;
    return unheard === undefined ? { answers: unanswered } : { answers: [], lost: unheard };
  }

  /** arp_process(): for a second (`locktime`) an entry that was just learnt is not changed by what somebody else asks. A walk takes less. */
  overrides(): boolean {
    return false;
  }

  learnt(kernel: Kernel, device: Device, address: Address): Mac | undefined {
    return this.#learnt.get(neighbourKey(kernel, device, address));
  }

  learn(kernel: Kernel, device: Device, address: Address, mac: Mac): void {
    this.#learnt.set(neighbourKey(kernel, device, address), mac);
  }

  /** What else is under way waits: a neighbour is found, or not, before the packet that needs it goes on. */
  flood(kernel: Kernel, device: Device, target: Address, send: (mac: Mac) => void): void {
    const waiting = this.#queue.splice(0);
    for (const p of this.topology.domain(kernel, device).receivers) {
      if (p.kernel === kernel && p.device === device) continue;
      // Whether somebody made up is there is asked only where it would answer.
      if (p.kernel.stack.assumed !== undefined && !p.device.addresses.some((a) => a.prefix.address === target))
        continue;
      send(macOf(p.kernel.name, p.device));
      this.drain();
    }
    append(this.#queue, waiting);
  }

  unanswered(kernel: Kernel, device: Device, target: Address, skb: Skb): readonly Mac[] {
    const domain = this.topology.domain(kernel, device);
    if (domain.receivers.some((p) => p.kernel.stack.assumed !== undefined && !this.isThere(p.kernel))) return [];
    if (kernel.stack.assumed !== undefined && domain.receivers.length > 0) {
      const gateway = domain.receivers.find((p) => p.kernel.name === kernel.stack.node) ?? domain.receivers[0]!;
      if (skb.route?.gateway !== undefined || isOnlyRoute(kernel, target))
        return [macOf(gateway.kernel.name, gateway.device)];
      this.#needNeighbour(kernel, device, target, domain.receivers);
      return [];
    }
    if (device.kind === "vxlan") return this.#vtepMac(kernel, device, target, skb);
    if (domain.fabric && isolatedByParent(this.world, kernel.stack, device, target)) return [];
    const last = skb.route?.gateway === undefined;
    if (last && this.absence(kernel, device, target) !== undefined) return [];
    this.#needHost(kernel, device, target, skb, domain.loose);
    this.#needNeighbour(kernel, device, target, domain.receivers);
    if (domain.fabric || isTunnel(device)) return [FABRIC_MAC];
    // A port that forwards nothing was shown, and so was who is behind it: nobody else is looked for.
    const owner = domain.mute ? ownerOf(this.world, target) : undefined;
    if (owner?.kind !== "device" || !owner.device.addressesKnown) this.#restOnAddresses(kernel);
    return [];
  }

  absence(kernel: Kernel, device: Device, target: Address): Absence | undefined {
    if (device.kind === "vxlan" || isTunnel(device)) return undefined;
    if (this.oracle.settled?.({ kind: "endpoint", address: target }) === "answers") return undefined;
    const { loose, fabric } = this.topology.domain(kernel, device);
    return absenceOf(this.world, target) ?? absenceBehind(kernel, device, target, loose.length > 0 || fabric);
  }

  #vtepMac(kernel: Kernel, device: Device, target: Address, skb: Skb): readonly Mac[] {
    if (arpReachesNobody(kernel.stack, device)) return [];
    const mac = vtepMacOf(this.world, kernel.stack, device, target, skb.packet.dst);
    if (mac === undefined) return [FABRIC_MAC];
    const fact: Fact = { kind: "neighbour", stack: kernel.name, device: device.name, address: target };
    this.oracle.assume(fact, mac, {
      kind: "neighbour",
      stack: kernel.name,
      mac,
      address: target,
      device: device.name,
    });
    return [mac];
  }

  /** Nobody has the address: but for those of whom not all addresses were shown. */
  #restOnAddresses(asking: Kernel): void {
    for (const { name, devices, assumed, fromObjects } of this.world.stacks) {
      const unknown = devices.items.some((d) => isUnderlay(d) && !d.addressesKnown);
      if (!unknown || assumed !== undefined || fromObjects === true) continue;
      if (!this.oracle.rests({ kind: "addresses", stack: name }))
        throw new Undetermined(asking.name, "neighbour", { kind: "unknown-addresses", stack: name });
    }
  }

  /** A host asks for another on its own segment: one that nobody dumped may hang on the same bridge of their node. */
  #needNeighbour(
    kernel: Kernel,
    device: Device,
    target: Address,
    receivers: readonly { readonly kernel: Kernel; readonly device: Device }[],
  ): void {
    const bridge = receivers.find(
      (p) =>
        p.kernel.stack.kind === "node" &&
        p.device.kind === "bridge" &&
        p.device.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, target)),
    );
    if (bridge === undefined || this.absence(kernel, device, target) !== undefined) return;
    // Whoever has the address was shown, and does not answer here; the subnet of a bridge is nobody's address.
    if (ownerOf(this.world, target)?.kind === "device") return;
    throw new NeedsHost({
      kind: "bridged",
      address: target,
      stack: bridge.kernel.name,
      bridge: bridge.device.name,
    });
  }

  /** Somebody must be there whom nobody dumped: a pod behind a loose veth, a host on a bridge. */
  #needHost(
    kernel: Kernel,
    device: Device,
    target: Address,
    skb: Skb,
    loose: readonly { readonly kernel: Kernel; readonly device: Device }[],
  ): void {
    const stack = kernel.name;
    // Whoever has the address was shown, and its link is down: there is no second one behind the bridge.
    const owner = ownerOf(this.world, target);
    if (owner?.kind === "device" && (!owner.device.up || owner.device.carrier === false)) return;
    // Whoever was made up stands elsewhere: a left-over route leads to him, and he is not there twice.
    if (owner?.kind === "device" && owner.stack.assumed !== undefined) return;
    if (device.kind === "bridge") {
      const onLink = device.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, target));
      const routed = skb.route?.gateway === undefined;
      if (onLink || (routed && loose.length > 0))
        throw new NeedsHost({ kind: "bridged", address: target, stack, bridge: device.name });
      return;
    }
    const only = loose.length === 1 && loose[0]!.kernel === kernel && loose[0]!.device === device;
    if (only) throw new NeedsHost({ kind: "behind", address: skb.packet.dst, stack, device: device.name });
  }
}

/** kube-proxy in IPVS mode binds every Service address it serves: seen by its device, its services or its sets. */
export const bindsServices = (stack: Stack): boolean => memo(binding, stack, () => asksForServiceAddresses(stack));

const binding = new WeakMap<Stack, boolean>();

function asksForServiceAddresses(stack: Stack): boolean {
  if (stack.ipvs.services.length > 0 || stack.devices.items.some((d) => d.name === KUBE_IPVS0)) return true;
  for (const table of stack.netfilter.tables)
    for (const { rule } of rulesSaying(table, "--match-set"))
      if (rule.matches.some((m) => m.kind === "set" && isBoundSet(m.name))) return true;
  return false;
}

const neighbourKey = (kernel: Kernel, device: Device, address: Address): string =>
  `${kernel.name}\n${device.name}\n${formatAddress(address)}`;

/** A made-up host with a /32 sends everything to its gateway, whatever the target. */
const isOnlyRoute = (kernel: Kernel, target: Address): boolean =>
  !kernel.stack.devices.items.some((d) => d.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, target)));
