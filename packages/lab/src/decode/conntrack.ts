import { type ConntrackTuple, TCP_STATES } from "@hairpin/core/model/index.ts";
import { ipv4At, ipv6At } from "@hairpin/core/net/index.ts";
import type { ConntrackRecord } from "../observation.ts";
import { attributesOf, be16, be32, byte } from "./netlink.ts";

/** One entry of a ctnetlink dump (CTA_*, include/uapi/linux/netfilter/nfnetlink_conntrack.h). */
export function decodeConntrack(body: Buffer): ConntrackRecord | undefined {
  const about = attributesOf(body, 4);
  const original = tupleOf(about.get(1));
  const reply = tupleOf(about.get(2));
  if (original === undefined || reply === undefined) return undefined;
  const tcp = attributesOf(attributesOf(about.get(4) ?? Buffer.alloc(0)).get(1) ?? Buffer.alloc(0));
  const state = byte(tcp.get(1));
  return {
    original,
    reply,
    status: be32(about.get(3)) ?? 0,
    timeout: be32(about.get(7)) ?? 0,
    mark: be32(about.get(8)) ?? 0,
    zone: be16(about.get(18)) ?? 0,
    ...(state === undefined ? {} : { tcpState: TCP_STATES[state] ?? String(state) }),
  };
}

function tupleOf(nested: Buffer | undefined): ConntrackTuple | undefined {
  if (nested === undefined) return undefined;
  const parts = attributesOf(nested);
  const ip = attributesOf(parts.get(1) ?? Buffer.alloc(0));
  const proto = attributesOf(parts.get(2) ?? Buffer.alloc(0));
  const v4 = ip.get(1);
  const v6 = ip.get(3);
  const protocol = byte(proto.get(1));
  if (protocol === undefined || (v4 === undefined && v6 === undefined)) return undefined;
  const icmpType = byte(proto.get(5)) ?? byte(proto.get(8));
  const icmpCode = byte(proto.get(6)) ?? byte(proto.get(9)) ?? 0;
  return {
    src: v4 !== undefined ? ipv4At(v4, 0) : ipv6At(v6!, 0),
    dst: v4 !== undefined ? ipv4At(ip.get(2)!, 0) : ipv6At(ip.get(4)!, 0),
    protocol,
    sport: be16(proto.get(2)) ?? be16(proto.get(4)) ?? be16(proto.get(7)) ?? 0,
    dport: icmpType === undefined ? (be16(proto.get(3)) ?? 0) : (icmpType << 8) | icmpCode,
  };
}
