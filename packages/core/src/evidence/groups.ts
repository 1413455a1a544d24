import type { ObservedIp } from "../model/index.ts";
import { PROTO } from "../net/index.ts";
import { endText } from "./endpoint-text.ts";
import { roleOf } from "./sighting.ts";

/** Both directions of one flow, as the addresses stand in it. */
export function flowKey(ip: ObservedIp): string {
  const echo = ip.icmp?.id;
  const a = endText(ip.src, ip.sport);
  const b = endText(ip.dst, ip.dport);
  const ends = a < b ? `${a} ${b}` : `${b} ${a}`;
  return `${ip.protocol ?? "?"} ${ends}${echo === undefined ? "" : ` echo ${echo}`}`;
}

/** Joins flows that translation split: sets of flow keys, merged by what translation leaves alone. */
export class FlowGroups {
  readonly #parent = new Map<string, string>();
  readonly #marks = new Map<string, { readonly key: string; readonly ip: ObservedIp }[]>();

  root(key: string): string {
    let at = key;
    for (let up = this.#parent.get(at); up !== undefined && up !== at; up = this.#parent.get(at)) {
      const above = this.#parent.get(up);
      if (above !== undefined) this.#parent.set(at, above);
      at = up;
    }
    return at;
  }

  #join(a: string, b: string): void {
    const [x, y] = [this.root(a), this.root(b)];
    if (x !== y) this.#parent.set(y, x);
  }

  /** Takes a packet in; it joins the flows that carried the same one under other addresses. */
  add(ip: ObservedIp): string {
    const key = flowKey(ip);
    if (!this.#parent.has(key)) this.#parent.set(key, key);
    for (const mark of marksOf(ip)) {
      const known = this.#marks.get(mark) ?? [];
      if (known.length === 0) this.#marks.set(mark, known);
      if (known.some((k) => k.key === key)) continue;
      const like = known.find((k) => mark.startsWith("tcp") || shareAnEnd(k.ip, ip));
      if (like !== undefined) this.#join(like.key, key);
      if (known.length < 16) known.push({ key, ip });
    }
    return key;
  }
}

/** NAT changes one end of a datagram as a rule, or both ports at most. */
const shareAnEnd = (a: ObservedIp, b: ObservedIp): boolean => {
  const ends = [endText(a.src, undefined), endText(a.dst, undefined)];
  return ends.includes(endText(b.src, undefined)) || ends.includes(endText(b.dst, undefined));
};

/**
 * What stays the same through NAT: a TCP connection's first sequence number (a SYN-ACK acknowledges it), a segment's
 * numbers, an echo's id and number, a datagram's IP id and length.
 */
function marksOf(ip: ObservedIp): readonly string[] {
  const { tcp, icmp } = ip;
  if (tcp !== undefined && tcp.relative !== true) {
    const role = roleOf(ip);
    if (role === "syn" && tcp.seq !== undefined) return [`tcp first ${tcp.seq}`];
    if (role === "syn-ack" && tcp.ack !== undefined) return [`tcp first ${(tcp.ack + 0xffffffff) % 0x100000000}`];
    if (role === "data" && tcp.seq !== undefined && tcp.ack !== undefined)
      return [`tcp data ${tcp.seq} ${tcp.ack} ${ip.payload}`];
    return [];
  }
  if (icmp?.id !== undefined && icmp.seq !== undefined) return [`echo ${icmp.id} ${icmp.seq}`];
  if (ip.protocol === PROTO.udp && ip.id !== undefined && ip.id !== 0 && ip.length !== undefined)
    return [`udp ${ip.id} ${ip.length}`];
  return [];
}
