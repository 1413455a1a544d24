import type { Claim } from "../dialect.ts";

const ENDPOINT = String.raw`(?:\[[0-9a-fA-F:.]{2,45}\]|[\w.-]{1,253}):[\w-]{1,32}`;
const PROTOCOL = "(?:TCP|UDP|SCTP)";
const SERVICE = new RegExp(
  `^\\s{0,8}(?:${PROTOCOL}\\s{1,4}${ENDPOINT}|FWM\\s{1,4}-?\\d{1,10}(?: IPv6)?) +[a-z]{1,12}(?:\\s|$)`,
);
const COUNTED_SERVICE = new RegExp(
  `^\\s{0,8}(?:${PROTOCOL}\\s{1,4}${ENDPOINT}|FWM\\s{1,4}-?\\d{1,10}(?: IPv6)?)(?:\\s+\\d+[KMGT]?){3,8}\\s*$`,
);
const SERVER = new RegExp(`^\\s{0,12}-> ${ENDPOINT}\\s+(?:\\d|Masq|Route|Tunnel|Local|Bypass)`);
const COLUMNS = /^Prot LocalAddress:Port\s|^\s{0,8}-> RemoteAddress:Port(?:\s|$)/;

export function claimListing(line: string): Claim {
  if (line.startsWith("IP Virtual Server version")) return "head";
  if (COLUMNS.test(line)) return "line";
  const text = line.slice(0, 400);
  if (SERVICE.test(text) || COUNTED_SERVICE.test(text) || SERVER.test(text)) return "line";
  return line === "--" || line.trim() === "" ? "maybe" : "no";
}

const HEX_SERVICE =
  /^(?:TCP|UDP|SCTP)\s+(?:[0-9A-F]{8}|\[[0-9a-f:]{39}\]):[0-9A-F]{4} [a-z]+ |^FWM\s+[0-9A-F]{8} [a-z]+ /;
const HEX_SERVER = /^ {2}-> (?:[0-9A-F]{8}|\[[0-9a-f:]{39}\]):[0-9A-F]{4}\s+(?:Masq|Route|Tunnel|Local|Bypass)\s/;

export function claimProc(line: string): Claim {
  if (line.startsWith("IP Virtual Server version")) return "head";
  if (
    /^Prot LocalAddress:Port Scheduler Flags|^ {2}-> RemoteAddress:Port Forward Weight ActiveConn InActConn/.test(line)
  ) {
    return "line";
  }
  return HEX_SERVICE.test(line) || HEX_SERVER.test(line) ? "line" : "no";
}

const CONNECTION = new RegExp(
  `^(?:${PROTOCOL}|IP)\\s+(?:\\d{1,4}:\\d\\d|\\d+)\\s+[A-Z_0-9]{1,16}\\s+${ENDPOINT}\\s+${ENDPOINT}`,
);

export function claimConnections(line: string): Claim {
  if (line.startsWith("IPVS connection entries")) return "head";
  if (/^pro expire state\s+source\s/i.test(line)) return "line";
  return CONNECTION.test(line.slice(0, 400)) ? "line" : "no";
}

export function claimProcConnections(line: string): Claim {
  if (/^Pro FromIP\s+FPrt ToIP\s+TPrt DestIP\s+DPrt State/.test(line)) return "head";
  return /^(?:TCP|UDP|SCTP|IP)\s+[0-9A-Fa-f:]{8,39} [0-9A-F]{4} [0-9A-Fa-f:]{8,39} [0-9A-F]{4} /.test(line)
    ? "line"
    : "no";
}

const RULE = /^-(?:[AaEe]|-add-service|-add-server)\s+(?:-[tuf]|--(?:tcp|udp|sctp|fwmark)-service)\s+\S/;
export const claimSave = (line: string): Claim => (RULE.test(line.slice(0, 200)) ? "line" : "no");

const COMMAND =
  /^(?:sudo\s+)?(?:\/\S{0,40}\/)?ipvsadm\s+(?:-[AaEeDdCZ]\b|--(?:add|edit|delete)-(?:service|server)\b|--(?:clear|zero|set)\b)/;
export const claimCommand = (line: string): Claim => (COMMAND.test(line.slice(0, 200)) ? "line" : "no");
