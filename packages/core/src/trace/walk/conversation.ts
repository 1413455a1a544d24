import {
  EPHEMERAL,
  finishHeader,
  icmp6Packet,
  icmpPacket,
  isIcmpError,
  isRouteError,
  type Kernel,
  localPortRange,
  noteHeard,
  type RouteResult,
  recordRoute,
  type Skb,
  sysctl,
  tcpPacket,
  Undetermined,
  udpPacket,
} from "../../datapath/index.ts";
import { type Decision, innermost, type Origin, type Packet, type Port, TCP } from "../../model/index.ts";
import { type Address, familyOf, hasPorts, isIcmp, isIpv4, PROTO, unspecified } from "../../net/index.ts";
import type { ClientSees, Leg } from "../explore/branch.ts";
import type { WalkedBranch } from "../explore/explore.ts";
import { refuseSocketPrograms } from "../hosts/other-datapaths.ts";
import type { Question } from "../question/question.ts";
import { type Accepted, accept, acceptedFrom, bindingOf, heardOn, socketOf } from "./accepted.ts";
import { clientPort, RETRIES, sourcePorts } from "./client-port.ts";
import { entriesOf } from "./device-addresses.ts";
import { legOf } from "./leg-of.ts";
import { type LegRecord, requestName } from "./leg-record.ts";
import { announcedMtu, isForTunnel, lostInSilence, mirrors, mtuProbes, segmentLength } from "./segment-length.ts";
import { errorOf, sendFails } from "./socket-error.ts";
import {
  answerTo,
  belongs,
  bindError,
  type ClientSocket,
  datagramSource,
  isUnanswerable,
  listens,
  quotes,
  refuse,
  routeConnect,
  sendFrom,
} from "./transport.ts";
import { bindsServices, type Walk } from "./walk.ts";

/** Tunnels one inside the other, each of which may have to learn its path's MTU. */
const MAX_TUNNELS = 3;
/** A socket that has nothing of another. */
const UNMARKED: Accepted = { mark: 0, tos: 0 };
const FIRST_OR_LATER = ["the first", "a later one"].map((label) => ({ label, share: 1 / 2 }));

/** The whole round trip: the request, its answer, and for TCP the first data each way. */
export function converse(walk: Walk): WalkedBranch {
  const talk = new Conversation(walk);
  try {
    talk.run();
  } catch (stop) {
    if (!(stop instanceof Undetermined)) throw stop;
    talk.undetermined(stop);
  }
  return talk.outcome();
}

class Conversation {
  readonly #walk: Walk;
  readonly #question: Question;
  readonly #legs: Leg[] = [];
  /** Index of the answer among the legs; data legs follow it. */
  #reply: Leg | null = null;
  #data: Leg[] = [];
  #sees: ClientSees | null = null;
  #errno: string | null = null;
  /** Ids of the legs that have their place in the answer. */
  readonly #closed = new Set<number>();
  /** IPv6: the route that the client's connection got when it was opened. */
  #route: RouteResult | undefined;
  #current: { readonly record: LegRecord; readonly skb: Skb } | undefined;

  constructor(walk: Walk) {
    this.#walk = walk;
    this.#question = walk.question;
  }

  run(): void {
    for (let tries = 0, known = this.#walk.lessons(); ; tries++, known = this.#walk.lessons()) {
      const counted = this.#walk.counted();
      this.#try();
      const lost = this.#sees === "timeout" || this.#sees === "unreachable";
      if (!lost) return;
      const taught = this.#walk.lessons() !== known && this.#isSentAgain();
      if (!taught && !this.#meetsOtherCount(counted, tries)) return;
      this.#legs.length = 0;
      this.#reply = null;
      this.#errno = null;
    }
  }

  /** What is lost teaches its sender of the path. TCP sends it again by itself; of datagrams the first is lost and a later one is not. */
  #isSentAgain(): boolean {
    const { client, protocol, to } = this.#question;
    if (!isIpv4(to) && protocol === PROTO.tcp) return false;
    return protocol === PROTO.tcp || this.#walk.oracle.chance(`${client}/datagram`, FIRST_OR_LATER) === 1;
  }

  /** A SYN that nobody answered is sent again, and a rule that counts packets may let the next one pass. */
  #meetsOtherCount(before: number, tries: number): boolean {
    if (this.#question.protocol !== PROTO.tcp || this.#sees !== "timeout") return false;
    return tries < RETRIES && this.#walk.counted() > before;
  }

  #try(): void {
    const { protocol, client: name } = this.#question;
    const client = this.#walk.kernel(name);
    if (client === undefined) throw new Undetermined(name, "client", { kind: "unknown-stack" });
    const opened = this.#open(client);
    if (opened === undefined) return;
    const { socket, skb } = opened;
    const request = this.#leg(skb);
    if (request === undefined) {
      this.#judgeLost(socket, skb.leg);
      return;
    }
    const astray = request.kernel.stack.assumed === "outside" && this.#walk.isClusterAddress(request.skb.packet.dst);
    if (astray || isUnanswerable(request.kernel, request.skb)) {
      // A ClusterIP that left the nodes untranslated: it went somewhere, and nobody there has it.
      this.#sees = "timeout";
      return;
    }
    if (isIcmp(protocol)) {
      if (this.#silent(request.kernel, request.skb)) return;
      this.#answer(socket, request.kernel, request.skb, answerTo(request.skb.packet), "echo reply", "connected");
      return;
    }
    if (protocol !== PROTO.tcp) {
      // A proxy of datagrams answers from a socket of its own making, or does not.
      if (request.skb.handedTo !== undefined)
        throw new Undetermined(request.kernel.name, "socket", { kind: "unknown-tproxy" });
      const answer = { ...answerTo(request.skb.packet), src: datagramSource(request.kernel, request.skb.packet) };
      this.#answer(socket, request.kernel, request.skb, answer, "answer", "connected");
      return;
    }
    const query = request.skb.packet;
    const accepted = acceptedFrom(request.kernel, request.skb);
    accept(request.kernel, request.skb);
    const answer = { ...answerTo(query), tos: accepted.tos };
    const synAck = this.#answer(socket, request.kernel, request.skb, answer, "SYN-ACK", "stalled", accepted);
    if (synAck === undefined) return;
    const { local, localPort, remote, remotePort } = socket;
    const { size } = this.#question;
    this.#finishHandshake(client, socket, skb, request.kernel);
    const forth = tcpPacket(local, localPort, remote, remotePort, TCP.ACK | TCP.PSH, size);
    const there = this.#segment(socket, client, forth, synAck.mss, skb, { ...UNMARKED, ...bindingOf(socket) });
    if (there === undefined) return;
    if (there.kernel !== request.kernel || !mirrors(there.skb.packet, query)) {
      this.#strayData(socket, there.kernel, there.skb);
      return;
    }
    const data = there.skb.packet;
    // As much as was asked, in however many segments it came: a server that answers less is luck, not the path.
    const back = tcpPacket(data.dst, data.dport, data.src, data.sport, TCP.ACK | TCP.PSH, size);
    const home = this.#segment(socket, there.kernel, back, query.mss, there.skb, heardOn(there.skb, accepted));
    if (home === undefined) return;
    if (belongs(socket, home.kernel, home.skb)) this.#sees = "connected";
    else this.#strayData(socket, home.kernel, home.skb);
  }

  /** The last packet of the handshake, which no answer tells of: a flowtable may take the connection when it sees it, and the server has a socket for it from then on. */
  #finishHandshake(client: Kernel, socket: ClientSocket, before: Skb, server: Kernel): void {
    if (!this.#walk.offloads() && server.stack.netfilter.nft === undefined) return;
    const ack = tcpPacket(socket.local, socket.localPort, socket.remote, socket.remotePort, TCP.ACK);
    const { leg } = this.#send(client, ack, "ACK", { ...UNMARKED, ...bindingOf(socket) }, before);
    this.#closed.add(leg);
    const { end } = this.#walk.legs[leg]!;
    if (end.kind === "delivered" && end.kernel === server) noteHeard(server, end.skb);
  }

  /**
   * Sends data until it arrives: no longer than the peer's MSS allows, smaller each time a router says how large it may be, and
   * smaller without being told where TCP probes; undefined: it does not.
   */
  #segment(
    socket: ClientSocket,
    from: Kernel,
    packet: Packet,
    peerMss: number | undefined,
    before: Skb,
    sender: Accepted,
  ): { readonly kernel: Kernel; readonly skb: Skb } | undefined {
    const probes = mtuProbes(from);
    let tunnels = 0;
    let repeats = 0;
    for (let length = segmentLength(from, packet, peerMss); ; ) {
      const counted = this.#walk.counted();
      const sent = this.#send(from, { ...packet, length, tos: sender.tos }, "data", sender, before);
      const there = this.#dataLeg(sent);
      if (there !== undefined) return there;
      const error = this.#walk.legs.find((l) => l.answers === sent.leg);
      const announced = error === undefined ? undefined : announcedMtu(error, from, packet);
      // What the router said stands between the two tries.
      if (announced !== undefined) this.#data.push(this.#close(error!, sent));
      // A tunnel on the way learnt how little its path carries, and says so when the segment is sent again.
      const again = announced === undefined && isForTunnel(error, from, packet) && tunnels++ < MAX_TUNNELS;
      const smaller =
        announced !== undefined && announced < length ? announced : lostInSilence(error) ? probes(length) : undefined;
      const mayPass =
        this.#isRedirected(from, packet.dst) ||
        (lostInSilence(error) && this.#walk.counted() > counted && repeats++ < RETRIES);
      const next = again ? length : (smaller ?? (mayPass ? length : undefined));
      if (next === undefined) {
        this.#judgeData(socket, sent.leg);
        return undefined;
      }
      length = next;
    }
  }

  /** Whether redirects for what was lost sent this stack another way: what TCP sends again goes there. */
  #isRedirected(from: Kernel, to: Address): boolean {
    const before = from.redirected.get(to);
    this.#walk.lessons();
    return from.redirected.get(to) !== before;
  }

  /** Who asks from an address that was made up for it rests on that. */
  #hasAddress({ stack, oracle }: Kernel, local: Address): boolean {
    if (stack.rulesOnly === true || stack.assumed !== undefined || stack.fromObjects === true) return true;
    const entry = entriesOf(stack.devices.items).get(local);
    if (entry === undefined || entry.origin.kind !== "assumed") return true;
    return oracle.rests({ kind: "source", stack: stack.name, address: local });
  }

  #open(client: Kernel): { readonly socket: ClientSocket; readonly skb: Skb } | undefined {
    const q = this.#question;
    if (client.stack.assumed === "outside") return this.#openOutside(client);
    refuseSocketPrograms(this.#walk.world, client.stack, q);
    const localPort = clientPort(this.#walk, localPortRange(client));
    const flow = {
      daddr: q.to,
      ...(q.bindDevice !== undefined && { oif: q.bindDevice }),
      mark: 0,
      tos: 0,
      protocol: q.protocol,
      ...(hasPorts(q.protocol) && { sport: localPort, dport: q.port }),
    };
    const skb = this.#walk.newLeg(
      requestName(q.protocol),
      this.#packet(q.bindAddress ?? unspecified(familyOf(q.to)), localPort),
    );
    this.#current = { record: this.#walk.legs[skb.leg]!, skb };
    let local = q.bindAddress;
    const unbindable = local === undefined ? undefined : bindError(client, local);
    if (unbindable !== undefined) {
      this.#cannotSend(client, skb, unbindable, []);
      return undefined;
    }
    const binding = { address: q.bindAddress, port: q.sport !== undefined };
    const route = routeConnect(client, flow, binding, (found) => {
      recordRoute(client, skb, "output", found);
      local ??= isRouteError(found) ? undefined : found.source;
      if (local !== undefined) skb.packet = this.#packet(local, localPort);
    });
    if (isRouteError(route)) {
      this.#cannotSend(client, skb, route.errno, route.origins);
      return undefined;
    }
    if (!this.#hasAddress(client, skb.packet.src))
      throw new Undetermined(client.name, "client", { kind: "unknown-addresses", stack: client.name });
    finishHeader(client, skb, route);
    if (client.recording)
      client.record(skb, {
        kind: "send",
        stack: client.name,
        packet: skb.packet,
        device: route.device.name,
        why: { kind: "asks" },
      });
    skb.route = route;
    if (!isIpv4(q.to)) this.#route = route;
    skb.socket = q.bindDevice === undefined ? {} : { boundDevice: q.bindDevice };
    const socket: ClientSocket = {
      stack: client.name,
      protocol: q.protocol,
      local: local ?? unspecified(familyOf(q.to)),
      localPort,
      remote: q.to,
      remotePort: q.port,
      ...(q.bindDevice !== undefined && { boundDevice: q.bindDevice }),
    };
    this.#transmit(client, skb);
    return { socket, skb };
  }

  /** bind(2) or connect(2) fails. */
  #cannotSend(client: Kernel, skb: Skb, errno: string, origins: readonly Origin[]): void {
    client.drop(skb, "output routing", "IP_OUTNOROUTES", { kind: "connect-fails", errno }, origins);
    this.#leg(skb);
    this.#sees = "unreachable";
    this.#errno = errno;
  }

  /** Of somebody outside only an address is known: the packet is on its way, whatever that machine's own tables say. */
  #openOutside(client: Kernel): { readonly socket: ClientSocket; readonly skb: Skb } {
    const q = this.#question;
    const localPort = clientPort(this.#walk, EPHEMERAL);
    const card = client.stack.devices.items.find((d) => d.kind !== "loopback" && d.addresses.length > 0)!;
    const local = q.bindAddress ?? card.addresses[0]!.prefix.address;
    const skb = this.#walk.newLeg(requestName(q.protocol), this.#packet(local, localPort));
    this.#current = { record: this.#walk.legs[skb.leg]!, skb };
    if (client.recording)
      client.record(skb, {
        kind: "send",
        stack: client.name,
        packet: skb.packet,
        device: card.name,
        why: { kind: "asks" },
      });
    if (client.recording)
      client.record(skb, { kind: "transmit", stack: client.name, packet: skb.packet, device: card.name });
    this.#walk.transmit(client, card, skb);
    this.#walk.drain();
    return {
      socket: { stack: client.name, protocol: q.protocol, local, localPort, remote: q.to, remotePort: q.port },
      skb,
    };
  }

  #packet(source: Address, port: Port): Packet {
    const q = this.#question;
    if (q.protocol === PROTO.tcp) return tcpPacket(source, port, q.to, q.port, TCP.SYN);
    if (q.protocol === PROTO.icmp) return icmpPacket(source, q.to, { type: 8, code: 0, id: port }, q.size);
    if (q.protocol === PROTO.icmp6) return icmp6Packet(source, q.to, { type: 128, code: 0, id: port }, q.size);
    return { ...udpPacket(source, port, q.to, q.port, q.size), protocol: q.protocol };
  }

  #transmit(kernel: Kernel, skb: Skb): void {
    this.#walk.startOutput(kernel, skb);
    this.#walk.drain();
  }

  #send(kernel: Kernel, packet: Packet, what: string, sender: Accepted, before: Skb): Skb {
    const skb = this.#walk.newLeg(what, packet);
    skb.masqueraded = before.masqueraded;
    skb.mark = sender.mark;
    // icmp_reply(): the kernel's own answers carry the mark back where it is told to (IP4_REPLY_MARK).
    const reflect = `net.${isIpv4(packet.dst) ? "ipv4" : "ipv6"}.fwmark_reflect`;
    if (packet.icmp !== undefined && sysctl(kernel, reflect).value !== "0") skb.mark = before.mark;
    this.#current = { record: this.#walk.legs[skb.leg]!, skb };
    // inet_csk_route_req() routes by the listener's type of service, which is none.
    const routedTos = packet.protocol === PROTO.tcp ? { routedTos: 0 } : {};
    const route = kernel.name === this.#question.client && packet.dst === this.#question.to ? this.#route : undefined;
    sendFrom(kernel, skb, {
      boundDevice: sender.boundDevice,
      uid: sender.uid,
      gid: sender.gid,
      ...routedTos,
      ...(packet.icmp !== undefined && { asked: before }),
      why: { kind: "sends", what },
      route,
    });
    this.#walk.drain();
    return skb;
  }

  /** Closes the request leg: where it got to, if a socket has it. */
  #leg(skb: Skb): { readonly kernel: Kernel; readonly skb: Skb } | undefined {
    const record = this.#walk.legs[skb.leg]!;
    if (record.end.kind !== "delivered") {
      this.#legs.push(this.#close(record, skb));
      return undefined;
    }
    const { kernel } = record.end;
    const arrived = record.end.skb;
    const { packet } = arrived;
    if (
      bindsServices(kernel.stack) &&
      kernel.stack.ipvs.services.length === 0 &&
      this.#walk.mayBind(kernel, packet.dst)
    ) {
      throw new Undetermined(kernel.name, "ipvs", { kind: "unknown-virtual-services", stack: kernel.name });
    }
    const served = isIcmp(packet.protocol) || listens(kernel, arrived, this.#walk);
    if (!served) {
      if (kernel.recording)
        kernel.record(arrived, {
          kind: "socket",
          stack: kernel.name,
          packet,
          result: "no listener",
          decision: { kind: "nobody-listens" },
        });
      refuse(kernel, arrived);
      this.#walk.drain();
      record.end = {
        kind: "dropped",
        kernel,
        skb: arrived,
        drop: { step: "socket", reason: "NO_SOCKET", decision: { kind: "nobody-listens" }, origins: [] },
      };
      this.#legs.push(this.#close(record, arrived));
      return undefined;
    }
    if (kernel.recording)
      kernel.record(arrived, {
        kind: "socket",
        stack: kernel.name,
        packet,
        result: "delivered",
        decision: { kind: "socket-takes" },
      });
    this.#legs.push(this.#close(record, arrived));
    return record.end;
  }

  /** icmp_echo(): a stack may be told not to answer. */
  #silent(kernel: Kernel, skb: Skb): boolean {
    const four = skb.packet.protocol === PROTO.icmp;
    const ignore = sysctl(kernel, four ? "net.ipv4.icmp_echo_ignore_all" : "net.ipv6.icmp.echo_ignore_all");
    if (ignore.value === "0") return false;
    const decision: Decision = { kind: "ping-ignored" };
    kernel.drop(skb, "icmp_echo", "ICMP_ECHO_IGNORED", decision, ignore.origins);
    const record = this.#walk.legs[skb.leg]!;
    record.end = {
      kind: "dropped",
      kernel,
      skb,
      drop: { step: "icmp_echo", reason: "ICMP_ECHO_IGNORED", decision, origins: ignore.origins },
    };
    this.#legs[0] = this.#close(record, skb);
    this.#sees = "timeout";
    return true;
  }

  /** Sends the answer of whoever got the request; as the client's socket accepted it, if it did. */
  #answer(
    socket: ClientSocket,
    server: Kernel,
    request: Skb,
    packet: Packet,
    what: string,
    fine: ClientSees,
    sender: Accepted = { ...UNMARKED, ...socketOf(server, request) },
  ): Packet | undefined {
    const skb = this.#send(server, packet, what, heardOn(request, sender), request);
    const record = this.#walk.legs[skb.leg]!;
    if (record.end.kind !== "delivered") {
      this.#reply = this.#close(record, skb);
      this.#sees = "timeout";
      return undefined;
    }
    const { kernel } = record.end;
    const arrived = record.end.skb;
    if (belongs(socket, kernel, arrived)) {
      if (kernel.recording)
        kernel.record(arrived, {
          kind: "socket",
          stack: kernel.name,
          packet: arrived.packet,
          result: "answered",
          decision: { kind: "client-accepts" },
        });
      noteHeard(kernel, arrived);
      this.#reply = this.#close(record, arrived);
      this.#sees = fine;
      return arrived.packet;
    }
    // The client's kernel has no socket for an answer from an address it did not call: RST, and the SYN goes on retrying.
    const decision: Decision = { kind: "client-expects-other" };
    if (kernel.recording)
      kernel.record(arrived, {
        kind: "socket",
        stack: kernel.name,
        packet: arrived.packet,
        result: "no connection",
        decision,
      });
    if (hasPorts(packet.protocol)) refuse(kernel, arrived);
    this.#walk.drain();
    record.end = {
      kind: "dropped",
      kernel,
      skb: arrived,
      drop: { step: "socket", reason: "TCP_UNEXPECTED", decision, origins: [] },
    };
    this.#reply = this.#close(record, arrived);
    this.#sees = "timeout";
    return undefined;
  }

  /** The request died: was the client told? */
  #judgeLost(socket: ClientSocket, leg: number): void {
    const answer = this.#walk.legs.find((l) => l.answers === leg);
    const refused = sendFails(this.#walk.legs[leg]!, socket);
    if (refused !== undefined) {
      this.#sees = "unreachable";
      this.#errno = refused;
      return;
    }
    if (answer === undefined) {
      this.#sees = "timeout";
      return;
    }
    const { end } = answer;
    const skb = end.kind === "open" ? undefined : end.skb;
    if (end.kind === "delivered" && skb !== undefined) {
      const hit = isIcmpError(skb.packet) ? quotes(socket, end.kernel, skb) : belongs(socket, end.kernel, skb);
      if (end.kernel.recording)
        end.kernel.record(skb, {
          kind: "socket",
          stack: end.kernel.name,
          packet: skb.packet,
          result: hit ? "answered" : "no connection",
          decision: { kind: hit ? "client-learns" : "client-no-socket" },
        });
      this.#reply = this.#close(answer, skb);
      const known = hit ? errorOf(socket.protocol, skb.packet) : undefined;
      this.#sees = known?.sees ?? "timeout";
      this.#errno = known?.errno ?? null;
      return;
    }
    this.#reply = skb === undefined ? null : this.#close(answer, skb);
    this.#sees = "timeout";
  }

  #dataLeg(skb: Skb): { readonly kernel: Kernel; readonly skb: Skb } | undefined {
    const record = this.#walk.legs[skb.leg]!;
    if (record.end.kind !== "delivered") {
      this.#data.push(this.#close(record, skb));
      return undefined;
    }
    this.#data.push(this.#close(record, record.end.skb));
    return record.end;
  }

  #judgeData(socket: ClientSocket, leg: number): void {
    const answer = this.#walk.legs.find((l) => l.answers === leg);
    const end = answer?.end;
    const reset =
      end?.kind === "delivered" && end.skb.packet.protocol === PROTO.tcp && belongs(socket, end.kernel, end.skb);
    this.#sees = reset ? "reset" : "stalled";
    this.#errno = reset ? "ECONNRESET" : null;
  }

  /** Data that reaches another stack, or the server with another source port than its connection has. */
  #strayData(socket: ClientSocket, kernel: Kernel, skb: Skb): void {
    const last = this.#data.pop()!;
    const decision: Decision = { kind: "connection-changed" };
    if (kernel.recording)
      kernel.record(skb, { kind: "socket", stack: kernel.name, packet: skb.packet, result: "no connection", decision });
    this.#data.push({ ...last, disposition: "rejected", step: "socket", drop: "TCP_UNEXPECTED", decision });
    refuse(kernel, skb);
    this.#walk.drain();
    this.#judgeData(socket, skb.leg);
  }

  #close(record: LegRecord, skb: Skb): Leg {
    this.#closed.add(record.id);
    if (record.end.kind === "open") this.#walk.expire(record.id);
    const answered = this.#walk.legs.some((l) => l.answers === record.id);
    return legOf(record, skb, this.#question.client, answered);
  }

  undetermined(stop: Undetermined): void {
    const { record, skb } = this.#current ?? {};
    if (record !== undefined) this.#closed.add(record.id);
    const leg: Leg = {
      what: record?.what ?? "request",
      disposition: "undetermined",
      stack: stop.where,
      step: stop.step,
      drop: null,
      decision: stop.reason,
      origins: stop.origins,
      steps: record?.steps ?? [],
      met: record?.met,
      final: innermost(skb?.packet ?? this.#packet(unspecified(familyOf(this.#question.to)), 0)),
      masqueraded: skb?.wrapped?.[0] ?? skb?.masqueraded ?? false,
    };
    this.#sees = null;
    if (this.#legs.length === 0) this.#legs.push(leg);
    else if (this.#reply === null) this.#reply = leg;
    else this.#data.push(leg);
  }

  outcome(): WalkedBranch {
    const rest = this.#walk.legs.filter((l) => !this.#closed.has(l.id) && l.end.kind !== "open");
    return {
      request: this.#legs[0]!,
      reply: this.#reply,
      data: this.#data,
      aftermath: rest.map((l) => this.#close(l, (l.end as Exclude<LegRecord["end"], { kind: "open" }>).skb)),
      clientSees: this.#sees,
      errno: this.#errno,
      connections: this.#walk.connections(),
      sourcePorts: sourcePorts(this.#walk),
    };
  }
}
