import type { ObservedHost, ObservedIp, ObservedPlace, ObservedPort } from "../model/index.ts";
import { formatAddress } from "../net/index.ts";

export const hostText = (host: ObservedHost): string => (typeof host === "string" ? host : formatAddress(host));

export const endText = (host: ObservedHost, port: ObservedPort | undefined): string =>
  port === undefined ? hostText(host) : `${typeof host === "object" ? `[${hostText(host)}]` : hostText(host)}:${port}`;

/** `10.0.0.1:40000 > 10.0.0.2:80`. */
export const flowText = (ip: Pick<ObservedIp, "src" | "sport" | "dst" | "dport">): string =>
  `${endText(ip.src, ip.sport)} > ${endText(ip.dst, ip.dport)}`;

/** `node-a`, `node-a/pod`, with the device. */
export const placeText = (place: ObservedPlace, device?: string): string => {
  const where = place.stack === undefined ? place.node : `${place.node}/${place.stack}`;
  const on = device ?? place.device;
  return on === undefined ? where : `${where} ${on}`;
};
