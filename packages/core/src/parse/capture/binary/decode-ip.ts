import type { ObservedFrame, ObservedIcmp, ObservedIp } from "../../../model/index.ts";
import { PROTO } from "../../../net/index.ts";
import type { Bytes } from "./bytes.ts";
import { decodeEthernet } from "./decode-link.ts";

const MAX_DEPTH = 4;
export const VXLAN_PORTS = new Set([4789, 8472, 48879, 8475]);

const put = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };

/** An IPv4 or IPv6 packet by its version; undefined where not even its addresses are there. */
export function decodeIp(bytes: Bytes, depth = 0): ObservedIp | undefined {
  const first = bytes.u8(0);
  if (first === undefined) return undefined;
  if (first >> 4 === 4) return decodeIpv4(bytes, depth);
  return first >> 4 === 6 ? decodeIpv6(bytes, depth) : undefined;
}

function decodeIpv4(bytes: Bytes, depth: number): ObservedIp | undefined {
  const dst = bytes.ipv4(16);
  const header = (bytes.u8(0)! & 15) * 4;
  if (dst === undefined || header < 20) return undefined;
  // With segmentation offload the length may be 0: the frame tells it then.
  const length = bytes.u16(2)! || bytes.length;
  const fragment = bytes.u16(6)!;
  const offset = (fragment & 0x1fff) * 8;
  const protocol = bytes.u8(9)!;
  const base = {
    src: bytes.ipv4(12)!,
    dst,
    protocol,
    ttl: bytes.u8(8)!,
    tos: bytes.u8(1)!,
    id: bytes.u16(4)!,
    df: (fragment & 0x4000) !== 0,
    length,
    ...(offset === 0 && (fragment & 0x2000) === 0 ? {} : { fragment: true as const }),
    ...(offset === 0 ? {} : { fragmentOffset: offset }),
  };
  if (offset !== 0) return base;
  const payload = length - header;
  return { ...base, ...decodeBody(bytes.rest(header, Math.max(0, payload)), protocol, payload, depth) };
}

const EXTENSIONS = new Set([0, 43, 60]);

function decodeIpv6(bytes: Bytes, depth: number): ObservedIp | undefined {
  const src = bytes.ipv6(8);
  const dst = bytes.ipv6(24);
  if (src === undefined || dst === undefined) return undefined;
  const declared = bytes.u16(4)!;
  let next = bytes.u8(6)!;
  let at = 40;
  let fragmentOffset: number | undefined;
  for (let i = 0; i < 8 && (EXTENSIONS.has(next) || next === 44 || next === 51); i++) {
    const following = bytes.u8(at);
    const size = bytes.u8(at + 1);
    if (following === undefined || size === undefined) break;
    if (next === 44) {
      const offset = (bytes.u16(at + 2) ?? 0) & 0xfff8;
      if (offset !== 0) fragmentOffset = offset;
      at += 8;
    } else at += next === 51 ? (size + 2) * 4 : (size + 1) * 8;
    next = following;
    if (fragmentOffset !== undefined) break;
  }
  const base = {
    src,
    dst,
    protocol: next,
    ttl: bytes.u8(7)!,
    tos: ((bytes.u16(0)! >> 4) & 0xff) as number,
    length: declared + 40,
    ...put("fragmentOffset", fragmentOffset),
  };
  if (fragmentOffset !== undefined) return base;
  const payload = declared + 40 - at;
  return { ...base, ...decodeBody(bytes.rest(at, Math.max(0, payload)), next, payload, depth) };
}

type Body = Pick<ObservedIp, "sport" | "dport" | "payload" | "tcp" | "icmp" | "tunnel" | "inner">;

const frameOf = (ip: ObservedIp | undefined): { readonly inner?: ObservedFrame } =>
  ip === undefined ? {} : { inner: { ip } };

/** What follows the IP header; `size` is what the header says there is, `bytes` what was captured of it. */
function decodeBody(bytes: Bytes, protocol: number, size: number, depth: number): Body {
  const ports = (): Body => ({ ...put("sport", bytes.u16(0)), ...put("dport", bytes.u16(2)) });
  switch (protocol) {
    case PROTO.tcp: {
      const bits = bytes.u16(12);
      if (bits === undefined) return ports();
      const header = (bits >> 12) * 4;
      const flags = bits & 0xff;
      return {
        ...ports(),
        tcp: {
          flags,
          ...put("seq", bytes.u32(4)),
          ...((flags & 16) === 0 ? {} : put("ack", bytes.u32(8))),
          ...put("window", bytes.u16(14)),
        },
        payload: Math.max(0, size - header),
      };
    }
    case PROTO.udp: {
      const length = bytes.u16(4);
      const body: Body = { ...ports(), ...(length === undefined ? {} : { payload: Math.max(0, length - 8) }) };
      return depth < MAX_DEPTH ? { ...body, ...decodeUdpTunnel(bytes, body, depth) } : body;
    }
    case PROTO.sctp:
    case PROTO.dccp:
    case PROTO.udplite:
      return ports();
    case PROTO.icmp:
    case PROTO.icmp6:
      return { payload: size, ...put("icmp", decodeIcmp(bytes, protocol === PROTO.icmp ? 4 : 6, depth)) };
    case PROTO.ipip:
    case 41:
      return depth < MAX_DEPTH ? { tunnel: { kind: "ipip" }, ...frameOf(decodeIp(bytes, depth + 1)) } : {};
    case 47:
      return decodeGre(bytes, depth);
    default:
      return {};
  }
}

function decodeUdpTunnel(bytes: Bytes, body: Body, depth: number): Body {
  if (typeof body.dport !== "number") return {};
  if (VXLAN_PORTS.has(body.dport) && bytes.u8(8) === 8 && bytes.length >= 30) {
    const inner = decodeEthernet(bytes.rest(16), depth + 1);
    return { tunnel: { kind: "vxlan", vni: bytes.u32(12)! >>> 8 }, ...put("inner", inner) };
  }
  if (body.dport === 6081 && bytes.length >= 30 && bytes.u8(8)! >> 6 === 0) {
    const options = (bytes.u8(8)! & 63) * 4;
    const inside = bytes.rest(16 + options);
    const ethernet = bytes.u16(10) === 0x6558;
    const frame = ethernet ? decodeEthernet(inside, depth + 1) : frameOf(decodeIp(inside, depth + 1)).inner;
    return { tunnel: { kind: "geneve", vni: bytes.u32(12)! >>> 8 }, ...put("inner", frame) };
  }
  return {};
}

function decodeGre(bytes: Bytes, depth: number): Body {
  const flags = bytes.u16(0);
  const type = bytes.u16(2);
  if (flags === undefined || type === undefined || (flags & 7) !== 0 || depth >= MAX_DEPTH)
    return { tunnel: { kind: "gre" } };
  const at = 4 + ((flags & 0x8000) === 0 ? 0 : 4) + ((flags & 0x2000) === 0 ? 0 : 4) + ((flags & 0x1000) === 0 ? 0 : 4);
  const inside = bytes.rest(at);
  const inner =
    type === 0x6558
      ? decodeEthernet(inside, depth + 1)
      : type === 0x0800 || type === 0x86dd
        ? frameOf(decodeIp(inside, depth + 1)).inner
        : undefined;
  return { tunnel: { kind: "gre" }, ...put("inner", inner) };
}

function decodeIcmp(bytes: Bytes, family: 4 | 6, depth: number): ObservedIcmp | undefined {
  const type = bytes.u8(0);
  const code = bytes.u8(1);
  if (type === undefined || code === undefined) return undefined;
  const echo = family === 4 ? type === 0 || type === 8 : type === 128 || type === 129;
  const error = family === 4 ? [3, 4, 5, 11, 12].includes(type) : type >= 1 && type <= 4;
  const inner = error && depth < MAX_DEPTH ? decodeIp(bytes.rest(8), depth + 1) : undefined;
  const tooBig = family === 4 ? type === 3 && code === 4 : type === 2;
  return {
    type,
    code,
    ...(echo ? { ...put("id", bytes.u16(4)), ...put("seq", bytes.u16(6)) } : {}),
    ...(tooBig ? put("mtu", family === 4 ? bytes.u16(6) : bytes.u32(4)) : {}),
    ...put("inner", inner),
  };
}
