import { type ObservedFrame, hostText as shown } from "@hairpin/core/model/index.ts";
import { PROTO } from "@hairpin/core/net/index.ts";

/** What a text says otherwise than the bytes it was printed from. What the text does not show is not compared. */
export function differences(text: ObservedFrame | undefined, bytes: ObservedFrame | undefined, at = ""): string[] {
  if (bytes?.ip === undefined && bytes?.arp === undefined)
    return text?.ip === undefined && text?.arp === undefined ? [] : [`${at}: the bytes show no packet`];
  if (text === undefined) return [`${at}: the text shows no packet`];
  const wrong: string[] = [];
  const same = (what: string, a: unknown, b: unknown, must = false): void => {
    if (a === undefined && !must) return;
    if (JSON.stringify(a) !== JSON.stringify(b))
      wrong.push(`${at}.${what}: ${JSON.stringify(a)} for ${JSON.stringify(b)}`);
  };
  same("srcMac", text.srcMac, bytes.srcMac);
  same("dstMac", text.dstMac, bytes.dstMac);
  if (text.srcMac !== undefined) same("vlans", text.vlans, bytes.vlans, true);
  if (bytes.arp !== undefined) {
    same("arp", text.arp?.operation, bytes.arp.operation, true);
    same("arp.target", text.arp?.target, bytes.arp.target, true);
    same("arp.sender", text.arp?.sender, bytes.arp.sender, true);
    return wrong;
  }
  const a = text.ip;
  const b = bytes.ip!;
  if (a === undefined) return [...wrong, `${at}: the text shows no IP packet`];
  if (shown(a.src) !== shown(b.src)) wrong.push(`${at}.src: ${shown(a.src)} for ${shown(b.src)}`);
  if (shown(a.dst) !== shown(b.dst)) wrong.push(`${at}.dst: ${shown(a.dst)} for ${shown(b.dst)}`);
  const known = b.protocol !== undefined && [PROTO.tcp, PROTO.udp, PROTO.icmp, PROTO.icmp6].includes(b.protocol as 1);
  same("protocol", a.protocol, b.protocol, known && b.fragmentOffset === undefined);
  for (const key of ["ttl", "id", "df", "length", "fragmentOffset"] as const) same(key, a[key], b[key]);
  const ported = b.protocol === PROTO.tcp || b.protocol === PROTO.udp;
  same("sport", a.sport, b.sport, ported);
  same("dport", a.dport, b.dport, ported);
  if (b.protocol === PROTO.tcp && b.tcp !== undefined) {
    same("flags", a.tcp?.flags, b.tcp.flags);
    if (a.tcp?.relative !== true) {
      same("seq", a.tcp?.seq, b.tcp.seq);
      same("ack", a.tcp?.ack, b.tcp.ack);
    }
  }
  if (ported) same("payload", a.payload, b.payload);
  if (b.icmp !== undefined) {
    same("icmp.type", a.icmp?.type, b.icmp.type);
    same("icmp.code", a.icmp?.code, b.icmp.code);
    same("icmp.id", a.icmp?.id, b.icmp.id);
    same("icmp.seq", a.icmp?.seq, b.icmp.seq);
    if (a.icmp?.inner !== undefined && b.icmp.inner !== undefined) {
      const dst = a.icmp.inner.dst;
      if (shown(dst) !== shown(b.icmp.inner.dst)) wrong.push(`${at}.icmp.inner.dst: ${shown(dst)}`);
    }
  }
  if (a.inner !== undefined && b.inner !== undefined) wrong.push(...differences(a.inner, b.inner, `${at}.inner`));
  return wrong;
}
