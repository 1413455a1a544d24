import { ipLocalOut } from "../datapath/ip-output.ts";
import { ipRouteOutput } from "../datapath/ip-route-output.ts";
import type { Kernel } from "../datapath/kernel.ts";
import { isRouteError } from "../datapath/route-result.ts";
import { icmpPacket, isIcmpError, type Skb, tcpPacket, udpPacket } from "../datapath/skb.ts";
import { sysctl } from "../datapath/sysctl.ts";
import { type Packet, type Port, portKey, type Step, TCP } from "../model/index.ts";
import { type Address, ANY4, hasPorts, isUnspecified, PROTO } from "../net/index.ts";
import type { ScriptStep } from "./script.ts";
import { UNREACHABLE } from "./socket-error.ts";
import { refuse, sendFrom } from "./transport.ts";
import type { Walk } from "./walk.ts";

/** `connected`, `timeout` (no answer), `stalled` (connected, and data got no answer), `sent`, or an errno. */
export type Heard = string;

interface Connection {
  readonly stack: string;
  readonly local: Address;
  readonly localPort: Port;
  readonly remote: Address;
  readonly remotePort: Port;
  readonly mark: number;
  readonly client: boolean;
  /** The stimulus that made it. */
  readonly born: number;
  state: "syn-sent" | "syn-recv" | "established" | "fin" | "closed";
  /** SYN-ACKs sent: a repeated SYN is answered once within half a second (tcp_oow_rate_limited). */
  answered: number;
  echoed: boolean;
  error?: string;
  /** sk_err_soft: what an ICMP error said of an open connection; only SO_ERROR tells. */
  softError?: string;
}

interface Waiting {
  readonly kind: "udp" | "ping";
  readonly stack: string;
  readonly local: Address;
  readonly localPort: Port;
  readonly remote: Address;
  readonly remotePort: number;
  heard?: Heard;
}

type Asking = Extract<ScriptStep, { readonly to: Address }>;

/** The sockets of all stacks: TCP, UDP and ping, as far as they decide which packets are sent. Sequence numbers are left out. */
export class Transport {
  #walk: Walk;
  readonly #connections: Connection[] = [];
  readonly #byId = new Map<string, Connection>();
  #waiting: Waiting | undefined;
  #stimuli = 0;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  moveTo(walk: Walk): void {
    this.#walk = walk;
  }

  stimulate(step: Exclude<ScriptStep, { readonly kind: "change" }>): Heard | undefined {
    this.#stimuli++;
    switch (step.kind) {
      case "connect":
        return this.#connect(step);
      case "send":
        return this.#sendOn(this.#byId.get(step.id));
      case "close":
        return this.#close(this.#byId.get(step.id), step.how);
      case "udp":
      case "ping":
        return this.#ask(step);
      case "inject": {
        const kernel = this.#walk.kernel(step.stack)!;
        const skb = this.#walk.newLeg("injected", step.packet);
        skb.type = "outgoing";
        skb.sourceMac = step.sourceMac;
        skb.destinationMac = step.destinationMac;
        this.#walk.transmit(kernel, kernel.device(step.device)!, skb);
        this.#walk.drain();
        return undefined;
      }
    }
  }

  /** ip_route_connect(): a look-up without a source chooses one, and a second is made with it. */
  #route(kernel: Kernel, step: Asking, twice: boolean) {
    const protocol = PROTO[step.kind === "connect" ? "tcp" : step.kind === "udp" ? "udp" : "icmp"];
    const key = (saddr: Address | undefined) => ({
      daddr: step.to,
      saddr,
      mark: step.mark ?? 0,
      tos: 0,
      protocol,
      ...(step.kind !== "ping" && { sport: step.sport, dport: step.port }),
    });
    const bound = step.bindAddress;
    const first = ipRouteOutput(kernel, key(bound));
    if (isRouteError(first) || bound !== undefined || !twice) return first;
    const second = ipRouteOutput(kernel, key(first.source));
    return isRouteError(second) ? second : { ...second, ...(first.source !== undefined && { source: first.source }) };
  }

  #connect(step: Extract<ScriptStep, { readonly kind: "connect" }>): Heard {
    const kernel = this.#walk.kernel(step.stack)!;
    const route = this.#route(kernel, step, true);
    if (isRouteError(route)) return route.errno;
    const connection: Connection = {
      stack: step.stack,
      local: step.bindAddress ?? route.source ?? ANY4,
      localPort: step.sport,
      remote: step.to,
      remotePort: step.port,
      mark: step.mark ?? 0,
      client: true,
      born: this.#stimuli,
      state: "syn-sent",
      answered: 0,
      echoed: false,
    };
    this.#connections.push(connection);
    this.#byId.set(step.id, connection);
    const skb = this.#walk.newLeg("SYN", tcpPacket(connection.local, step.sport, step.to, step.port, TCP.SYN));
    skb.route = route;
    skb.socket = {};
    skb.mark = connection.mark;
    ipLocalOut(kernel, skb);
    this.#walk.drain();
    if (connection.error !== undefined) return connection.error;
    if (connection.state !== "established") return this.#giveUp(connection, "timeout");
    // The lab's client asks SO_ERROR when connect() is done, as all do that do not block.
    if (connection.softError !== undefined) {
      connection.state = "closed";
      connection.error = connection.softError;
      return connection.error;
    }
    return this.#sendOn(connection);
  }

  #giveUp(connection: Connection, heard: Heard): Heard {
    connection.state = "closed";
    // The lab's servers hang up, too, on all who called since.
    for (const c of this.#connections) if (!c.client && c.born >= connection.born) c.state = "closed";
    return heard;
  }

  #sendOn(connection: Connection | undefined): Heard {
    if (connection === undefined || connection.state !== "established") return connection?.error ?? "not connected";
    connection.echoed = false;
    this.#segment(connection, TCP.ACK | TCP.PSH, "data");
    this.#walk.drain();
    if (connection.echoed) return "connected";
    return connection.error ?? this.#giveUp(connection, "stalled");
  }

  #close(connection: Connection | undefined, how: "fin" | "reset"): undefined {
    if (connection === undefined || connection.state !== "established") return undefined;
    connection.state = how === "fin" ? "fin" : "closed";
    this.#segment(connection, how === "fin" ? TCP.FIN | TCP.ACK : TCP.RST | TCP.ACK, how === "fin" ? "FIN" : "RST");
    this.#walk.drain();
    return undefined;
  }

  #segment(c: Connection, flags: number, what: string): void {
    const packet = tcpPacket(c.local, c.localPort, c.remote, c.remotePort, flags);
    this.#reply(this.#walk.kernel(c.stack)!, packet, what, c.mark);
  }

  #reply(kernel: Kernel, packet: Packet, what: string, mark = 0): void {
    const skb = this.#walk.newLeg(what, packet);
    skb.mark = mark;
    sendFrom(kernel, skb, { why: { kind: "sends", what } });
  }

  #ask(step: Extract<ScriptStep, { readonly kind: "udp" | "ping" }>): Heard {
    const kernel = this.#walk.kernel(step.stack)!;
    const route = this.#route(kernel, step, step.kind === "udp");
    if (isRouteError(route)) return route.errno;
    const local = step.bindAddress ?? route.source ?? ANY4;
    const waiting: Waiting = {
      kind: step.kind,
      stack: step.stack,
      local,
      localPort: step.kind === "udp" ? step.sport : step.ident,
      remote: step.to,
      remotePort: step.kind === "udp" ? step.port : 0,
    };
    this.#waiting = waiting;
    const packet =
      step.kind === "udp"
        ? udpPacket(local, step.sport, step.to, step.port)
        : icmpPacket(local, step.to, { type: 8, code: 0, id: step.ident });
    const skb = this.#walk.newLeg(step.kind, packet);
    skb.route = route;
    skb.socket = {};
    skb.mark = step.mark ?? 0;
    ipLocalOut(kernel, skb);
    const record = this.#walk.legs[skb.leg]!;
    const { end } = record;
    // What a hook drops before the device has it, sendmsg() reports; later losses it does not.
    const denied =
      end.kind === "dropped" &&
      end.kernel === kernel &&
      !record.steps.some((s) => s.kind === "transmit" || s.kind === "arp" || isStolen(s))
        ? (end.drop.errno ?? "EPERM")
        : undefined;
    this.#walk.drain();
    this.#waiting = undefined;
    return denied ?? waiting.heard ?? "timeout";
  }

  /** A packet reached a stack's transport layer. */
  receive(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    if (packet.protocol === PROTO.icmp) this.#icmp(kernel, skb);
    else if (packet.protocol === PROTO.tcp) this.#tcp(kernel, skb);
    else this.#udp(kernel, skb);
  }

  #icmp(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    const { icmp } = packet;
    if (icmp === undefined) return;
    const waiting = this.#waiting;
    // A raw socket gets a copy of every ICMP message.
    if (waiting?.kind === "ping" && waiting.stack === kernel.name && waiting.heard === undefined) {
      if (icmp.type === 0 && portKey(icmp.id) === portKey(waiting.localPort)) waiting.heard = "connected";
      else if (isIcmpError(packet)) waiting.heard = `icmp ${icmp.type}/${icmp.code}`;
    }
    if (icmp.type === 8) {
      if (sysctl(kernel, "net.ipv4.icmp_echo_ignore_all").value !== "0") return;
      if (skb.route?.type !== "local") return;
      const mark = sysctl(kernel, "net.ipv4.fwmark_reflect").value !== "0" ? skb.mark : 0;
      const answer = icmpPacket(packet.dst, packet.src, { type: 0, code: 0, id: icmp.id }, packet.length);
      this.#reply(kernel, { ...answer, tos: packet.tos }, "echo reply", mark);
      return;
    }
    if (!isIcmpError(packet) || icmp.inner === undefined) return;
    this.#error(kernel, icmp.type, icmp.code, icmp.inner);
  }

  #error(kernel: Kernel, type: number, code: number, inner: Packet): void {
    const [errno, fatal] = type === 11 ? (["EHOSTUNREACH", false] as const) : (UNREACHABLE[code] ?? ["", false]);
    if (type !== 3 && type !== 11) return;
    const waiting = this.#waiting;
    if (inner.protocol === PROTO.udp && waiting?.kind === "udp") {
      const same = waiting.stack === kernel.name && isMine(waiting, inner.src, inner.sport, inner.dst, inner.dport);
      if (same && fatal) waiting.heard ??= errno;
    }
    if (inner.protocol === PROTO.tcp) {
      const found = this.#find(kernel, inner.src, inner.sport, inner.dst, inner.dport);
      if (found?.state === "syn-sent" && code !== 4) {
        found.state = "closed";
        found.error = errno;
      } else if (found?.state === "established" && code !== 4) found.softError = errno;
    }
  }

  #udp(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    const waiting = this.#waiting;
    if (
      waiting?.kind === "udp" &&
      waiting.stack === kernel.name &&
      isMine(waiting, packet.dst, packet.dport, packet.src, packet.sport)
    ) {
      waiting.heard ??= "connected";
      return;
    }
    if (!hasPorts(packet.protocol) || !listening(kernel, packet)) {
      refuse(kernel, skb);
      return;
    }
    const answer = udpPacket(packet.dst, packet.dport, packet.src, packet.sport);
    this.#walk.later(() => this.#reply(kernel, answer, "answer"));
  }

  #tcp(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    const { tcpFlags: flags } = packet;
    const c = this.#find(kernel, packet.dst, packet.dport, packet.src, packet.sport);
    if (c !== undefined) {
      this.#segmentFor(c, flags);
      return;
    }
    if (flags & TCP.RST) return;
    if (!listening(kernel, packet)) {
      refuse(kernel, skb);
      return;
    }
    if (flags & TCP.ACK) {
      refuse(kernel, skb);
      return;
    }
    if (!(flags & TCP.SYN) || flags & TCP.FIN) return;
    const made: Connection = {
      stack: kernel.name,
      local: packet.dst,
      localPort: packet.dport,
      remote: packet.src,
      remotePort: packet.sport,
      mark: 0,
      client: false,
      born: this.#stimuli,
      state: "syn-recv",
      answered: 1,
      echoed: false,
    };
    this.#connections.push(made);
    this.#segment(made, TCP.SYN | TCP.ACK, "SYN-ACK");
  }

  #segmentFor(c: Connection, flags: number): void {
    if (flags & TCP.RST) {
      if (c.state === "syn-sent") {
        if (!(flags & TCP.ACK)) return;
        c.error = "ECONNREFUSED";
      } else if (c.client) c.error ??= "ECONNRESET";
      c.state = "closed";
      return;
    }
    switch (c.state) {
      case "syn-sent":
        if ((flags & (TCP.SYN | TCP.ACK)) !== (TCP.SYN | TCP.ACK)) return;
        c.state = "established";
        this.#segment(c, TCP.ACK, "ACK");
        return;
      case "syn-recv":
        if (flags & TCP.SYN) {
          if (c.answered++ < 2 && !(flags & TCP.ACK)) this.#segment(c, TCP.SYN | TCP.ACK, "SYN-ACK");
          return;
        }
        if (!(flags & TCP.ACK)) return;
        c.state = "established";
        break;
      case "established":
        break;
      default:
        if (flags & TCP.FIN) {
          c.state = "closed";
          this.#segment(c, TCP.ACK, "ACK");
        } else if (!c.client && flags & TCP.ACK) {
          // LAST_ACK: the caller has seen the FIN.
          c.state = "closed";
        }
        return;
    }
    if (flags & TCP.FIN) {
      // The lab's servers close when their caller does; FIN and the acknowledgement travel as one.
      c.state = "fin";
      this.#walk.later(() => this.#segment(c, TCP.FIN | TCP.ACK, "FIN"));
      return;
    }
    if (!(flags & TCP.PSH)) return;
    if (c.client) c.echoed = true;
    else this.#walk.later(() => c.state === "established" && this.#segment(c, TCP.ACK | TCP.PSH, "data"));
  }

  #find(kernel: Kernel, local: Address, localPort: Port, remote: Address, remotePort: Port): Connection | undefined {
    return this.#connections.find(
      (c) => c.stack === kernel.name && c.state !== "closed" && isMine(c, local, localPort, remote, remotePort),
    );
  }
}

/** What IPVS sends on is no longer the caller's: its loss is not told. */
const isStolen = (s: Step): boolean => s.kind === "ipvs" && s.packet.dst !== s.before.dst;

const isMine = (
  c: Pick<Connection, "local" | "localPort" | "remote" | "remotePort">,
  local: Address,
  localPort: Port,
  remote: Address,
  remotePort: Port,
): boolean =>
  c.local === local &&
  c.remote === remote &&
  portKey(c.localPort) === portKey(localPort) &&
  portKey(c.remotePort) === portKey(remotePort);

/** The stack's own listeners; of a scripted World all are known. */
const listening = (kernel: Kernel, p: Packet): boolean =>
  kernel.stack.listeners.items.some(
    (l) =>
      l.protocol === p.protocol &&
      l.port === p.dport &&
      (l.address === undefined || isUnspecified(l.address) || l.address === p.dst),
  );
