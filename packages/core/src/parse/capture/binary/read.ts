import { type ObservedPacket, type ObservedPlace, read, TCP } from "../../../model/index.ts";
import type { Reading } from "../../dialect.ts";
import { CaptureStream, type Recorded } from "./stream.ts";

/**
 * Packets kept of one file; beyond it they are counted and said to be left out. What opens, ends or refuses a connection
 * tells the most, so the mere course of connections has a smaller share.
 */
const MAX_PACKETS = 200_000;
const MAX_COURSE = 50_000;

/** A TCP segment that neither opens nor ends its connection. */
const isCourse = ({ ip }: ObservedPacket): boolean =>
  ip?.tcp?.flags !== undefined && (ip.tcp.flags & (TCP.SYN | TCP.RST | TCP.FIN)) === 0;

/** Collects the packets of a capture file, piece by piece. `wanted` keeps those of an asked connection only. */
export class CaptureReader {
  readonly #stream = new CaptureStream();
  readonly #packets: ObservedPacket[] = [];
  readonly #file: string;
  readonly #place: ObservedPlace;
  readonly #wanted: (packet: ObservedPacket) => boolean;
  #other = 0;
  #left = 0;
  #course = 0;
  readonly #linkTypes = new Set<number>();

  constructor(file: string, place: ObservedPlace, wanted: (packet: ObservedPacket) => boolean = () => true) {
    this.#file = file;
    this.#place = place;
    this.#wanted = wanted;
  }

  push(piece: Uint8Array): void {
    this.#stream.push(piece, (record) => this.#take(record));
  }

  #take({ frame, time, number, device, linkType }: Recorded): void {
    if (frame === undefined) this.#linkTypes.add(linkType);
    if (frame?.ip === undefined && frame?.arp === undefined) {
      this.#other++;
      return;
    }
    const { ifindex, ...rest } = frame;
    const card = device ?? (ifindex === undefined ? undefined : `ifindex ${ifindex}`);
    const packet: ObservedPacket = {
      ...rest,
      place: this.#place,
      ...(card === undefined || card === this.#place.device ? {} : { device: card }),
      time,
      origin: read(this.#file, number),
    };
    if (!this.#wanted(packet)) return;
    const course = isCourse(packet);
    if (this.#packets.length >= MAX_PACKETS || (course && this.#course >= MAX_COURSE)) this.#left++;
    else {
      if (course) this.#course++;
      this.#packets.push(packet);
    }
  }

  /** All that was read. Lines of origins are the packets' numbers. */
  finish(): Reading {
    this.#stream.end();
    const say = (code: string, message: string) => ({
      code,
      severity: code === "pcap-long" ? ("note" as const) : ("warning" as const),
      message,
      file: this.#file,
      line: 0,
      column: 1,
      length: 1,
      text: "",
    });
    const { device } = this.#place;
    return {
      facts: [{ kind: "packets", packets: this.#packets, ...(device === undefined ? {} : { device }) }],
      diagnostics: [
        ...(this.#stream.problem === undefined ? [] : [say("pcap-damaged", this.#stream.problem)]),
        ...(this.#left === 0
          ? []
          : [
              say(
                "pcap-long",
                `too many to keep: ${this.#left} packets in the middle of connections, or late in the file, are left out`,
              ),
            ]),
        ...[...this.#linkTypes].map((t) => say("pcap-link-type", `frames of link type ${t} are not read`)),
      ],
      counts: {
        packets: this.#packets.length,
        ...(this.#other === 0 ? {} : { "frames of other protocols": this.#other }),
      },
    };
  }
}
