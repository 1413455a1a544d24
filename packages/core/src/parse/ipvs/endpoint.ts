import { type Address, formatAddress, ipv4Of, isIpv4, parseAddress, parseIpv6, servicePort } from "../../net/index.ts";

export interface Endpoint {
  readonly address: Address;
  readonly port: number;
}

export function portOf(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text)) return servicePort(text);
  return Number(text) <= 65535 ? Number(text) : undefined;
}

/** `10.0.0.1:80`, `[2001:db8::1]:443`, `10.0.0.1:https`. A host's name is not resolved. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const colon = text.lastIndexOf(":");
  if (colon <= 0 || text.length > 100) return undefined;
  const port = portOf(text.slice(colon + 1));
  const host = text.slice(0, colon);
  const bracketed = host.startsWith("[") && host.endsWith("]");
  const address = bracketed ? parseIpv6(host.slice(1, -1)) : host.includes(":") ? undefined : parseAddress(host);
  return address === undefined || port === undefined ? undefined : { address, port };
}

/** `0A600001:01BB`, `[2001:0db8:…]:01BB`: /proc/net/ip_vs. */
export function parseHexEndpoint(text: string): Endpoint | undefined {
  const match = /^(?:([0-9A-Fa-f]{8})|\[([0-9a-fA-F:]{39})\]):([0-9A-Fa-f]{4})$/.exec(text);
  if (match === null) return undefined;
  const address = match[1] === undefined ? parseIpv6(match[2]!) : ipv4Of(Number.parseInt(match[1], 16));
  return address === undefined ? undefined : { address, port: Number.parseInt(match[3]!, 16) };
}

export const formatEndpoint = ({ address, port }: Endpoint): string =>
  isIpv4(address) ? `${formatAddress(address)}:${port}` : `[${formatAddress(address)}]:${port}`;
