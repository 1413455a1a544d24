import type { ForwardMethod } from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";

export const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["TCP", PROTO.tcp],
  ["UDP", PROTO.udp],
  ["SCTP", PROTO.sctp],
]);
export const protocolLabel = (n: number): string => [...PROTOCOLS].find(([, number]) => number === n)?.[0] ?? String(n);

export const METHODS: ReadonlyMap<string, ForwardMethod> = new Map([
  ["Masq", "masq"],
  ["Route", "route"],
  ["Tunnel", "tunnel"],
  ["Local", "local"],
  ["Bypass", "bypass"],
]);
export const methodLabel = (method: ForwardMethod): string =>
  [...METHODS].find(([, m]) => m === method)?.[0] ?? "Unknown";

/** The first two scheduler flags mean to `sh` and `mh` what their names say; to others they are numbers. */
export function flagName(scheduler: string, flag: string): string {
  if (scheduler !== "sh" && scheduler !== "mh") return flag;
  if (flag === "flag-1") return `${scheduler}-fallback`;
  return flag === "flag-2" ? `${scheduler}-port` : flag;
}

/** What `-p` without a number means (IPVS_SVC_PERSISTENT_TIMEOUT; the manual says 300). */
export const DEFAULT_PERSISTENCE = 360;
export const DEFAULT_SCHEDULER = "wlc";
