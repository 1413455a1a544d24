import type { NftBase } from "@hairpin/core/model/index.ts";
import { familyOf } from "@hairpin/core/net/index.ts";
import type { ChainName, CtInfo, HookRecord, ObservedPacket } from "../observation.ts";
import { attributesOf, be16, be32 } from "./netlink.ts";
import { decodePacket, macOf } from "./packet.ts";

/** NFULA_* (include/uapi/linux/netfilter/nfnetlink_log.h). */
const NFULA = {
  mark: 2,
  timestamp: 3,
  in: 4,
  out: 5,
  physin: 6,
  physout: 7,
  hardwareAddress: 8,
  payload: 9,
  prefix: 10,
  ctInfo: 19,
} as const;

/** enum ip_conntrack_info. A packet without conntrack, untracked ones included, carries none. */
const CT_INFO: readonly (CtInfo | undefined)[] = [
  "ESTABLISHED",
  "RELATED",
  "NEW",
  "ESTABLISHED_REPLY",
  "RELATED_REPLY",
];

const PREFIX = /^([ln])([46])\/(raw|mangle|nat|filter|security)\/([A-Z]+)$/;
const NATIVE = /^t\/(\w+ \S+) (\S+)( nat)?\/([A-Z]+)$/;

/** How an observer rule names its place, within the 63 characters NFLOG keeps. */
export const observerPrefix = (backend: "legacy" | "nft", family: 4 | 6, table: string, chain: string): string =>
  `${backend === "legacy" ? "l" : "n"}${family}/${table}/${chain}`;

/** The same of a base chain in a native nftables table, within the 127 characters nft keeps. */
export const nativePrefix = (table: string, chain: string, { type, hook }: NftBase): string =>
  `t/${table} ${chain}${type === "nat" ? " nat" : ""}/${hook.toUpperCase()}`;

/** A message of an observer rule; undefined for NFLOG rules of the World's own. */
export function decodeHook(
  stack: string,
  body: Buffer,
  deviceName: (index: number) => string | undefined,
): HookRecord | undefined {
  const about = attributesOf(body, 4);
  const prefix = (about.get(NFULA.prefix) ?? Buffer.alloc(0)).toString("latin1").replace(/\0.*$/s, "");
  const packet = decodePacket(about.get(NFULA.payload) ?? Buffer.alloc(0));
  if (packet === undefined) return undefined;
  const place = placeOf(prefix, packet);
  if (place === undefined) return undefined;
  const device = (kind: number): string => {
    const index = be32(about.get(kind));
    return index === undefined ? "" : (deviceName(index) ?? `#${index}`);
  };
  const hardware = about.get(NFULA.hardwareAddress);
  const ct = CT_INFO[be32(about.get(NFULA.ctInfo)) ?? -1];
  const when = about.get(NFULA.timestamp);
  return {
    stack,
    ...place,
    in: device(NFULA.in),
    out: device(NFULA.out),
    physin: device(NFULA.physin),
    physout: device(NFULA.physout),
    mark: be32(about.get(NFULA.mark)) ?? 0,
    packet,
    ...(hardware !== undefined && be16(hardware) === 6 ? { sourceMac: macOf(hardware, 4) } : {}),
    ...(ct === undefined ? {} : { ct }),
    ...(when === undefined ? {} : { time: (when.readBigUInt64BE(0) * 1_000_000n + when.readBigUInt64BE(8)) * 1000n }),
  };
}

/** A chain of an inet table meets both families: there the packet tells. */
function placeOf(
  prefix: string,
  packet: ObservedPacket,
): Pick<HookRecord, "backend" | "family" | "table" | "chain" | "native"> | undefined {
  const [, backend, family, table, chain] = PREFIX.exec(prefix) ?? [];
  if (table !== undefined)
    return {
      backend: backend === "l" ? "legacy" : "nft",
      family: family === "4" ? 4 : 6,
      table,
      chain: chain as ChainName,
    };
  const [, owner, name, nat, hook] = NATIVE.exec(prefix) ?? [];
  if (owner === undefined || name === undefined) return undefined;
  const native = { chain: name, nat: nat !== undefined };
  return { backend: "nft", family: familyOf(packet.src), table: owner, native, chain: hook as ChainName };
}
