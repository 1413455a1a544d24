import type { OtherDatapath } from "../../model/index.ts";
import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";

const KEY = /^\s*([A-Za-z][\w -]{2,40}):\s+(.*)$/;
const KEYS =
  /^\s*(?:KubeProxyReplacement|KVStore|Host firewall|Masquerading|Cilium health daemon|IPAM|BandwidthManager):\s/;

export const claimCiliumStatus = (line: string): "line" | "maybe" | "no" => {
  const text = line.slice(0, 300);
  if (/^KubeProxyReplacement(?: Details)?:/.test(text)) return "line";
  return KEYS.test(text) || KEY.test(text) ? "maybe" : "no";
};

/** `cilium-dbg status`, `--verbose`: whether it takes the place of kube-proxy, and where its programs sit. */
export function readCiliumStatus(source: Source): Reading {
  const said = new Map<string, { readonly value: string; readonly index: number }>();
  for (const [index, line] of source.lines.entries()) {
    const [, key, value] = KEY.exec(line.slice(0, 400)) ?? [];
    if (key !== undefined && !said.has(key)) said.set(key, { value: value!, index });
  }
  const replacement = said.get("KubeProxyReplacement");
  if (replacement === undefined) return { facts: [], diagnostics: [], counts: {} };
  const is = (key: string, value: RegExp): boolean => value.test(said.get(key)?.value ?? "");
  const replaces = /^(?:True|Strict|Partial|Probe)/i.test(replacement.value);
  const cards =
    replaces ||
    is("Host firewall", /^Enabled/i) ||
    is("Masquerading", /^BPF/) ||
    is("Encryption", /^(?:Wireguard|IPsec)/i) ||
    is("BandwidthManager", /^(?:EDT|Enabled)/i);
  const onSockets = said.has("Socket LB") ? is("Socket LB", /^Enabled/i) : replaces;
  const sockets = !onSockets ? "none" : is("Socket LB Coverage", /^Hostns/i) ? "node" : "all";
  const datapath: OtherDatapath = {
    owner: "Cilium",
    services: replaces ? "all" : "pods",
    sockets,
    cards,
    origin: originAt(source, replacement.index),
  };
  return { facts: [{ kind: "other-datapath", datapath }], diagnostics: [], counts: { settings: said.size } };
}
