import {
  carried,
  couldBeTranslated,
  flowKey,
  isHostName,
  type ObservedArp,
  type ObservedHost,
  type ObservedIp,
  type ObservedPort,
  TCP,
  translationMark,
} from "../../../model/index.ts";
import { type Address, hasPorts, PROTO } from "../../../net/index.ts";
import { type Glance, glance, glanceOf } from "../binary/glance.ts";
import type { Look } from "../binary/stream.ts";
import type { QuestionEnds } from "./ends.ts";

/**
 * `asked`: of the asked client's connections, under whatever addresses. `alike`: to the same destination and of
 * others, who may be the client translated out of sight. `other`: of no interest.
 */
export type Belonging = "asked" | "alike" | "other";

/** What is remembered of the asked connections, however long they talk. */
const MAX_MARKS = 100_000;
const MAX_FLOWS = 100_000;

type Hosted = Pick<ObservedIp, "src" | "dst" | "protocol" | "sport" | "dport">;

const isAmong = (addresses: ReadonlySet<Address>, host: ObservedHost): boolean =>
  !isHostName(host) && addresses.has(host);

/**
 * Tells packets of the asked connection from others through NAT. First every packet is shown to `learn`, which remembers
 * what translation leaves alone of those that go by the asked addresses; then to `belonging`, which also knows a
 * packet by that, and from there on its flow.
 */
export class ConnectionFilter {
  readonly #ends: QuestionEnds;
  readonly #to = new Map<Address, ReadonlySet<number> | "any">();
  readonly #from: ReadonlySet<Address> | undefined;
  readonly #hosts: Set<Address>;
  readonly #marks = new Map<string, ObservedIp>();
  /** Sequence numbers of the marks: most packets need no more than this look. */
  readonly #numbers = new Set<number>();
  readonly #flows = new Set<string>();
  readonly #flowHosts = new Set<Address>();
  readonly #seen: Glance = glanceOf();
  /** A flow was recognised only after it had begun: packets before may have been missed. */
  recognisedLate = false;

  constructor(ends: QuestionEnds) {
    this.#ends = ends;
    for (const { address, port } of ends.to) {
      const known = this.#to.get(address);
      if (port === undefined || known === "any") this.#to.set(address, "any");
      else this.#to.set(address, new Set([...(known ?? []), port]));
    }
    this.#from = ends.from === undefined ? undefined : new Set(ends.from);
    this.#hosts = new Set([...ends.to.map((e) => e.address), ...(ends.from ?? []), ...ends.nodes]);
  }

  learn(ip: ObservedIp): void {
    const inside = carried(ip);
    if (this.#between(about(inside)) !== "asked") return;
    this.#meet(ip, inside);
    const mark = translationMark(inside);
    if (mark === undefined || this.#marks.size >= MAX_MARKS || this.#marks.has(mark)) return;
    this.#marks.set(mark, inside);
    const number = markNumber(inside);
    if (number !== undefined) this.#numbers.add(number);
  }

  belonging(ip: ObservedIp): Belonging {
    const inside = carried(ip);
    const direct = this.#between(about(inside));
    if (direct === "asked" || this.#follows(inside)) {
      this.#meet(ip, inside);
      return "asked";
    }
    return direct;
  }

  /** For `learn`: false where the packet surely goes by none of the asked addresses. */
  readonly mayTeach: Look = (data, from, to, linkType) => {
    const observed = this.#seen;
    if (!glance(data, from, to, linkType, observed)) return true;
    return observed.protocol === this.#ends.protocol && (this.#to.has(observed.dst) || this.#to.has(observed.src));
  };

  /** For `belonging`: false where it would surely say `other`. */
  readonly mayBelong: Look = (data, from, to, linkType) => {
    const found = this.#seen;
    if (!glance(data, from, to, linkType, found)) return true;
    return (
      found.protocol === this.#ends.protocol &&
      (this.#to.has(found.dst) ||
        this.#to.has(found.src) ||
        this.#numbers.has(found.number) ||
        (this.#flowHosts.has(found.src) && this.#flowHosts.has(found.dst)))
    );
  };

  /** Whether somebody asks for, or is, one who takes part. To be asked when all packets were seen. */
  concerns({ sender, target }: ObservedArp): boolean {
    return isAmong(this.#hosts, target) || (sender !== undefined && isAmong(this.#hosts, sender));
  }

  #meet(outer: ObservedIp, inner: ObservedIp): void {
    if (this.#hosts.size >= MAX_FLOWS) return;
    for (const host of [outer.src, outer.dst, inner.src, inner.dst]) if (!isHostName(host)) this.#hosts.add(host);
  }

  /** By the addresses as they stand. */
  #between(ip: Hosted): Belonging {
    const { protocol } = this.#ends;
    if (ip.protocol !== protocol && !(protocol === PROTO.icmp && ip.protocol === PROTO.icmp6)) return "other";
    const forth = this.#goesTo(ip.dst, ip.dport);
    const back = this.#goesTo(ip.src, ip.sport);
    if (!forth && !back) return "other";
    if (this.#from === undefined) return "asked";
    return (forth && isAmong(this.#from, ip.src)) || (back && isAmong(this.#from, ip.dst)) ? "asked" : "alike";
  }

  #goesTo(host: ObservedHost, port: ObservedPort | undefined): boolean {
    const ports = isHostName(host) ? undefined : this.#to.get(host);
    if (ports === undefined) return false;
    return ports === "any" || typeof port !== "number" || ports.has(port) || !hasPorts(this.#ends.protocol);
  }

  /** By what translation leaves alone, or by a flow that was known by it. */
  #follows(inside: ObservedIp): boolean {
    const ip = about(inside);
    if (this.#flows.size > 0 && this.#flows.has(flowKey(ip))) return true;
    const number = markNumber(ip);
    if (number === undefined || !this.#numbers.has(number)) return false;
    const mark = translationMark(ip);
    const like = mark === undefined ? undefined : this.#marks.get(mark);
    if (mark === undefined || like === undefined || !couldBeTranslated(mark, like, ip)) return false;
    if (this.#flows.size < MAX_FLOWS) {
      this.#flows.add(flowKey(ip));
      for (const host of [ip.src, ip.dst]) if (!isHostName(host)) this.#flowHosts.add(host);
    }
    if (((ip.tcp?.flags ?? TCP.SYN) & TCP.SYN) === 0) this.recognisedLate = true;
    return true;
  }
}

/** An ICMP error is about the packet it quotes. */
function about(ip: ObservedIp): ObservedIp {
  const quoted = ip.icmp?.inner;
  return quoted === undefined ? ip : carried(quoted);
}

/** One of the numbers a mark is made of, without making it. */
function markNumber({ tcp, icmp, protocol, id }: ObservedIp): number | undefined {
  if (tcp?.flags !== undefined) {
    const answer = (tcp.flags & (TCP.SYN | TCP.ACK)) === (TCP.SYN | TCP.ACK);
    return answer ? (tcp.ack === undefined ? undefined : (tcp.ack + 0xffffffff) % 0x100000000) : tcp.seq;
  }
  return icmp?.id ?? (protocol === PROTO.udp ? id : undefined);
}
