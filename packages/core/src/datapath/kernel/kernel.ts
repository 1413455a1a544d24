import type {
  Absence,
  Decision,
  Device,
  DropReason,
  LostDiscovery,
  Origin,
  Packet,
  Port,
  PortSet,
  Stack,
  Step,
  StepName,
} from "../../model/index.ts";
import type { Address, Mac } from "../../net/index.ts";
import { ConntrackTable } from "../conntrack/nf-conntrack.ts";
import type { Detour } from "../ip/ip-redirect.ts";
import type { Heard } from "../ip/tcp-early-demux.ts";
import { connectionsOf, type IpvsConn, type IpvsTemplate, templatesOf } from "../ipvs/ip-vs-conn.ts";
import { type HookTable, hooksOf } from "../netfilter/nf-register.ts";
import type { RouteError, RouteResult } from "../route/route-result.ts";
import { type CompiledStack, compile } from "./compiled-stack.ts";
import type { Oracle } from "./oracle.ts";
import type { Skb } from "./skb.ts";
import type { Work } from "./work.ts";

/** How a walk ends, apart from being delivered. */
export interface Drop {
  readonly step: StepName;
  readonly reason: DropReason;
  readonly decision: Decision;
  readonly origins: readonly Origin[];
  /** What the system call fails with if the packet was sent by one (NF_DROP_ERR); absent: EPERM. */
  readonly errno?: string;
}

/** Who answered an ARP request, and of which packet a rule made sure that nobody did. */
export interface Resolution {
  readonly answers: readonly Mac[];
  readonly lost?: LostDiscovery;
}

/** What lies beyond one stack: links, segments, the fabric, sockets. Implemented by the round trip (`trace`). */
export interface Network {
  readonly oracle: Oracle;
  /** Record the rules that did not match, too. */
  readonly verbose: boolean;
  /** What the walk may still cost. */
  readonly work: Work;
  /** Whether anybody wants the steps. Where nobody does none is made: ask before making one. */
  readonly recording: boolean;
  /** Whether somebody wants the lines that a packet comes by and no steps (`meet`, `routed`). */
  readonly noting: boolean;
  record(skb: Skb, step: Step): void;
  /** A packet came by a line: a rule, a route, a virtual server. */
  meet(kernel: Kernel, skb: Skb, origin: Origin): void;
  /** A packet was routed: by these lines, and this way out. */
  routed(kernel: Kernel, skb: Skb, found: RouteResult | RouteError): void;
  dropped(kernel: Kernel, skb: Skb, drop: Drop): void;
  /** A frame leaves a device that is not a bridge, lo or another device stacked on one of this stack. */
  transmit(kernel: Kernel, device: Device, skb: Skb): boolean;
  /**
   * Where a tunnel device sends this packet, if nothing shown in its stack says so: the far end's address, found by whom it
   * leads to.
   */
  farEnd(kernel: Kernel, device: Device, skb: Skb): Address | undefined;
  /** A tunnel's packet reached a stack of which no such tunnel device was shown. */
  unwrap(kernel: Kernel, skb: Skb): void;
  /** A tunnel's packet reached a program that listens on its port, to which it is a datagram. */
  datagram?(kernel: Kernel, skb: Skb): void;
  /** A packet reached the transport layer of a stack. */
  deliver(kernel: Kernel, skb: Skb): void;
  /** Sends a packet that the kernel itself made and that ends nothing (a redirect). */
  tell(packet: Packet, what: string): Skb;
  /** Sends a packet that the kernel itself made (ICMP error, RST) in answer to `cause`. */
  answer(kernel: Kernel, cause: Skb, packet: Packet, what: string): Skb;
  /** Who answers an ARP request for `target` sent from this device: MACs, or "fabric" where the underlay resolves it. */
  resolve(kernel: Kernel, device: Device, target: Address, sender: Address | undefined, skb: Skb): Resolution;
  /** Asks all that a device reaches for an address: `send` is called for the MAC of each, and every copy runs to its end. */
  flood(kernel: Kernel, device: Device, target: Address, send: (mac: Mac) => void): void;
  /** A stack has learnt a neighbour from a packet of neighbour discovery. */
  learn(kernel: Kernel, device: Device, address: Address, mac: Mac): void;
  /** What this stack has learnt. */
  learnt(kernel: Kernel, device: Device, address: Address): Mac | undefined;
  /** Nobody shown answers for an address: whom else a frame for it reaches. */
  unanswered(kernel: Kernel, device: Device, target: Address, skb: Skb): readonly Mac[];
  /** Who says that nobody behind a device has an address; undefined: nobody says so. */
  absence(kernel: Kernel, device: Device, target: Address): Absence | undefined;
  /** Does this bridge port lead to the device with this MAC, over however many bridges? */
  leadsTo(kernel: Kernel, port: Device, mac: Mac): boolean;
  /** Has the holder of this MAC sent a frame in this walk, so that bridges know where it is? */
  hasSpoken(mac: Mac): boolean;
  /** Does this bridge port lead out of what the World knows? */
  leadsOut(kernel: Kernel, port: Device): boolean;
  /** Could this stack have this address, although no dump shows it? */
  mayBind(kernel: Kernel, address: Address): boolean;
  /** Does it, in this hypothesis? Asked only where `mayBind`. */
  binds(kernel: Kernel, address: Address): boolean;
  /** Whether what was there a moment ago still counts, which is for a clock to say; absent: packets come one by one, seconds apart. */
  lingers?(what: string): boolean;
  /** A fresh random port, as NAT draws one. */
  newPort(label: string, from: number, to: number): PortSet;
}

/** A connection's socket, as this walk has opened it. `transparent` absent: nobody showed it. */
export interface ConnectedSocket {
  readonly protocol: number;
  readonly local: Address;
  readonly localPort: Port;
  readonly remote: Address;
  readonly remotePort: Port;
  readonly transparent?: boolean | undefined;
}

/** The live state of one stack during one walk. The Stack itself never changes. */
export class Kernel {
  readonly stack: Stack;
  readonly compiled: CompiledStack;
  readonly network: Network;
  /** Whether steps are wanted (Network.recording). */
  readonly recording: boolean;
  /** Whether lines alone are (Network.noting). */
  readonly noting: boolean;
  readonly hooks: HookTable;
  #hooks6: HookTable | undefined;
  readonly conntrack: ConntrackTable;
  readonly ipvsConns: IpvsConn[];
  readonly ipvsTemplates: IpvsTemplate[];
  /** nth counters of `-m statistic --mode nth`, `recent` lists and sets changed by SET targets, by rule or name. */
  readonly scratch: Map<string, unknown>;
  readonly sockets: ConnectedSocket[] = [];
  /** Open connections, by their ends. */
  readonly heard: Map<string, Heard>;
  /** The World was another when the walk began. */
  readonly changed: boolean;
  /** Path MTUs that ICMP errors told of, by destination (struct fib_nh_exception). */
  readonly pathMtu: Map<Address, number>;
  /** Errors that a tunnel has yet to tell its senders of, by device (struct ip_tunnel's err_count). */
  readonly tunnelErrors: Map<string, number>;
  /** Gateways that redirects told of, by destination (struct fib_nh_exception, too). */
  readonly redirected: Map<Address, Address>;
  /** Packets that this stack handed back to the link they came from, and has told nobody of yet. */
  readonly detours: Detour[] = [];
  /** A packet has been here: what its settings are that no walk asks for is noted. */
  noted = false;
  /** Packets that moved a counter which decides (`nth`, `numgen inc`): the next one like them may fare otherwise. */
  counted = 0;
  /** Tunnels whose packets are being sent just now, one inside the other (dev_recursion_level). */
  tunnelling = 0;

  /** `before`: the same stack before its records changed; connections live on. */
  constructor(stack: Stack, network: Network, before?: Kernel) {
    this.stack = stack;
    this.ipvsConns = before?.ipvsConns ?? connectionsOf(stack);
    this.ipvsTemplates = before?.ipvsTemplates ?? templatesOf(stack);
    // A zone chosen for a packet ends with it; the rest is what rules remember.
    this.scratch = new Map([...(before?.scratch ?? [])].filter(([key]) => !key.startsWith("zone/")));
    this.pathMtu = before?.pathMtu ?? new Map();
    this.heard = before?.heard ?? new Map();
    this.changed = before !== undefined;
    this.tunnelErrors = before?.tunnelErrors ?? new Map();
    this.redirected = before?.redirected ?? new Map();
    this.compiled = compile(stack);
    this.network = network;
    this.recording = network.recording;
    this.noting = network.noting;
    this.conntrack = before?.conntrack ?? new ConntrackTable(stack);
    this.hooks = hooksOf(this);
  }

  /** Of IPv6; made when the first packet of it comes. */
  get hooks6(): HookTable {
    this.#hooks6 ??= hooksOf(this, 6);
    return this.#hooks6;
  }

  get name(): string {
    return this.stack.name;
  }

  get oracle(): Oracle {
    return this.network.oracle;
  }

  device(name: string): Device | undefined {
    return this.compiled.devices.get(name);
  }

  record(skb: Skb, step: Step): void {
    this.network.record(skb, step);
  }

  /** Where no step is made that names its lines. */
  meet(skb: Skb, origin: Origin | undefined): void {
    if (this.noting && origin !== undefined) this.network.meet(this, skb, origin);
  }

  meetAll(skb: Skb, origins: readonly Origin[]): void {
    if (this.noting) for (const origin of origins) this.network.meet(this, skb, origin);
  }

  drop(
    skb: Skb,
    step: StepName,
    reason: DropReason,
    decision: Decision,
    origins: readonly Origin[] = [],
    errno?: string,
  ): void {
    if (this.recording)
      this.record(skb, { kind: "drop", stack: this.name, packet: skb.packet, step, reason, decision, origins });
    else this.meetAll(skb, origins);
    this.network.dropped(this, skb, { step, reason, decision, origins, ...(errno !== undefined && { errno }) });
  }
}
