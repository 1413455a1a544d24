import type { Frontend } from "../../model/index.ts";
import { parseAddress, protocolNumber } from "../../net/index.ts";
import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";

/** `1    10.96.0.10:53/UDP   ClusterIP   1 => …`; older: no protocol. */
const LISTED = /^\d+\s+(\[[0-9a-fA-F:.]+\]|[\d.]+):(\d{1,5})(?:\/(TCP|UDP|SCTP|ANY))?(?:\/[ie])?\s/;
/** `10.96.0.1:443/TCP (0)   0.0.0.0:0 (1) (0) [ClusterIP, non-routable]`. */
const IN_MAP =
  /^(\[[0-9a-fA-F:.]+\]|[\d.]+):(\d{1,5})(?:\/(TCP|UDP|SCTP|ANY))?(?:\/[ie])?\s+(?:\(\d+\)\s+)?\S+ \(\d+\)/;

export const claimCiliumServices = (line: string): "head" | "line" | "maybe" | "no" => {
  const text = line.slice(0, 300);
  if (/^ID\s+Frontend\s+Service Type\s+Backend/.test(text)) return "head";
  if (/^SERVICE ADDRESS\s+BACKEND ADDRESS/.test(text)) return "head";
  if (IN_MAP.test(text)) return "line";
  return LISTED.test(text) || /^\s+\d+ => /.test(text) ? "maybe" : "no";
};

/** `cilium-dbg service list` and `cilium-dbg bpf lb list`: the Services that its programs translate. */
export function readCiliumServices(source: Source): Reading {
  const frontends = new Map<string, Frontend>();
  for (const [index, line] of source.lines.entries()) {
    const text = line.slice(0, 300);
    const [, host, port, protocol] = LISTED.exec(text) ?? IN_MAP.exec(text) ?? [];
    const address = host === undefined ? undefined : parseAddress(host.replace(/^\[|\]$/g, ""));
    if (address === undefined) continue;
    const number = protocol === undefined || protocol === "ANY" ? undefined : protocolNumber(protocol);
    const key = `${host}:${port}/${protocol}`;
    if (frontends.has(key)) continue;
    const origin = originAt(source, index);
    frontends.set(key, { address, port: Number(port), ...(number !== undefined && { protocol: number }), origin });
  }
  if (frontends.size === 0) return { facts: [], diagnostics: [], counts: {} };
  const datapath = { owner: "Cilium" as const, frontends: [...frontends.values()], origin: originAt(source, 0) };
  return { facts: [{ kind: "other-datapath", datapath }], diagnostics: [], counts: { services: frontends.size } };
}
