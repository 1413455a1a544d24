import type { Hook, Packet } from "../model/index.ts";
import type { Address } from "../net/index.ts";

/** Which packets a probe looks at: what is the same of them in every branch. */
export interface PacketFilter {
  readonly protocol: number;
  readonly src?: Address;
  readonly dst?: Address;
  readonly sport?: number;
  readonly dport?: number;
}

export type Direction = "request" | "reply";

/** A LOG rule in a hook, or a capture on a device: one place that either sees the packet or does not. */
export type Probe = LogProbe | CaptureProbe;

interface ProbeBase {
  /** Names the probe in what it prints, so that pasted output finds back to it. */
  readonly id: string;
  readonly stack: string;
  readonly direction: Direction;
  readonly filter: PacketFilter;
}
export interface LogProbe extends ProbeBase {
  readonly kind: "log";
  readonly hook: Hook;
}
export interface CaptureProbe extends ProbeBase {
  readonly kind: "capture";
  readonly device: string;
  readonly way: "in" | "out";
}

/** FNV-1a, as six hex digits: the same probe has the same name in every run. */
export function nameOf(parts: readonly (string | number)[]): string {
  let hash = 0x811c9dc5;
  for (const char of parts.join("|")) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return (hash >>> 8).toString(16).padStart(6, "0");
}

const port = (p: Packet["sport"]): number | undefined => (typeof p === "number" ? p : undefined);

/** What of a packet a filter may ask for. Ports nobody fixed it may not. */
export const filterOf = (p: Packet): PacketFilter => {
  const ports = p.icmp === undefined ? { sport: port(p.sport), dport: port(p.dport) } : {};
  return withoutUndefined({ protocol: p.protocol, src: p.src, dst: p.dst, ...ports });
};

const withoutUndefined = <T extends object>(record: T): PacketFilter =>
  Object.fromEntries(Object.entries(record).filter(([, v]) => v !== undefined)) as unknown as PacketFilter;

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The narrowest filter that lets both through; undefined where they have nothing in common that is worth asking for. */
export function common(a: PacketFilter, b: PacketFilter): PacketFilter | undefined {
  if (a.protocol !== b.protocol) return undefined;
  const kept = Object.entries(a).filter(([name, value]) => same(value, b[name as keyof PacketFilter]));
  const filter = Object.fromEntries(kept) as unknown as PacketFilter;
  return filter.src === undefined && filter.dst === undefined ? undefined : filter;
}
