import type { NatRange } from "../../../model/index.ts";
import { type Family, formatAddress, isIpv4, type PortRange, PROTO } from "../../../net/index.ts";
import type { RuleContext } from "../rule/extension.ts";
import { parseAddressRange, parsePort, parseUnsigned, single, U16, type Value } from "../values/index.ts";

/** `80`, `80-90`, a service's name. A range of names is not possible: names contain dashes. */
export function parseNatPorts(text: string): PortRange | undefined {
  const named = parsePort(text);
  if (named !== undefined) return { from: named, to: named };
  const dash = text.indexOf("-");
  if (dash < 0) return undefined;
  const from = parseUnsigned(text.slice(0, dash), U16);
  const to = parseUnsigned(text.slice(dash + 1), U16);
  return from === undefined || to === undefined || from > to ? undefined : { from, to };
}

export const formatNatPorts = (ports: PortRange): string =>
  ports.from === ports.to ? String(ports.from) : `${ports.from}-${ports.to}`;

export const natPorts: Value<PortRange> = single("a port or a range FROM-TO", parseNatPorts, formatNatPorts);

/** `[ADDRESS[-ADDRESS]][:PORT[-PORT[/BASE]]]`; an IPv6 address with a port stands in brackets. */
export function parseNatRange(text: string, family: Family, shift: boolean): NatRange | undefined {
  let addressText = text;
  let portText: string | undefined;
  if (family === 6) {
    const close = text.indexOf("]");
    if (text.startsWith("[")) {
      if (close < 0) return undefined;
      addressText = text.slice(1, close);
      const rest = text.slice(close + 1);
      if (rest !== "" && !rest.startsWith(":")) return undefined;
      portText = rest === "" ? undefined : rest.slice(1);
    } else if (text.startsWith(":") && !text.startsWith("::")) {
      addressText = "";
      portText = text.slice(1);
    }
  } else {
    const colon = text.indexOf(":");
    addressText = colon < 0 ? text : text.slice(0, colon);
    portText = colon < 0 ? undefined : text.slice(colon + 1);
  }
  const addresses = addressText === "" ? undefined : parseAddressRange(addressText, family);
  if (addressText !== "" && addresses === undefined) return undefined;
  if (portText === undefined) return addresses && { addresses };
  const slash = portText.indexOf("/");
  const ports = parseNatPorts(slash < 0 ? portText : portText.slice(0, slash));
  if (ports === undefined) return undefined;
  if (slash < 0) return addresses ? { addresses, ports } : { ports };
  const basePort = parsePort(portText.slice(slash + 1));
  if (!shift || basePort === undefined || basePort === 0 || ports.from === ports.to) return undefined;
  return addresses ? { addresses, ports, basePort } : { ports, basePort };
}

export function formatNatRange(range: NatRange): string {
  let text = "";
  if (range.addresses !== undefined) {
    const { from, to } = range.addresses;
    const one = formatAddress(from);
    const last = formatAddress(to);
    text = one === last ? one : `${one}-${last}`;
    if (!isIpv4(from) && range.ports !== undefined) text = `[${text}]`;
  }
  if (range.ports === undefined) return text;
  const base = range.basePort === undefined ? "" : `/${range.basePort}`;
  return `${text}:${formatNatPorts(range.ports)}${base}`;
}

export const natRange = (shift: boolean): Value<NatRange> =>
  single("[ADDRESS[-ADDRESS]][:PORT[-PORT]]", (word, { family }) => parseNatRange(word, family, shift), formatNatRange);

/** Ports can be translated only where the rule says which protocol's. */
export const portsPossible = ({ protocol }: RuleContext): boolean =>
  protocol !== undefined &&
  !protocol.negated &&
  ([PROTO.tcp, PROTO.udp, PROTO.sctp, PROTO.dccp, PROTO.udplite, PROTO.icmp, PROTO.icmp6] as number[]).includes(
    protocol.value,
  );

export const NEEDS_PROTOCOL = "a port needs -p tcp, udp, sctp or dccp";
