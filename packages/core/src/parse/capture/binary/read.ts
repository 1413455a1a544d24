import { isHostName, type ObservedPacket, type ObservedPlace, read, TCP } from "../../../model/index.ts";
import { type Ipv4, isIpv4, PROTO, uint32Of } from "../../../net/index.ts";
import type { Reading } from "../../dialect.ts";
import type { ConnectionFilter } from "../question/filter.ts";
import { type Glance, glance, glanceOf } from "./glance.ts";
import { CaptureStream, type Look, type Recorded } from "./stream.ts";

/**
 * Packets kept of one file; beyond it they are counted and said to be left out. What opens, ends or refuses a connection
 * tells the most, so the mere course of connections has a smaller share.
 */
const MAX_PACKETS = 200_000;
const MAX_COURSE = 50_000;
/** Of connections to the asked destination that are not known to be the client's. */
const MAX_ALIKE = 20_000;
const MAX_ARP = 20_000;
/** Of a connection whose beginning is kept, this much of its course is kept in any case: it shows that the connection came about. */
const FIRST_COURSE = 4;

/** A TCP segment that neither opens nor ends its connection. */
const isCourse = ({ ip }: ObservedPacket): boolean =>
  ip?.tcp?.flags !== undefined && (ip.tcp.flags & (TCP.SYN | TCP.RST | TCP.FIN)) === 0;

/** Both directions of an IPv4 flow as one number. Two flows may share it: then more is kept. */
const pairKey = (src: Ipv4, dst: Ipv4, sport: number, dport: number): number =>
  (uint32Of(src) + uint32Of(dst)) * 0x10000 + (sport ^ dport);

function pairOf({ ip }: ObservedPacket): number | undefined {
  if (ip === undefined || isHostName(ip.src) || isHostName(ip.dst)) return undefined;
  if (!isIpv4(ip.src) || !isIpv4(ip.dst)) return undefined;
  return typeof ip.sport === "number" && typeof ip.dport === "number"
    ? pairKey(ip.src, ip.dst, ip.sport, ip.dport)
    : undefined;
}

/** Collects the packets of a capture file, piece by piece; with a filter, those that can be of the asked connection. */
export class CaptureReader {
  readonly #stream: CaptureStream;
  readonly #packets: ObservedPacket[] = [];
  /** Who is asked for by ARP is of interest once all flows are known. */
  readonly #arp: ObservedPacket[] = [];
  readonly #file: string;
  readonly #place: ObservedPlace;
  readonly #filter: ConnectionFilter | undefined;
  readonly #glance: Glance = glanceOf();
  /** Connections whose beginning is kept, and how much of their course still is. */
  readonly #begun = new Map<number, number>();
  #seen = 0;
  #other = 0;
  #left = 0;
  #course = 0;
  #alike = 0;
  #passed = 0;
  readonly #linkTypes = new Set<number>();

  constructor(file: string, place: ObservedPlace, filter?: ConnectionFilter) {
    this.#file = file;
    this.#place = place;
    this.#filter = filter;
    this.#stream = new CaptureStream(filter?.mayBelong ?? this.#mayBeKept);
  }

  /** Damage ends the reading: what comes after it, be it a terabyte of zeros, is not asked for. */
  get ended(): boolean {
    return this.#stream.problem !== undefined;
  }

  /** Packets seen so far. */
  get seen(): number {
    return this.#seen;
  }

  /** Once no more of the course of connections is kept, there is no need to decode it. */
  readonly #mayBeKept: Look = (data, from, to, linkType) => {
    if (this.#course < MAX_COURSE) return true;
    const observed = this.#glance;
    if (!glance(data, from, to, linkType, observed) || observed.protocol !== PROTO.tcp) return true;
    if ((observed.flags & (TCP.SYN | TCP.RST | TCP.FIN)) !== 0) return true;
    return (this.#begun.get(pairKey(observed.src, observed.dst, observed.sport, observed.dport)) ?? 0) > 0;
  };

  /** Whether this packet of a connection's course is among its first. */
  #isFirst(packet: ObservedPacket): boolean {
    const pair = pairOf(packet);
    const left = pair === undefined ? 0 : (this.#begun.get(pair) ?? 0);
    if (pair === undefined || left === 0) return false;
    this.#begun.set(pair, left - 1);
    return true;
  }

  push(piece: Uint8Array): void {
    this.#stream.push(piece, (record) => this.#take(record));
  }

  #take(record: Recorded): void {
    const { frame, linkType } = record;
    this.#seen++;
    if (frame === undefined) this.#linkTypes.add(linkType);
    if (frame?.ip === undefined && frame?.arp === undefined) {
      this.#other++;
      return;
    }
    if (this.#filter === undefined) this.#keep(this.#packetOf(record));
    else if (frame.arp !== undefined) {
      if (this.#arp.length < MAX_ARP) this.#arp.push(this.#packetOf(record));
      else this.#passed++;
    } else if (frame.ip !== undefined) {
      const belongs = this.#filter.belonging(frame.ip);
      if (belongs === "asked") this.#keep(this.#packetOf(record));
      else if (belongs === "other") this.#passed++;
      else if (++this.#alike > MAX_ALIKE) this.#left++;
      else this.#keep(this.#packetOf(record));
    }
  }

  #packetOf({ frame, time, number, device }: Recorded): ObservedPacket {
    const { ifindex, ...rest } = frame!;
    const card = device ?? (ifindex === undefined ? undefined : `ifindex ${ifindex}`);
    return {
      ...rest,
      place: this.#place,
      ...(card === undefined || card === this.#place.device ? {} : { device: card }),
      time,
      origin: read(this.#file, number),
    };
  }

  #keep(packet: ObservedPacket): void {
    const course = isCourse(packet);
    const first = course && this.#isFirst(packet);
    if (this.#packets.length >= MAX_PACKETS || (course && !first && this.#course >= MAX_COURSE)) this.#left++;
    else {
      if (course && !first) this.#course++;
      if (!course) this.#begin(packet);
      this.#packets.push(packet);
    }
  }

  #begin(packet: ObservedPacket): void {
    const pair = ((packet.ip?.tcp?.flags ?? 0) & TCP.SYN) === 0 ? undefined : pairOf(packet);
    if (pair !== undefined && !this.#begun.has(pair)) this.#begun.set(pair, FIRST_COURSE);
  }

  /** All that was read. Lines of origins are the packets' numbers. */
  finish(): Reading {
    this.#stream.end();
    const arp = this.#arp.filter((p) => p.arp !== undefined && this.#filter?.concerns(p.arp) === true);
    const filtered = this.#filter !== undefined;
    const passed = this.#passed + (filtered ? this.#stream.unlooked : 0) + this.#arp.length - arp.length;
    const left = this.#left + (filtered ? 0 : this.#stream.unlooked);
    const packets =
      arp.length === 0 ? this.#packets : [...this.#packets, ...arp].sort((a, b) => a.origin.line - b.origin.line);
    const say = (code: string, message: string) => ({
      code,
      severity: code === "pcap-long" || code === "pcap-filtered" ? ("note" as const) : ("warning" as const),
      message,
      file: this.#file,
      line: 0,
      column: 1,
      length: 1,
      text: "",
    });
    const { device } = this.#place;
    return {
      facts: [{ kind: "packets", packets, ...(device === undefined ? {} : { device }) }],
      diagnostics: [
        ...(this.#stream.problem === undefined ? [] : [say("pcap-damaged", this.#stream.problem)]),
        ...(this.#filter === undefined
          ? []
          : [
              say(
                "pcap-filtered",
                `${packets.length} of ${this.#seen + this.#stream.unlooked} packets can be of the asked connection and are kept; ${passed} are passed over`,
              ),
            ]),
        ...(left === 0 ? [] : [say("pcap-long", this.#tooMany(left))]),
        ...[...this.#linkTypes].map((t) => say("pcap-link-type", `frames of link type ${t} are not read`)),
      ],
      counts: {
        packets: packets.length,
        ...(passed === 0 ? {} : { "packets of other connections": passed }),
        ...(left === 0 ? {} : { "packets left out": left }),
        ...(this.#other === 0 ? {} : { "frames of other protocols": this.#other }),
      },
    };
  }

  #tooMany(left: number): string {
    const which =
      this.#filter === undefined
        ? "in the middle of connections, or late in the file, are left out; a question (--from, --to) keeps those of its connection"
        : "in the middle of connections, or of other clients of the same destination, are left out";
    return `too many to keep: ${left} packets ${which}`;
  }
}
