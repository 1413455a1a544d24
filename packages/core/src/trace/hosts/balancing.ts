import { type Kernel, type Skb, Undetermined } from "../../datapath/index.ts";
import type {
  BalancerHabit,
  BalancerQuestion,
  Decision,
  Device,
  Fact,
  Forwarding,
  LoadBalancer,
  Packet,
} from "../../model/index.ts";
import { portKey } from "../../model/index.ts";
import { type Address, contains, familyOf, formatAddress, isIpv4, isLinkLocal, parsePrefix } from "../../net/index.ts";
import type { Walk } from "../walk/walk.ts";
import { answeringPlaces } from "./answering.ts";
import { onDevice, ownerOf } from "./owners.ts";
import { NeedsHost } from "./synthesise.ts";
import { type Attachment, isUnderlay } from "./topology.ts";
import { tupleKey, withoutMacs } from "./underlay.ts";
import { balancedTo } from "./unknown-balancer.ts";

/** A connection through a load balancer, to be undone for the answer. */
interface Balanced {
  readonly balancer: LoadBalancer;
  readonly target: string;
  readonly query: Packet;
  readonly sent: Packet;
}

const isAlike = (a: Address, b: Address): boolean => familyOf(a) === familyOf(b);
const isLinkLocal6 = (a: Address): boolean => !isIpv4(a) && isLinkLocal(a);

const FORWARDING: readonly Forwarding[] = ["nat", "passthrough", "pods"];

/** The load balancers of the World at work: whom they send to, and what they make of a packet. */
export class Balancing {
  readonly #walk: Walk;
  readonly #toOwner: (kernel: Kernel, device: Device, skb: Skb) => void;
  readonly #begun: Balanced[] = [];

  constructor(walk: Walk, toOwner: (kernel: Kernel, device: Device, skb: Skb) => void) {
    this.#walk = walk;
    this.#toOwner = toOwner;
  }

  /** An answer that passes the balancer on its way back. */
  undo(kernel: Kernel, skb: Skb): boolean {
    const { packet } = skb;
    const back = this.#begun.find(
      (b) =>
        b.sent !== b.query &&
        b.sent.dst === packet.src &&
        portKey(b.sent.dport) === portKey(packet.sport) &&
        b.sent.src === packet.dst &&
        portKey(b.sent.sport) === portKey(packet.dport),
    );
    if (back === undefined) return false;
    // A balancer that keeps the client's address undoes its translation too: the answer passes it on its way out.
    const { src, sport, dst, dport } = back.query;
    skb.packet = { ...packet, src: dst, sport: dport, dst: src, dport: sport };
    this.#note(kernel, skb, { kind: "balancer-answers", balancer: back.balancer.address });
    return true;
  }

  /** A load balancer takes the packet. True: it is under way to one of its targets, or lost. */
  balance(kernel: Kernel, device: Device, skb: Skb): boolean {
    const { world } = this.#walk;
    const { packet } = skb;
    const balancer = world.loadBalancers.find((b) => b.address === packet.dst);
    if (balancer === undefined) return this.#balanceUnknown(kernel, skb);
    if (balancer.inferred !== undefined && this.#needsNone(kernel, balancer)) return false;
    const port = balancer.ports.find((p) => p.port === packet.dport && p.protocol === packet.protocol);
    const lost = (decision: Decision): true => {
      kernel.drop(skb, "load balancer", "FABRIC_NO_OWNER", decision, [balancer.origin]);
      return true;
    };
    if (port === undefined) {
      if (balancer.inferred !== undefined && packet.icmp !== undefined) {
        const reason: Decision = { kind: "unknown-balancer-icmp", balancer: packet.dst };
        throw new Undetermined(kernel.name, "load balancer", reason, [balancer.origin]);
      }
      return lost({ kind: "balancer-no-port", balancer: packet.dst });
    }
    if (!lets(balancer, packet.src)) {
      const decision: Decision = { kind: "balancer-not-in", balancer: packet.dst, address: packet.src };
      kernel.drop(skb, "load balancer", "FABRIC_DENY", decision, [balancer.origin]);
      return true;
    }
    const forwarding = this.#forwarding(balancer);
    const begun = this.#begun.find((b) => tupleKey(b.query, "forth") === tupleKey(packet, "forth"));
    if (forwarding === "pods")
      return this.#toPod(kernel, device, skb, balancer, begun) || lost({ kind: "balancer-no-endpoint" });
    const targets = this.#targets(balancer);
    if (targets.length === 0) return lost({ kind: "balancer-no-target" });
    // A connection stays with the target it began with.
    const target = begun?.target ?? this.#pick(balancer, targets);
    const place = this.#placeOf(target, packet.dst);
    const nodeAddress = place?.address ?? this.#objectAddress(target, packet.dst);
    if (nodeAddress === undefined) return lost({ kind: "balancer-unknown-target", target });
    const keeps = forwarding === "passthrough" || this.#keeps(balancer);
    const sent: Packet =
      forwarding === "passthrough"
        ? packet
        : { ...packet, dst: nodeAddress, dport: port.targetPort, ...(keeps ? {} : this.#ownSource(balancer, begun)) };
    if (begun === undefined) this.#begun.push({ balancer, target, query: packet, sent });
    skb.packet = sent;
    const way = forwarding === "passthrough" ? "as-is" : keeps ? "keeping" : "replacing";
    this.#note(kernel, skb, { kind: "balancer-sends", balancer: packet.dst, target, way }, balancer.address);
    if (place !== undefined) {
      this.#walk.arrive(place.kernel, place.device, withoutMacs(skb), true);
      return true;
    }
    // A node of which there is no dump is taken to serve it.
    skb.route = undefined;
    const far = ownerOf(world, sent.dst);
    if (far === undefined) throw new NeedsHost({ kind: "far", address: sent.dst, as: "endpoint" });
    this.#toOwner(kernel, device, withoutMacs(skb));
    return true;
  }

  /** The user says where the packet arrives, or somebody who was shown has the address: nothing is to be inferred. */
  #needsNone(kernel: Kernel, balancer: LoadBalancer): boolean {
    const { question, world } = this.#walk;
    if (question.arrival !== undefined && kernel.name === question.client) return true;
    // Where nodes answer ARP for the address by themselves, they race with whoever announces it.
    if (balancer.oneAtATime === true && answeringPlaces(this.#walk, kernel, balancer.address).length > 0) return true;
    const owner = onDevice(world, balancer.address, isUnderlay);
    return owner !== undefined && owner.stack.assumed === undefined;
  }

  #toPod(kernel: Kernel, device: Device, skb: Skb, balancer: LoadBalancer, begun: Balanced | undefined): boolean {
    const { packet } = skb;
    const pods = (balancer.pods ?? []).filter((p) => p.port === packet.dport && p.protocol === packet.protocol);
    if (pods.length === 0) return false;
    const names = pods.map((p) => formatAddress(p.address));
    const target = begun?.target ?? this.#pick(balancer, names);
    const pod = pods.find((p) => formatAddress(p.address) === target) ?? pods[0]!;
    const keeps = this.#keeps(balancer);
    const sent: Packet = {
      ...packet,
      dst: pod.address,
      dport: pod.targetPort,
      ...(keeps ? {} : this.#ownSource(balancer, begun)),
    };
    if (begun === undefined) this.#begun.push({ balancer, target, query: packet, sent });
    skb.packet = sent;
    const way = keeps ? "keeping" : "replacing";
    const sends: Decision = { kind: "balancer-sends-to-pod", balancer: packet.dst, target, way };
    this.#note(kernel, skb, sends, balancer.address);
    skb.route = undefined;
    this.#toOwner(kernel, device, withoutMacs(skb));
    return true;
  }

  #pick(balancer: LoadBalancer, targets: readonly string[]): string {
    const { oracle } = this.#walk;
    const shown = formatAddress(balancer.address);
    if (targets.length === 1) return targets[0]!;
    if (balancer.oneAtATime !== undefined) {
      const one = String(balancer.oneAtATime);
      const habit: BalancerHabit = { kind: balancer.oneAtATime ? "one-node" : "every-node" };
      if (this.#assumed(balancer, "oneAtATime", one, habit) === "true")
        return oracle.fact({ kind: "load-balancer", address: balancer.address, what: "node" }, targets);
    }
    const weights = targets.map((t) => balancer.weights?.[balancer.targets.indexOf(t)] ?? 1);
    const all = weights.reduce((a, b) => a + b);
    const options = targets.map((label, i) => ({ label, share: weights[i]! / all }));
    return targets[oracle.chance(`load-balancer/${shown}`, options)]!;
  }

  #ownSource(balancer: LoadBalancer, begun: Balanced | undefined): Partial<Packet> {
    const src = balancer.source ?? balancer.address;
    return { src, sport: begun?.sent.sport ?? this.#walk.newPort("lb", 1024, 65535) };
  }

  #keeps(balancer: LoadBalancer): boolean {
    const { oracle } = this.#walk;
    const fact: Fact = { kind: "load-balancer", address: balancer.address, what: "preserveClient" };
    if (balancer.preserveClient === "?") return oracle.fact(fact, ["true", "false"]) === "true";
    const kept = String(balancer.preserveClient);
    const habit: BalancerHabit = { kind: balancer.preserveClient ? "keeps" : "replaces" };
    return this.#assumed(balancer, "preserveClient", kept, habit) === "true";
  }

  #forwarding(balancer: LoadBalancer): Forwarding {
    const how = balancer.forwarding ?? "nat";
    const value = this.#assumed(balancer, "forwarding", how, { kind: how });
    return FORWARDING.find((f) => f === value) ?? how;
  }

  #targets(balancer: LoadBalancer): readonly string[] {
    const list = balancer.targets.join(",");
    const value = this.#assumed(balancer, "targets", list, { kind: "targets", targets: balancer.targets });
    if (value === list) return balancer.targets;
    return value.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  }

  /** What was inferred is listed where it is used, and is what the user says instead. */
  #assumed(
    { inferred, address, service }: LoadBalancer,
    what: BalancerQuestion,
    value: string,
    habit: BalancerHabit,
  ): string {
    if (inferred === undefined) return value;
    const { oracle } = this.#walk;
    const fact: Fact = { kind: "load-balancer", address, what };
    const settled = oracle.settled?.(fact);
    if (settled !== undefined) return settled;
    const { provider, ground: told } = inferred;
    const by = service === undefined ? {} : { service };
    oracle.assume(fact, value, { kind: "balancer", balancer: address, provider, basis: told, ...by, habit });
    return value;
  }

  /** Where a target is, and its own address of the family of the balancer's. */
  #placeOf(target: string, front: Address): (Attachment & { readonly address: Address }) | undefined {
    const kernel = this.#walk.kernel(target);
    if (kernel === undefined) return undefined;
    const own = ({ addresses }: Device) =>
      addresses.find(({ prefix: { address } }) => isAlike(address, front) && !isLinkLocal6(address))?.prefix.address;
    const device = kernel.stack.devices.items.find((d) => isUnderlay(d) && own(d) !== undefined);
    const address = device === undefined ? undefined : own(device);
    return device === undefined || address === undefined ? undefined : { kernel, device, address };
  }

  #objectAddress = (target: string, front: Address): Address | undefined =>
    this.#walk.world.kubernetes.nodes.find((n) => n.name === target)?.addresses.find((a) => isAlike(a, front));

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
    const about = { kind: "load-balancer", address: packet.dst } as const;
    if (oracle.fact({ ...about, what: "target" }, [kernel.name, "another node"]) !== kernel.name) return false;
    const keeps = oracle.fact({ ...about, what: "preserveClient" }, ["true", "false"]) === "true";
    const place = this.#placeOf(kernel.name, packet.dst);
    const own = kernel.compiled.interfaceAddress(packet.src) !== undefined;
    if (!keeps || !own || place === undefined) {
      const reason: Decision = { kind: "unknown-balancer-node-port", balancer: packet.dst, stack: kernel.name };
      throw new Undetermined(kernel.name, "load balancer", reason, [origin]);
    }
    // Whatever the port: a packet from the node's own address ends at source validation, or the port is asked for.
    skb.packet = { ...packet, dst: place.address, dport: this.#walk.newPort("nodeport", 30000, 32767) };
    const decision: Decision = { kind: "balancer-back", balancer: packet.dst, stack: kernel.name };
    this.#note(kernel, skb, decision, packet.dst);
    this.#walk.arrive(kernel, place.device, withoutMacs(skb), true);
    return true;
  }

  #note(kernel: Kernel, skb: Skb, decision: Decision, balancer?: Address): void {
    const by = balancer === undefined ? {} : { balancer };
    if (this.#walk.recording)
      this.#walk.record(skb, { kind: "link", stack: kernel.name, packet: skb.packet, decision, ...by });
  }
}

const lets = ({ sourceRanges }: LoadBalancer, source: Address): boolean =>
  sourceRanges === undefined ||
  sourceRanges.some((text) => {
    const prefix = parsePrefix(text);
    return prefix !== undefined && contains(prefix, source);
  });
