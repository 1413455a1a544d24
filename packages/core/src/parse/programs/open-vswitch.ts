import type { DumpContext, Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";

/** ` 2(antrea-gw0): addr:26:d9:…` of `ovs-ofctl show`, `dump-ports-desc`. */
const OPENFLOW_PORT = /^ (?:\d+|LOCAL)\(([^()\s]{1,15})\): addr:/;
/** `        Port eth0` of `ovs-vsctl show`. */
const LISTED_PORT = /^ {4,}Port "?([^"\s]{1,15})"?\s*$/;
const FLOW = /^ ?cookie=0x[0-9a-f]+, (?:duration=[\d.]+s, )?table=\d+, /;

export const claimOpenVswitch = (line: string): "line" | "maybe" | "no" => {
  const text = line.slice(0, 300);
  if (OPENFLOW_PORT.test(text) || FLOW.test(text)) return "line";
  return LISTED_PORT.test(text) ||
    /^\s+(?:config|state|current|speed|Interface|type|options|Bridge|ovs_version)\b/.test(text)
    ? "maybe"
    : "no";
};

/** Which devices are ports of Open vSwitch. What its flows do is not read. */
export function readOpenVswitch(source: Source, context: DumpContext): Reading {
  const devices: string[] = [];
  let flows = 0;
  for (const line of source.lines) {
    const text = line.slice(0, 300);
    const device = OPENFLOW_PORT.exec(text)?.[1] ?? LISTED_PORT.exec(text)?.[1];
    if (device !== undefined) devices.push(device);
    else if (FLOW.test(text)) flows++;
  }
  if (devices.length === 0 && flows === 0) return { facts: [], diagnostics: [], counts: {} };
  const datapath = { owner: "Open vSwitch" as const, origin: originAt(source, 0) };
  const ports = devices.length > 0 && context.partial === undefined ? { devices } : {};
  const counts = { ...(devices.length > 0 && { ports: devices.length }), ...(flows > 0 && { flows }) };
  return { facts: [{ kind: "other-datapath", datapath, ...ports }], diagnostics: [], counts };
}
