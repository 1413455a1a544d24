import type { Source } from "../source.ts";

/** The lines of one packet, joined; `index` is its first. */
export interface PacketText {
  readonly index: number;
  readonly text: string;
}

export interface CaptureText {
  readonly packets: readonly PacketText[];
  /** From `listening on eth0, link-type …`. */
  readonly device?: string;
  /** Lines that belong to no packet and are no banner. */
  readonly stray: readonly number[];
}

export const TIMED =
  /^[ \t]{0,12}(?:\d{1,9}[ \t]{1,4})?(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:\.\d{1,10})?\s|\d{1,10}\.\d{6,9}\s)/;
const UNTIMED =
  /^(?:IP6? |ARP, |arp (?:who-has|reply) |[0-9a-f]{2}(?::[0-9a-f]{2}){5} (?:> |ethertype)|\S{1,16}\s+(?:In|Out|P|B|M)\s+(?:IP6? |ARP, |ifindex |[0-9a-f:]{17}))/;
const LISTENING = /\blistening on (\S{1,64}?)(?:, link-type|,|$)/;
const BANNER =
  /^\s*(?:tcpdump: |tshark: |Running as user|Capturing on |listening on |dropped privs to |reading from file |\d+ packets? (?:captured|received|dropped)|\^C|Got \d+)/;
/** The command itself, kept in front of what it printed. */
const COMMAND = /\b(?:tcpdump|tshark)\s(?:.{0,200}?-\w{0,8}i\s?(\S{1,40}))?/;
const HEX = /^\s+0x[0-9a-f]{4}:\s/;
const TUNNEL = /(?:VXLAN|OTV), flags \[[^\n]{0,60}$|\bGeneve, Flags |length \d+: ?$/;
/** What a packet's lines may hold together: enough for every header, and no more. */
const MAX_TEXT = 6000;

/** Cuts a capture into its packets. A line without a time goes on with the packet before it. */
export function packetLines(source: Source): CaptureText {
  const { lines } = source;
  const timed = lines.some((line) => TIMED.test(line.slice(0, 60)));
  const packets: { index: number; parts: string[]; size: number }[] = [];
  const stray: number[] = [];
  let device: string | undefined;
  lines.forEach((full, index) => {
    const line = full.length > MAX_TEXT ? full.slice(0, MAX_TEXT) : full;
    const current = packets[packets.length - 1];
    if (TIMED.test(line.slice(0, 60))) packets.push({ index, parts: [line], size: line.length });
    else if (BANNER.test(line)) device = LISTENING.exec(line.slice(0, 200))?.[1] ?? device;
    else if (HEX.test(line)) return;
    else if (UNTIMED.test(line) && !(current !== undefined && goesOn(current.parts, timed)))
      packets.push({ index, parts: [line], size: line.length });
    else if (current !== undefined) {
      if (current.size + line.length > MAX_TEXT) return;
      current.parts.push(line);
      current.size += line.length + 1;
    } else if (COMMAND.test(line.slice(0, 400))) device = COMMAND.exec(line.slice(0, 400))?.[1] ?? device;
    else if (line.trim() !== "") stray.push(index);
  });
  return {
    packets: packets.map((p) => ({ index: p.index, text: p.parts.join("\n") })),
    ...(device === undefined ? {} : { device }),
    stray,
  };
}

/** A packet without a time of its own is what a tunnel's packet carries, if that is still to come. */
function goesOn(parts: readonly string[], timed: boolean): boolean {
  const last = parts[parts.length - 1]!;
  return TUNNEL.test(last.slice(-200)) || (timed && parts.length < 3 && /^\s/.test(last) && TUNNEL.test(last));
}
