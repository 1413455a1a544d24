import {
  finishHeader,
  forgetHeard,
  ICMPV6,
  icmp6Packet,
  icmpPacket,
  ipLocalOut,
  isIcmpError,
  isRouteError,
  isTooBig,
  type Kernel,
  noteHeard,
  type RouteResult,
  type Skb,
  sysctl,
  tcpPacket,
  udpPacket,
} from "../../datapath/index.ts";
import { type Packet, type Port, portKey, type Stack, TCP } from "../../model/index.ts";
import { type Address, ANY4, ANY6, hasPorts, isIcmp, isIpv4, PROTO } from "../../net/index.ts";
import { acceptedFrom, bindingOf } from "./accepted.ts";
import type { ScriptStep } from "./script.ts";
import { learnsPathMtu, segmentLength, tailOf } from "./segment-length.ts";
import { errorOf, sendFails } from "./socket-error.ts";
import {
  answerTo,
  asError,
  belongs,
  type ClientSocket,
  hasEnds,
  hearsBy,
  isUnanswerable,
  listenerFor,
  quotes,
  refuse,
  routeConnect,
  type SocketEnds,
  sendFrom,
} from "./transport.ts";
import type { Walk } from "./walk.ts";

/** `connected`, `timeout` (no answer), `stalled` (connected, and data got no answer), `sent`, or an errno. */
export type Heard = string;

interface Connection extends SocketEnds {
  readonly stack: string;
  readonly mark: number;
  readonly tos: number;
  readonly boundDevice?: string | undefined;
  readonly client: boolean;
  /** The stimulus that made it. */
  readonly born: number;
  /** IPv6: the route it was opened with, which stands until the World changes (sk_dst_check()). */
  route?: RouteResult;
  state: "syn-sent" | "syn-recv" | "established" | "fin" | "closed";
  /** SYN-ACKs sent: a repeated SYN is answered once within half a second (tcp_oow_rate_limited). */
  answered: number;
  /** What the other end announced. */
  peerMss?: number | undefined;
  /** Length of the segment of data that is under way. */
  sent?: number;
  /** It did not leave its own stack: tcp_write_xmit() keeps it until a timer, or an acknowledgement, makes it try again (tcp_data_snd_check()). */
  kept?: boolean;
  echoed: boolean;
  /** sk_txhash: drawn for each socket. */
  hash: string;
  error?: string;
  /** sk_err_soft: what an ICMP error said of an open connection; only SO_ERROR tells. */
  softError?: string;
}

interface Waiting extends ClientSocket {
  readonly kind: "udp" | "ping";
  heard?: Heard;
}

const echoProtocol = (to: Address): number => (isIpv4(to) ? PROTO.icmp : PROTO.icmp6);
const anyOf = (to: Address): Address => (isIpv4(to) ? ANY4 : ANY6);
const echoRequest = (from: Address, to: Address, id: number, size: number | undefined): Packet =>
  isIpv4(to)
    ? icmpPacket(from, to, { type: 8, code: 0, id }, size)
    : icmp6Packet(from, to, { type: ICMPV6.echoRequest, code: 0, id }, size);

type Asking = Extract<ScriptStep, { readonly to: Address }>;

/** rt6_check(): a route of IPv6 that a socket has stands while nothing of IPv6's own is changed. */
function keepsRoutes6(a: Stack | undefined, b: Stack | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return a === b;
  const six = ({ routeTables, routingRules, sysctls }: Stack): readonly unknown[] => [
    ...routeTables.filter((t) => t.family === 6).flatMap((t) => t.routes),
    ...routingRules.items.filter((r) => r.family === 6),
    ...[...sysctls].filter(([key]) => key.startsWith("net.ipv6.")).map(([key, { value }]) => `${key}=${value}`),
  ];
  const [before, after] = [six(a), six(b)];
  return a.devices === b.devices && before.length === after.length && before.every((x, i) => x === after[i]);
}

/** The sockets of all stacks: TCP, UDP and ping, as far as they decide which packets are sent. Sequence numbers are left out. */
export class Transport {
  #walk: Walk;
  readonly #connections: Connection[] = [];
  readonly #byId = new Map<string, Connection>();
  #waiting: Waiting | undefined;
  #stimuli = 0;
  #hashes = 0;
  readonly #acknowledges: boolean;
  /** How much data a connection was told to send; its server answers as much. */
  #size: number | undefined;

  /** `acknowledges`: what a server got before it answers. */
  constructor(walk: Walk, acknowledges: boolean) {
    this.#walk = walk;
    this.#acknowledges = acknowledges;
  }

  moveTo(walk: Walk): void {
    const named = ({ world }: Walk, name: string) => world.stacks.find((s) => s.name === name);
    for (const c of this.#connections)
      if (!keepsRoutes6(named(this.#walk, c.stack), named(walk, c.stack))) delete c.route;
    this.#walk = walk;
  }

  stimulate(step: Exclude<ScriptStep, { readonly kind: "change" }>): Heard | undefined {
    this.#stimuli++;
    switch (step.kind) {
      case "connect":
        return this.#connect(step);
      case "send":
        this.#size = step.size;
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

  #newHash(): string {
    return `socket ${this.#hashes++}`;
  }

  #route(kernel: Kernel, step: Asking) {
    const flow = {
      daddr: step.to,
      ...(step.bindDevice !== undefined && { oif: step.bindDevice }),
      mark: step.mark ?? 0,
      tos: step.tos ?? 0,
      protocol: step.kind === "connect" ? PROTO.tcp : step.kind === "udp" ? PROTO.udp : echoProtocol(step.to),
      ...(step.kind !== "ping" && { sport: step.sport, dport: step.port }),
    };
    return routeConnect(kernel, flow, { address: step.bindAddress, port: true });
  }

  #connect(step: Extract<ScriptStep, { readonly kind: "connect" }>): Heard {
    const kernel = this.#walk.kernel(step.stack)!;
    const route = this.#route(kernel, step);
    if (isRouteError(route)) return route.errno;
    const connection: Connection = {
      stack: step.stack,
      local: step.bindAddress ?? route.source ?? anyOf(step.to),
      localPort: step.sport,
      remote: step.to,
      remotePort: step.port,
      mark: step.mark ?? 0,
      tos: step.tos ?? 0,
      boundDevice: step.bindDevice,
      client: true,
      born: this.#stimuli,
      state: "syn-sent",
      answered: 0,
      echoed: false,
      hash: this.#newHash(),
    };
    if (!isIpv4(step.to)) connection.route = route;
    this.#connections.push(connection);
    this.#byId.set(step.id, connection);
    this.#size = step.size;
    const syn = tcpPacket(connection.local, step.sport, step.to, step.port, TCP.SYN);
    const skb = this.#walk.newLeg("SYN", { ...syn, tos: connection.tos });
    skb.route = route;
    skb.socket = bindingOf(connection);
    skb.mark = connection.mark;
    skb.hash = connection.hash;
    finishHeader(kernel, skb, route);
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
    this.#data(connection);
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
    this.#send(c, tcpPacket(c.local, c.localPort, c.remote, c.remotePort, flags), what);
  }

  /** As much of the data as one segment holds: what is behind it is not waited for. */
  #data(c: Connection): void {
    const packet = tcpPacket(c.local, c.localPort, c.remote, c.remotePort, TCP.ACK | TCP.PSH, this.#size);
    c.sent = this.#lengthOf(c, packet);
    c.kept = false;
    const behind = packet.length - c.sent;
    this.#send(c, { ...packet, length: c.sent }, "data", { gso: behind > 0, behind, tail: tailOf(packet, c.sent) });
  }

  #lengthOf(c: Connection, packet: Packet): number {
    const binding = c.boundDevice === undefined ? {} : { oif: c.boundDevice };
    return segmentLength(this.#walk.kernel(c.stack)!, packet, c.peerMss, { mark: c.mark, ...binding });
  }

  #send(c: Connection, packet: Packet, what: string, segments?: Partial<Pick<Skb, "gso" | "behind" | "tail">>): void {
    // inet_csk_route_req() routes by the listener's type of service, which is none.
    const routed = c.client ? {} : { routedTos: 0 };
    const options = { ...bindingOf(c), ...routed, route: c.route };
    const sent = { ...segments, hash: c.hash };
    this.#reply(this.#walk.kernel(c.stack)!, { ...packet, tos: c.tos }, what, c.mark, options, sent);
  }

  #reply(
    kernel: Kernel,
    packet: Packet,
    what: string,
    mark = 0,
    options: Omit<Parameters<typeof sendFrom>[2], "why"> = {},
    { gso = false, behind = 0, tail, hash }: Partial<Pick<Skb, "gso" | "behind" | "tail" | "hash">> = {},
  ): void {
    const skb = this.#walk.newLeg(what, packet);
    skb.mark = mark;
    skb.gso = gso;
    skb.behind = behind;
    skb.tail = tail;
    skb.hash = hash;
    sendFrom(kernel, skb, { why: { kind: "sends", what }, ...options });
  }

  #ask(step: Extract<ScriptStep, { readonly kind: "udp" | "ping" }>): Heard {
    const kernel = this.#walk.kernel(step.stack)!;
    const route = this.#route(kernel, step);
    if (isRouteError(route)) return route.errno;
    const local = step.bindAddress ?? route.source ?? anyOf(step.to);
    const waiting: Waiting = {
      kind: step.kind,
      stack: step.stack,
      protocol: step.kind === "udp" ? PROTO.udp : echoProtocol(step.to),
      local,
      localPort: step.kind === "udp" ? step.sport : step.ident,
      remote: step.to,
      remotePort: step.kind === "udp" ? step.port : 0,
      ...(step.bindDevice !== undefined && { boundDevice: step.bindDevice }),
    };
    this.#waiting = waiting;
    const packet =
      step.kind === "udp"
        ? udpPacket(local, step.sport, step.to, step.port, step.size)
        : echoRequest(local, step.to, step.ident, step.size);
    const skb = this.#walk.newLeg(step.kind, { ...packet, tos: step.tos ?? 0 });
    skb.route = route;
    skb.socket = bindingOf(waiting);
    skb.mark = step.mark ?? 0;
    // The lab's client of UDP is connected (__ip4_datagram_connect()); its raw socket is not, nor are its servers'.
    if (step.kind === "udp") skb.hash = this.#newHash();
    finishHeader(kernel, skb, route);
    ipLocalOut(kernel, skb);
    const denied = sendFails(this.#walk.legs[skb.leg]!, waiting);
    this.#walk.drain();
    this.#waiting = undefined;
    return denied ?? waiting.heard ?? "timeout";
  }

  /** A packet reached a stack's transport layer. */
  receive(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    if (isIcmp(packet.protocol)) this.#icmp(kernel, skb);
    else if (packet.protocol === PROTO.tcp) this.#tcp(kernel, skb);
    else this.#udp(kernel, skb);
  }

  #icmp(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    const { icmp } = packet;
    if (icmp === undefined) return;
    const waiting = this.#waiting;
    const four = isIpv4(packet.dst);
    const echo = four ? { request: 8, reply: 0 } : { request: ICMPV6.echoRequest, reply: ICMPV6.echoReply };
    // A raw socket gets a copy of every ICMP message of its family.
    const hears =
      waiting?.kind === "ping" &&
      waiting.stack === kernel.name &&
      waiting.protocol === packet.protocol &&
      hearsBy(waiting, skb);
    if (hears && waiting.heard === undefined) {
      if (icmp.type === echo.reply && portKey(icmp.id) === portKey(waiting.localPort)) waiting.heard = "connected";
      else if (isIcmpError(packet)) waiting.heard = `icmp ${icmp.type}/${icmp.code}`;
    }
    if (icmp.type === echo.request) {
      const ignore = four ? "net.ipv4.icmp_echo_ignore_all" : "net.ipv6.icmp.echo_ignore_all";
      if (sysctl(kernel, ignore).value !== "0") return;
      // icmp_reply() answers from the address that was asked, if it is the stack's.
      if (four ? isUnanswerable(kernel, skb) : skb.route?.type !== "local") return;
      const mark = sysctl(kernel, `net.${four ? "ipv4" : "ipv6"}.fwmark_reflect`).value !== "0" ? skb.mark : 0;
      this.#reply(kernel, answerTo(packet), "echo reply", mark, { asked: skb });
      return;
    }
    if (isIcmpError(packet)) this.#error(kernel, skb);
  }

  #error(kernel: Kernel, skb: Skb): void {
    const error = skb.packet;
    const { inner } = error.icmp ?? {};
    if (inner === undefined) return;
    if (isTooBig(error) && inner.protocol === PROTO.tcp) this.#resend(kernel, inner, skb);
    const { errno } = errorOf(inner.protocol, error);
    if (errno === null) return;
    const waiting = this.#waiting;
    if (waiting?.kind === "udp" && quotes(waiting, kernel, skb)) waiting.heard ??= errno;
    if (inner.protocol !== PROTO.tcp) return;
    const found = this.#find(kernel, inner.src, inner.sport, inner.dst, inner.dport, asError(skb));
    if (found?.state === "syn-sent") {
      found.state = "closed";
      found.error = errno;
    } else if (found?.state === "established") found.softError = errno;
  }

  /**
   * Follows tcp_v4_mtu_reduced(): what the path does not carry is sent again at once, in smaller segments (tcp_simple_retransmit()). What did not leave its own
   * stack was never sent, and waits.
   */
  #resend(kernel: Kernel, { src, sport, dst, dport }: Packet, by: Skb): void {
    const c = this.#find(kernel, src, sport, dst, dport, asError(by));
    if (c?.sent === undefined || c.state !== "established") return;
    const { sent } = c;
    const told = () => learnsPathMtu(kernel, dst) && this.#inSmaller(c, sent);
    if (by.dev?.kind !== "loopback") told();
    else
      this.#walk.later(() => {
        if (this.#wasStolen(by)) told();
        else c.kept = true;
      });
  }

  /** ip_vs_nat_xmit(): what is too long for its way to a server is gone without a word to its sender (NF_STOLEN), who takes it for sent. */
  #wasStolen(error: Skb): boolean {
    const { legs } = this.#walk;
    const end = legs[legs[error.leg]?.answers ?? -1]?.end;
    return end?.kind === "dropped" && end.drop.step === "ipvs";
  }

  #inSmaller(c: Connection, before: number): void {
    const packet = tcpPacket(c.local, c.localPort, c.remote, c.remotePort, TCP.ACK | TCP.PSH, before);
    if (this.#lengthOf(c, packet) < before) this.#walk.later(() => c.state === "established" && this.#data(c));
  }

  #udp(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    const waiting = this.#waiting;
    if (waiting?.kind === "udp" && belongs(waiting, kernel, skb)) {
      waiting.heard ??= "connected";
      return;
    }
    if (!hasPorts(packet.protocol) || listenerFor(kernel, skb) === undefined) {
      refuse(kernel, skb);
      return;
    }
    if (isUnanswerable(kernel, skb)) return;
    const device = listenerFor(kernel, skb)?.device;
    this.#walk.later(() => this.#reply(kernel, answerTo(packet), "answer", 0, bindingOf({ boundDevice: device })));
  }

  #tcp(kernel: Kernel, skb: Skb): void {
    const { packet } = skb;
    const { tcpFlags: flags } = packet;
    const c = this.#find(kernel, packet.dst, packet.dport, packet.src, packet.sport, skb);
    if (c !== undefined) {
      this.#segmentFor(c, skb);
      return;
    }
    if (flags & TCP.RST) return;
    if (listenerFor(kernel, skb) === undefined) {
      refuse(kernel, skb);
      return;
    }
    if (flags & TCP.ACK) {
      refuse(kernel, skb);
      return;
    }
    if (!(flags & TCP.SYN) || flags & TCP.FIN || isUnanswerable(kernel, skb)) return;
    const made: Connection = {
      stack: kernel.name,
      local: packet.dst,
      localPort: packet.dport,
      remote: packet.src,
      remotePort: packet.sport,
      ...acceptedFrom(kernel, skb),
      peerMss: packet.mss,
      client: false,
      born: this.#stimuli,
      state: "syn-recv",
      answered: 1,
      echoed: false,
      hash: this.#newHash(),
    };
    this.#connections.push(made);
    this.#segment(made, TCP.SYN | TCP.ACK, "SYN-ACK");
  }

  #segmentFor(c: Connection, skb: Skb): void {
    this.#answerSegment(c, skb);
    const kernel = this.#walk.kernel(c.stack)!;
    if (c.state === "closed") forgetHeard(kernel, skb.packet);
    else if (c.state !== "syn-recv") noteHeard(kernel, skb);
  }

  #answerSegment(c: Connection, { packet: { tcpFlags: flags, mss }, ahead }: Skb): void {
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
        c.peerMss = mss;
        this.#segment(c, TCP.ACK, "ACK");
        return;
      case "syn-recv":
        if (flags & TCP.SYN) {
          if (c.answered++ < 2 && !(flags & TCP.ACK)) {
            // tcp_rtx_synack() draws anew.
            c.hash = this.#newHash();
            this.#segment(c, TCP.SYN | TCP.ACK, "SYN-ACK");
          }
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
    // tcp_data_queue_ofo(): what is ahead of something missing is acknowledged at once, and nobody reads it.
    if (ahead) this.#segment(c, TCP.ACK, "ACK");
    else if (!(flags & TCP.PSH)) {
      if (c.kept) this.#inSmaller(c, c.sent!);
    } else if (c.client) c.echoed = true;
    else {
      if (this.#acknowledges) this.#segment(c, TCP.ACK, "ACK");
      this.#walk.later(() => c.state === "established" && this.#data(c));
    }
  }

  #find(
    kernel: Kernel,
    local: Address,
    localPort: Port,
    remote: Address,
    remotePort: Port,
    by: Skb,
  ): Connection | undefined {
    return this.#connections.find(
      (c) =>
        c.stack === kernel.name &&
        c.state !== "closed" &&
        hasEnds(c, local, localPort, remote, remotePort) &&
        hearsBy(c, by),
    );
  }
}
