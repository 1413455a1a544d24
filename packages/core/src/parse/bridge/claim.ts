import type { Claim } from "../dialect.ts";
import { pathAndValue, portOfPath } from "./hairpin.ts";

const HEADER = /^\d{1,10}: \S{1,64}: <[A-Za-z0-9_,-]{0,400}> mtu \d/;
const OLD_HEADER =
  /^\d{1,10}: \S{1,64} state (UP|DOWN|UNKNOWN|LOWERLAYERDOWN)\s+(@\S+\s*)?: <[A-Z0-9_,-]{0,400}> mtu \d/;
const PORT_STATE = / state (disabled|listening|learning|forwarding|blocking)(\s|$)/;
const PORT_DETAIL =
  /^\s+(state (disabled|listening|learning|forwarding|blocking) priority |hairpin (on|off)\b|mcast_router \d|hwmode \S|neigh_suppress (on|off)\b)/;

export function claimBridgeLink(line: string): Claim {
  const head = line.slice(0, 2000);
  if (head.includes(" qdisc ")) return "no";
  if ((HEADER.test(head) && (PORT_STATE.test(head) || / master \S+\s*$/.test(head))) || OLD_HEADER.test(head))
    return PORT_STATE.test(head) || OLD_HEADER.test(head) ? "head" : "maybe";
  return PORT_DETAIL.test(head) ? "line" : "no";
}

const FDB = /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5} (dev \S|(dst|vlan|master|self|permanent|router)\b|src_vni )/;
export const claimFdb = (line: string): Claim => (FDB.test(line.slice(0, 200)) ? "line" : "no");

const VLAN_HEAD = /^port\s+(vlan ids|vlan-id)(\s|$)/;
const VLAN_ROW = /^(\S{1,32}|)\s+\d{1,4}(-\d{1,4})?( PVID)?( Egress Untagged)?( Egress untagged)?\s*$/;
export function claimVlan(line: string): Claim {
  const head = line.slice(0, 200);
  if (VLAN_HEAD.test(head)) return "head";
  if (/^\s{18,24}state [a-z]{7,10} (mcast_router|neigh_suppress)/.test(head)) return "line";
  return VLAN_ROW.test(head) ? "maybe" : "no";
}

export function claimBrctlShow(line: string): Claim {
  const head = line.slice(0, 400);
  if (/^bridge name\s+bridge id\s+STP enabled\s+interfaces/.test(head)) return "head";
  if (/^\S{1,32}\s+[0-9a-f]{4}\.[0-9a-f]{12}\s+(yes|no)(\s+\S{1,32})?\s*$/.test(head)) return "line";
  return /^\t{2,8}\S{1,32}\s*$|^ {16,48}\S{1,32}\s*$/.test(head) ? "maybe" : "no";
}

export function claimBrctlMacs(line: string): Claim {
  const head = line.slice(0, 400);
  if (/^port no\s+mac addr\s+is local\?\s+ageing timer/.test(head)) return "head";
  return /^\s*\d{1,4}\s+[0-9a-f]{2}(:[0-9a-f]{2}){5}\s+(yes|no)\s+\d+\.\d+\s*$/.test(head) ? "line" : "no";
}

/** A path of a port under /sys with its value, as grep or a loop prints it. */
export function claimHairpin(line: string): Claim {
  if (!line.startsWith("/sys/")) return "no";
  const phrase = pathAndValue(line);
  return phrase !== undefined && portOfPath(phrase.key) !== undefined ? "line" : "no";
}
