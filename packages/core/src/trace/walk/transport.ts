import {
  type FlowKey,
  finishHeader,
  hasAddress,
  ICMPV6,
  icmp6Packet,
  icmpPacket,
  icmpSend,
  icmpv6Send,
  inetAddrType,
  inetIif,
  ipLocalOut,
  ipRouteOutput,
  isRouteError,
  type Kernel,
  type OwnerId,
  type RouteErrno,
  type RouteError,
  type RouteResult,
  recordRoute,
  type Skb,
  sendReset,
  sysctl,
  tcpPacket,
  UNREACH,
  udpPacket,
} from "../../datapath/index.ts";
import {
  type Decision,
  type Fact,
  type Listener,
  listsAll,
  type Packet,
  type Port,
  portKey,
  ruleCount,
  type Stack,
  someChain,
  TCP,
  type World,
} from "../../model/index.ts";
import {
  type Address,
  ANY4,
  hasPorts,
  isIpv4,
  isLinkLocal,
  isLoopback,
  isUnspecified,
  PROTO,
  protocolName,
} from "../../net/index.ts";
import { knowledgeOf, servesPort } from "../hosts/known-hosts.ts";
import type { Walk } from "./walk.ts";

/** The two ends that a socket knows its packets by (struct inet_sock). */
export interface SocketEnds {
  readonly local: Address;
  readonly localPort: Port;
  readonly remote: Address;
  readonly remotePort: Port;
}

/** The client's socket: what an answer must match to be accepted. */
export interface ClientSocket extends SocketEnds {
  readonly stack: string;
  readonly protocol: number;
  readonly boundDevice?: string;
}

/** inet_lookup_established(): whether a packet from there to here is the socket's. A ping socket has an id for its port. */
export const hasEnds = (s: SocketEnds, here: Address, herePort: Port, there: Address, therePort: Port): boolean =>
  s.local === here &&
  s.remote === there &&
  portKey(s.localPort) === portKey(herePort) &&
  portKey(s.remotePort) === portKey(therePort);

/** The socket that is known to listen for a packet; one bound to a device takes what came in by it only (compute_score()). */
export function listenerFor({ stack: { listeners } }: Kernel, skb: Skb): Listener | undefined {
  const { protocol, dport, dst } = skb.packet;
  const fits = listeners.items.filter(
    (l) =>
      l.protocol === protocol &&
      l.port === dport &&
      (isIpv4(dst) ? l.v6only : l.v4only) === undefined &&
      (l.address === undefined || isUnspecified(l.address) || l.address === dst) &&
      (l.device === undefined || l.device === inetIif(skb)),
  );
  return fits.find((l) => l.device !== undefined) ?? fits[0];
}

/**
 * connect(2). Follows ip_route_connect(): a first look-up without a source chooses one, and TCP and connected UDP look up a second
 * time with it, so that `from` rules apply to the SYN although `ip route get` says otherwise. `looked` is told of every look-up
 * that changes where the packet goes.
 */
export function routeConnect(
  kernel: Kernel,
  flow: Omit<FlowKey, "iif" | "saddr">,
  bound: { readonly address?: Address | undefined; readonly port: boolean },
  looked: (found: RouteResult | RouteError) => void = () => {},
): RouteResult | RouteError {
  if (!isIpv4(flow.daddr)) return routeConnect6(kernel, flow, bound.address, looked);
  // tcp_v4_connect(): a port that bind(2) did not fix is drawn when the source is chosen, and ip_route_newports() looks once more.
  const portless = flow.protocol === PROTO.tcp && !bound.port && bound.address === undefined;
  const found = routeBeforePort(kernel, portless ? { ...flow, sport: 0 } : flow, bound.address, looked);
  if (!portless || isRouteError(found)) return found;
  const last = ipRouteOutput(kernel, flowFrom(flow, found.source ?? ANY4));
  if (isRouteError(last) || last.device !== found.device || last.gateway !== found.gateway) looked(last);
  return isRouteError(last) ? last : withSource(last, found.source);
}

/** Field by field: see ipRouteOutput(). */
const flowFrom = (flow: Omit<FlowKey, "iif" | "saddr">, saddr: Address | undefined): Omit<FlowKey, "iif"> => ({
  daddr: flow.daddr,
  saddr,
  oif: flow.oif,
  mark: flow.mark,
  tos: flow.tos,
  protocol: flow.protocol,
  sport: flow.sport,
  dport: flow.dport,
  uid: flow.uid,
});

const withSource = (route: RouteResult, source: Address | undefined): RouteResult =>
  source === undefined || source === route.source ? route : { ...route, source };

/**
 * Follows tcp_v6_connect() and __ip6_datagram_connect(): a link-local address means nothing without its device. IPv6 looks up once, and the
 * result stands for the whole connection.
 */
function routeConnect6(
  kernel: Kernel,
  flow: Omit<FlowKey, "iif" | "saddr">,
  bound: Address | undefined,
  looked: (found: RouteResult | RouteError) => void,
): RouteResult | RouteError {
  const found: RouteResult | RouteError =
    isLinkLocal(flow.daddr) && flow.oif === undefined
      ? { type: "error", errno: "EINVAL", origins: [] }
      : ipRouteOutput(kernel, { ...flow, saddr: bound });
  looked(found);
  return found;
}

function routeBeforePort(
  kernel: Kernel,
  flow: Omit<FlowKey, "iif" | "saddr">,
  bound: Address | undefined,
  looked: (found: RouteResult | RouteError) => void,
): RouteResult | RouteError {
  const first = ipRouteOutput(kernel, flowFrom(flow, bound));
  looked(first);
  if (isRouteError(first)) return first;
  // tcp_v4_connect() and udp_sendmsg(): a broadcast address is not to be connected to.
  if (first.type === "broadcast")
    return { type: "error", errno: flow.protocol === PROTO.tcp ? "ENETUNREACH" : "EACCES", origins: first.origins };
  if (bound !== undefined || flow.protocol === PROTO.icmp) return first;
  const second = ipRouteOutput(kernel, flowFrom(flow, first.source ?? ANY4));
  if (isRouteError(second) || second.device !== first.device || second.gateway !== first.gateway) looked(second);
  return isRouteError(second) ? second : withSource(second, first.source);
}

/** What a host answers by itself (icmp_echo()), or a server that sends back as much as it got. */
export function answerTo(p: Packet): Packet {
  if (p.icmp !== undefined && p.protocol === PROTO.icmp6)
    return { ...icmp6Packet(p.dst, p.src, { type: 129, code: 0, id: p.icmp.id }, p.length), tos: p.tos };
  if (p.icmp !== undefined)
    return { ...icmpPacket(p.dst, p.src, { type: 0, code: 0, id: p.icmp.id }, p.length), tos: p.tos };
  if (p.protocol === PROTO.tcp) return tcpPacket(p.dst, p.dport, p.src, p.sport, TCP.SYN | TCP.ACK);
  return { ...udpPacket(p.dst, p.dport, p.src, p.sport, p.length), protocol: p.protocol };
}

/**
 * Why bind(2) to an address, or connect(2) from it, fails. Follows inet_bind() and ip_route_output_key_hash_rcu(): with ip_nonlocal_bind
 * a foreign address is taken, and nothing is sent from it. Of a stack whose addresses were not all shown nothing is claimed.
 */
export function bindError(kernel: Kernel, address: Address): "EADDRNOTAVAIL" | "ENETUNREACH" | undefined {
  const { devices, assumed, fromObjects, rulesOnly } = kernel.stack;
  const shown = devices.extent === "whole" && devices.items.every((d) => d.addressesKnown);
  if (!shown || assumed !== undefined || fromObjects === true || rulesOnly === true) return undefined;
  if (!isIpv4(address)) return hasAddress(kernel, address) ? undefined : "EADDRNOTAVAIL";
  if (inetAddrType(kernel, address) === "LOCAL") return undefined;
  return sysctl(kernel, "net.ipv4.ip_nonlocal_bind").value === "0" ? "EADDRNOTAVAIL" : "ENETUNREACH";
}

/** Is somebody listening for this packet? Undumped listeners of a node that was asked directly are an open fact. */
export function listens(kernel: Kernel, skb: Skb, { question, world }: Walk): boolean {
  const { stack } = kernel;
  const { packet } = skb;
  const port = typeof packet.dport === "number" ? packet.dport : 0;
  const name = `${protocolName(packet.protocol)}/${port}`;
  const fact: Fact = { kind: "listen", stack: kernel.name, port: name };
  if (skb.handedTo !== undefined || listenerFor(kernel, skb) !== undefined) return true;
  if (listsAll(stack.listeners, packet.protocol)) return false;
  const settled = kernel.oracle.settled?.(fact);
  if (settled !== undefined) return settled === "listening";
  const direct = packet.dst === question.to && port === question.port;
  // Where rules are all that was shown, destinations are taken to be reachable; where not even they were, nothing is.
  const rulesAlone =
    stack.rulesOnly === true && stack.netfilter.tables.some((t) => someChain(t, (c) => ruleCount(c) > 0));
  if (stack.assumed !== undefined || stack.kind !== "node" || rulesAlone || !direct) {
    if (!restsOnListener(kernel, packet, port, world)) return false;
    kernel.oracle.assume(fact, "listening", {
      kind: "listening",
      address: packet.dst,
      port: name,
      stack: kernel.name,
    });
    return true;
  }
  if (stack.fromObjects === true && isServiceAddress(stack, packet)) {
    const taken = { stack: kernel.name, address: packet.dst, port: name };
    kernel.oracle.assume(fact, "closed", { kind: "not-listening", ...taken });
    return false;
  }
  return kernel.oracle.fact(fact, ["listening", "closed"]) === "listening";
}

/** Who has a host for an endpoint without knowing it has its port as well; and objects name the ports of pods. */
function restsOnListener({ stack, oracle }: Kernel, { dst, protocol }: Packet, port: number, world: World): boolean {
  const unknown = stack.assumed !== undefined && stack.origin.kind !== "read" && knowledgeOf(world, dst) === undefined;
  if (unknown || servesPort(world, dst, protocol, port)) return true;
  return oracle.rests({ kind: "listener", stack: stack.name, address: dst, protocol, port });
}

/** They look at where a question came in and answer from there (IP_PKTINFO), whatever their socket is bound to. */
const ANSWERS_FROM_ASKED =
  /^(?:coredns|node-cache|kube-dns|dnsmasq|unbound|named|systemd-resolv\w*|resolved|ntpd|chronyd)$/;

/**
 * From which address a datagram is answered: that of the socket; one bound to the wildcard leaves it to the route
 * (udp_sendmsg() without a source), which need not take the address that was asked, unless the program looks at where the question came in
 * (IP_PKTINFO): where the two differ and the program is not known to do so, that is an open fact. Of a server that nobody showed it is not asked.
 */
export function datagramSource(kernel: Kernel, { src, dst, dport, protocol, tos }: Packet): Address {
  const own = kernel.stack.listeners.items.filter((l) => l.protocol === protocol && l.port === dport);
  const bound = own.some((l) => l.address === dst || l.stated === true || l.origin.kind !== "read");
  const asks = own.some((l) => l.process !== undefined && ANSWERS_FROM_ASKED.test(l.process));
  if (protocol !== PROTO.udp || own.length === 0 || bound || asks) return dst;
  const found = ipRouteOutput(kernel, { daddr: src, saddr: undefined, mark: 0, tos, protocol });
  if (isRouteError(found) || found.source === undefined || found.source === dst) return dst;
  const fact = { kind: "datagram-source", stack: kernel.name, port: `udp/${portKey(dport)}` } as const;
  return kernel.oracle.fact(fact, ["the route's", "the asked"]) === "the asked" ? dst : found.source;
}

/** An address that kube-proxy bound for Services, or a port that it opened for one on the node's addresses. */
const isServiceAddress = (stack: Stack, { dst, dport, protocol }: Packet): boolean =>
  stack.devices.items.some((d) => d.kind === "dummy" && d.addresses.some((a) => a.prefix.address === dst)) ||
  stack.ipvs.services.some(({ key }) => key.kind === "address" && key.port === dport && key.protocol === protocol);

/** Whose a socket that listens is; who states one in case.yaml says it is root's. */
const ownerOf = (listener: Listener | undefined): Skb["socket"] =>
  listener === undefined ? undefined : listener.stated === undefined ? { uid: listener.uid ?? "unknown" } : {};

/**
 * inet_csk_route_req(), udp_sendmsg(), icmp_reply(): nobody can answer from an address that its stack has not (ip_route_output_key_hash_rcu()), which only a packet
 * that never left by lo was sent to, or one that a transparent socket took.
 */
export const isUnanswerable = (kernel: Kernel, { packet, handedTo, dev }: Skb): boolean =>
  handedTo === undefined &&
  dev?.kind === "loopback" &&
  isIpv4(packet.dst) &&
  bindError(kernel, packet.dst) !== undefined;

/** Nobody there: tcp_v4_send_reset(), or ICMP port unreachable for UDP. */
export function refuse(kernel: Kernel, skb: Skb): void {
  // __udp4_lib_rcv() lets go of the connection (nf_reset_ct) before it answers: the error is looked up like any other.
  skb.ct = undefined;
  if (skb.packet.protocol === PROTO.tcp) {
    const listener = listenerFor(kernel, skb);
    // tcp_v4_send_reset(): what is not for an address of this stack is not reset, though lo brought it.
    if (listener === undefined && isIpv4(skb.packet.dst) && skb.route?.type === "unicast") return;
    sendReset(kernel, skb, { kind: "nobody-listens" }, "socket", ownerOf(listener));
  } else if (!isIpv4(skb.packet.dst))
    icmpv6Send(kernel, skb, ICMPV6.unreachable, UNREACH.port, { kind: "nobody-listens" });
  else if (hasPorts(skb.packet.protocol)) icmpSend(kernel, skb, 3, 3, { kind: "nobody-listens" });
  else icmpSend(kernel, skb, 3, 2, { kind: "protocol-unserved" });
}

/** inet_sk_bound_dev_eq(): a socket bound to a device takes nothing that came in by another. The kernel's errors about its own packets come by `lo`. */
export const hearsBy = ({ boundDevice }: { readonly boundDevice?: string | undefined }, skb: Skb): boolean =>
  boundDevice === undefined || skb.dev === undefined || inetIif(skb) === boundDevice;

/** Does an answer belong to the client's socket? */
export const belongs = (socket: ClientSocket, kernel: Kernel, skb: Skb): boolean => {
  const { packet: p } = skb;
  if (kernel.name !== socket.stack || p.protocol !== socket.protocol || !hearsBy(socket, skb)) return false;
  return hasEnds(socket, p.dst, p.icmp?.id ?? p.dport, p.src, p.icmp === undefined ? p.sport : socket.remotePort);
};

/**
 * An error as the socket it is about takes it to have come in: tcp_v4_err() and __udp6_lib_err() by inet_iif(), __udp4_lib_err() and tcp_v6_err() by the device
 * itself, which is `lo` for what the stack says of its own packets.
 */
export const asError = (skb: Skb): Skb => {
  const quoted = skb.packet.icmp?.inner;
  const byDevice = quoted !== undefined && quoted.protocol === (isIpv4(quoted.dst) ? PROTO.udp : PROTO.tcp);
  return byDevice ? { ...skb, route: undefined } : skb;
};

/** Does an ICMP error quote a packet of the client's socket? */
export const quotes = (socket: ClientSocket, kernel: Kernel, skb: Skb): boolean => {
  const p = skb.packet.icmp?.inner;
  if (p === undefined || kernel.name !== socket.stack || p.protocol !== socket.protocol) return false;
  if (!hearsBy(socket, asError(skb))) return false;
  return hasEnds(socket, p.src, p.icmp?.id ?? p.sport, p.dst, p.icmp === undefined ? p.dport : socket.remotePort);
};

/**
 * icmpv6_echo_reply(): routed with the device that the request came in by, over lo the one that has the address (icmp6_dev()), and without its traffic class. What
 * ::1 asked is answered by lo itself.
 */
const echoedBy = (asked: Skb | undefined): Partial<Pick<FlowKey, "oif" | "preferred" | "tos">> => {
  if (asked === undefined || isIpv4(asked.packet.dst)) return {};
  return { oif: isLoopback(asked.packet.src) ? asked.dev?.name : inetIif(asked), preferred: true, tos: 0 };
};

/** A stack answers from a socket it has: routed by its own tables, then ip_local_out(). An errno: it could not. */
export function sendFrom(
  kernel: Kernel,
  skb: Skb,
  options: {
    readonly boundDevice?: string | undefined;
    /** The packet that the kernel itself answers. */
    readonly asked?: Skb | undefined;
    readonly uid?: OwnerId | undefined;
    readonly gid?: OwnerId | undefined;
    readonly routedTos?: number;
    readonly why: Decision;
    /** A connected socket keeps the route it has (sk_dst_get()). */
    readonly route?: RouteResult | undefined;
  },
): RouteErrno | undefined {
  const { packet } = skb;
  const found =
    options.route ??
    ipRouteOutput(kernel, {
      daddr: packet.dst,
      saddr: packet.src,
      ...(options.uid !== undefined && { uid: options.uid }),
      mark: skb.mark,
      tos: options.routedTos ?? packet.tos,
      ...echoedBy(options.asked),
      ...(options.boundDevice !== undefined && { oif: options.boundDevice, preferred: undefined }),
      protocol: packet.protocol,
      ...(hasPorts(packet.protocol) && { sport: packet.sport, dport: packet.dport }),
    });
  if (!isRouteError(found)) finishHeader(kernel, skb, found);
  if (kernel.recording) kernel.record(skb, { kind: "send", stack: kernel.name, packet: skb.packet, why: options.why });
  recordRoute(kernel, skb, "output", found);
  if (isRouteError(found)) {
    kernel.drop(skb, "output routing", "IP_OUTNOROUTES", { kind: "no-route", errno: found.errno }, found.origins);
    return found.errno;
  }
  skb.route = found;
  skb.socket = {
    ...(options.boundDevice !== undefined && { boundDevice: options.boundDevice }),
    ...(options.uid !== undefined && { uid: options.uid }),
    ...(options.gid !== undefined && { gid: options.gid }),
    // icmp_echo() and icmpv6_echo_reply() answer by the kernel's own socket.
    ...(packet.icmp?.type === (packet.protocol === PROTO.icmp6 ? 129 : 0) && { kernel: true as const }),
  };
  ipLocalOut(kernel, skb);
  return undefined;
}
