import type { RawSeen } from "../executor/protocol.ts";
import type { FrameDirection, FrameRecord } from "../observation.ts";
import { decodeArp, decodePacket, macOf } from "./packet.ts";

/** PACKET_HOST … PACKET_OUTGOING (include/uapi/linux/if_packet.h). */
const DIRECTIONS: readonly FrameDirection[] = ["in", "broadcast", "multicast", "otherhost", "out"];
const ARPHRD_ETHER = 1;
const ARPHRD_LOOPBACK = 772;

export function decodeFrame(raw: RawSeen["frames"][number]): FrameRecord {
  const [stack, device, kind, when, tag, hardware, encoded] = raw;
  const data = Buffer.from(encoded, "base64");
  const base = { stack, device, direction: DIRECTIONS[kind] ?? "in", time: BigInt(when) };
  if ((hardware !== ARPHRD_ETHER && hardware !== ARPHRD_LOOPBACK) || data.length < 14) {
    const packet = decodePacket(data);
    const etherType = data[0] !== undefined && data[0] >> 4 === 6 ? 0x86dd : 0x0800;
    return packet === undefined ? { ...base, etherType } : { ...base, etherType, packet };
  }
  let etherType = data.readUInt16BE(12);
  let at = 14;
  let vlan = tag >= 0 ? tag & 0xfff : undefined;
  if ((etherType === 0x8100 || etherType === 0x88a8) && data.length >= 18) {
    vlan = data.readUInt16BE(14) & 0xfff;
    etherType = data.readUInt16BE(16);
    at = 18;
  }
  const arp = etherType === 0x0806 ? decodeArp(data.subarray(at)) : undefined;
  const packet = etherType === 0x0800 || etherType === 0x86dd ? decodePacket(data.subarray(at)) : undefined;
  return {
    ...base,
    etherType,
    destinationMac: macOf(data, 0),
    sourceMac: macOf(data, 6),
    ...(vlan === undefined ? {} : { vlan }),
    ...(arp === undefined ? {} : { arp }),
    ...(packet === undefined ? {} : { packet }),
  };
}
