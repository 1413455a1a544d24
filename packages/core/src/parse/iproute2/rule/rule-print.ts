import type { RoutingRule } from "../../../model/index.ts";
import { formatAddress, formatPrefix, isHost, type PortRange, type Prefix } from "../../../net/index.ts";
import { ipProtoText } from "../ip-protocol.ts";
import { dscpName, dsfieldName, tableName } from "../names.ts";

const hex = (value: number): string => (value === 0 ? "0" : `0x${value.toString(16)}`);
const prefixText = (p: Prefix): string => (isHost(p) ? formatAddress(p.address) : formatPrefix(p));
export const rangeText = (r: PortRange): string => (r.from === r.to ? String(r.from) : `${r.from}-${r.to}`);

/** Words kept verbatim stand where the tool prints their kind: masked ports before the table, the rest at the end. */
const isPort = (text: string): boolean => text.startsWith("sport ") || text.startsWith("dport ");

export interface RulePrintOptions {
  /** As `ip -d rule`: `proto kernel` is shown too. */
  readonly details?: boolean;
}

/** A rule as `ip rule show` of iproute2 4.18 and later prints it, without the line end. */
export function printRule(rule: RoutingRule, options: RulePrintOptions = {}): string {
  let out = `${rule.preference}:\t`;
  if (rule.not) out += "not ";
  out += `from ${rule.from === undefined ? "all" : prefixText(rule.from)}`;
  if (rule.to !== undefined) out += ` to ${prefixText(rule.to)}`;
  if (rule.tos !== undefined && rule.tos !== 0) out += ` tos ${dsfieldName(rule.tos)}`;
  if (rule.fwmark !== undefined) {
    out += ` fwmark ${hex(rule.fwmark)}`;
    if (rule.fwmask !== undefined && rule.fwmask !== 0xffffffff) out += `/${hex(rule.fwmask)}`;
  }
  if (rule.iif !== undefined) out += ` iif ${rule.iif}${rule.iifDetached === true ? " [detached]" : ""}`;
  if (rule.oif !== undefined) out += ` oif ${rule.oif}${rule.oifDetached === true ? " [detached]" : ""}`;
  if (rule.l3mdev === true) out += " lookup [l3mdev-table]";
  if (rule.uidRange !== undefined) out += ` uidrange ${rule.uidRange.from}-${rule.uidRange.to}`;
  if (rule.ipProto !== undefined) out += ` ipproto ${ipProtoText(rule.ipProto)}`;
  if (rule.sport !== undefined) out += ` sport ${rangeText(rule.sport)}`;
  if (rule.dport !== undefined) out += ` dport ${rangeText(rule.dport)}`;
  for (const text of rule.unknown) if (isPort(text)) out += ` ${text}`;
  if (rule.tunId !== undefined) out += ` tun_id ${rule.tunId}`;
  const action = rule.action;
  if (action.kind === "lookup" && action.table !== 0) {
    out += ` lookup ${tableName(action.table)}`;
    if (rule.suppressPrefixLength !== undefined) out += ` suppress_prefixlength ${rule.suppressPrefixLength}`;
    if (rule.suppressGroup !== undefined) out += ` suppress_ifgroup ${rule.suppressGroup}`;
  }
  if (rule.realms !== undefined) out += ` realms ${rule.realms}`;
  if (action.kind === "goto") out += ` goto ${action.target}${action.unresolved === true ? " [unresolved]" : ""}`;
  else if (action.kind === "unknown") out += action.text === "" ? "" : ` ${action.text}`;
  else if (action.kind !== "lookup") out += ` ${action.kind}`;
  const own = rule.protocol === "kernel" || rule.protocol === "unspec";
  if (rule.protocol !== undefined && (!own || options.details)) out += ` proto ${rule.protocol}`;
  if (rule.dscp !== undefined) out += ` dscp ${dscpName(rule.dscp)}`;
  for (const text of rule.unknown) if (!isPort(text)) out += ` ${text}`;
  return out;
}
