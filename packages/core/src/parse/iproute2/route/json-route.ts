import { append } from "../../../net/append.ts";
import { again, isObject, type JsonObject, objectsIn, textOf, textsIn } from "../json.ts";
import { METRICS } from "../vocabulary.ts";

const ENCAP_KEYS = ["id", "src", again("dst"), "ttl", "tos", "hoplimit", "tc", "mode", "action", "if_id", "link_dev"];

function hopWords(o: JsonObject): string[] {
  const words: string[] = [];
  const encap = textOf(o.encap);
  if (encap !== undefined) {
    words.push("encap", encap);
    for (const key of ENCAP_KEYS) {
      const value = textOf(o[key]);
      if (value !== undefined) words.push(key === again("dst") ? "dst" : key, value);
    }
  }
  const gateway = textOf(o.gateway);
  if (gateway !== undefined) words.push("via", gateway);
  if (isObject(o.via)) words.push("via", textOf(o.via.family) ?? "", textOf(o.via.host) ?? "");
  const device = textOf(o.dev);
  if (device !== undefined) words.push("dev", device);
  return words;
}

/** The words `ip route` prints for what `ip -j route` says. Metrics have lost their `lock`. */
export function routeWords(o: JsonObject): string[] {
  const words: string[] = [];
  const add = (word: string, value: string | undefined): void => {
    if (value !== undefined) words.push(word, value);
  };
  const type = textOf(o.type);
  if (type !== undefined) words.push(type);
  words.push(textOf(o.dst) ?? "default");
  add("from", textOf(o.from));
  add("nhid", textOf(o.nhid));
  append(words, hopWords(o));
  add("tos", textOf(o[o.encap === undefined ? "tos" : again("tos")]));
  add("table", textOf(o.table));
  add("proto", textOf(o.protocol));
  add("scope", textOf(o.scope));
  add("src", textOf(o.prefsrc));
  add("metric", textOf(o.metric));
  append(words, textsIn(o.flags));
  add("mark", textOf(o.mark));
  if (isObject(o.flow)) {
    const from = textOf(o.flow.from);
    const to = textOf(o.flow.to) ?? "";
    append(words, from === undefined ? ["realm", to] : ["realms", `${from}/${to}`]);
  }
  add("uid", textOf(o.uid));
  const expires = textOf(o.expires);
  add("expires", expires === undefined ? undefined : `${expires}sec`);
  add("error", textOf(o.error));
  for (const metrics of objectsIn(o.metrics)) {
    for (const [key, value] of Object.entries(metrics)) {
      const name = key === "congestion" ? "congctl" : key;
      const text = textOf(value);
      if (METRICS.has(name) && text !== undefined) words.push(name, metricText(name, text));
      else if (value === null) words.push("features", key);
    }
  }
  add("iif", textOf(o.iif));
  add("pref", textOf(o.pref));
  for (const hop of objectsIn(o.nexthops)) {
    words.push("nexthop", ...hopWords(hop));
    add("weight", textOf(hop.weight));
    append(words, textsIn(hop.flags));
  }
  return words;
}

/** Times are milliseconds in JSON and carry their unit in the text. */
function metricText(name: string, text: string): string {
  if (name !== "rtt" && name !== "rttvar" && name !== "rto_min") return text;
  const ms = Number(text);
  return ms >= 1000 ? `${ms / 1000}s` : `${ms}ms`;
}
