import type { JsonObject } from "../json.ts";
import { has, textOf } from "../json.ts";

/** The words `ip rule` prints for what `ip -j rule` says, so that both forms are read by the same code. */
export function ruleWords(o: JsonObject): string[] {
  const words: string[] = [];
  const add = (word: string, ...values: readonly (string | undefined)[]): void => {
    if (values.every((v) => v !== undefined)) words.push(word, ...(values as string[]));
  };
  const joined = (key: string, tail: string, sign: string): string | undefined => {
    const first = textOf(o[key]);
    const second = textOf(o[tail]);
    return first === undefined || second === undefined ? first : `${first}${sign}${second}`;
  };
  if (has(o, "not")) words.push("not");
  add("from", joined("src", "srclen", "/"));
  add("to", joined("dst", "dstlen", "/"));
  add("tos", textOf(o.tos));
  add("fwmark", joined("fwmark", "fwmask", "/"));
  add("iif", textOf(o.iif));
  if (has(o, "iif_detached")) words.push("[detached]");
  add("oif", textOf(o.oif));
  if (has(o, "oif_detached")) words.push("[detached]");
  if (has(o, "l3mdev")) words.push("lookup", "[l3mdev-table]");
  add("uidrange", joined("uid_start", "uid_end", "-"));
  add("ipproto", textOf(o.ipproto));
  for (const port of ["sport", "dport"] as const) {
    add(port, joined(port, `${port}_mask`, "/") ?? joined(`${port}_start`, `${port}_end`, "-"));
  }
  add("tun_id", textOf(o.tun_id));
  add("lookup", textOf(o.table));
  add("suppress_prefixlength", textOf(o.suppress_prefixlen));
  add("suppress_ifgroup", textOf(o.suppress_ifgroup));
  const from = textOf(o.flow_from);
  const to = textOf(o.flow_to);
  if (to !== undefined) words.push("realms", from === undefined ? to : `${from}/${to}`);
  add("map-to", textOf(o.nat_gateway));
  if (has(o, "masquerade")) words.push("masquerade");
  add("goto", textOf(o.goto));
  if (has(o, "unresolved")) words.push("[unresolved]");
  if (has(o, "nop")) words.push("nop");
  const action = textOf(o.action);
  if (action !== undefined) words.push(action);
  add("proto", textOf(o.protocol));
  add("dscp", joined("dscp", "dscp_mask", "/"));
  add("flowlabel", joined("flowlabel", "flowlabel_mask", "/"));
  return words;
}
