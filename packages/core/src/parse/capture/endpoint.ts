import type { ObservedHost, ObservedPort } from "../../model/index.ts";
import { parseAddress, servicePort } from "../../net/index.ts";

export interface Endpoint {
  readonly host: ObservedHost;
  readonly port?: ObservedPort;
}

const portOf = (text: string): ObservedPort => (/^\d{1,5}$/.test(text) ? Number(text) : (servicePort(text) ?? text));

const IPV4_PORT = /^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\.([A-Za-z0-9_-]{1,40})$/;
const IPV6_PORT = /^([0-9a-fA-F:]{2,45}|[0-9a-fA-F:]{2,30}\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\.([A-Za-z0-9_-]{1,40})$/;

/** `10.0.0.1.80`, `fe80::1.547`, `10.0.0.1`; a name's last label is its port only where the protocol has ports. */
export function endpointOf(text: string, ports: boolean): Endpoint {
  const whole = parseAddress(text);
  if (whole !== undefined) return { host: whole };
  const split = IPV4_PORT.exec(text) ?? (text.includes(":") ? IPV6_PORT.exec(text) : null);
  const address = split === null ? undefined : parseAddress(split[1]!);
  if (address !== undefined) return { host: address, port: portOf(split![2]!) };
  const dot = text.lastIndexOf(".");
  if (!ports || dot <= 0) return { host: { name: text } };
  const name = text.slice(0, dot);
  return { host: parseAddress(name) ?? { name }, port: portOf(text.slice(dot + 1)) };
}

/** Whether this can only be an address with a port. */
export const showsPort = (text: string): boolean =>
  parseAddress(text) === undefined && (IPV4_PORT.test(text) || (text.includes(":") && IPV6_PORT.test(text)));
