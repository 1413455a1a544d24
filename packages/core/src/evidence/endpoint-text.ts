import {
  hostText,
  isHostName,
  type ObservedHost,
  type ObservedIp,
  type ObservedPlace,
  type ObservedPort,
} from "../model/index.ts";
import { isIpv4 } from "../net/index.ts";

export { hostText };

export const endText = (host: ObservedHost, port: ObservedPort | undefined): string =>
  port === undefined
    ? hostText(host)
    : `${!isHostName(host) && !isIpv4(host) ? `[${hostText(host)}]` : hostText(host)}:${port}`;

/** `10.0.0.1:40000 > 10.0.0.2:80`. */
export const flowText = (ip: Pick<ObservedIp, "src" | "sport" | "dst" | "dport">): string =>
  `${endText(ip.src, ip.sport)} > ${endText(ip.dst, ip.dport)}`;

/** `node-a`, `node-a/pod`, with the device. */
export const placeText = (place: ObservedPlace, device?: string): string => {
  const where = place.stack === undefined ? place.node : `${place.node}/${place.stack}`;
  const on = device ?? place.device;
  return on === undefined ? where : `${where} ${on}`;
};
