import type { Neighbour, NexthopObject } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { bridgeJson, isBridgeObject } from "../bridge/json.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import type { DeviceEntry } from "./device/device-finish.ts";
import { deviceFacts, deviceFilter } from "./device/device-listing.ts";
import { deviceOf } from "./device/json-device.ts";
import { invocationOf } from "./invocation.ts";
import { has, type JsonObject, numberIn, objectsIn, readJson, textOf, textsIn } from "./json.ts";
import { Complaints, isPartial, type LogicalLine, originOf } from "./lines.ts";
import { deviceOfCommand, neighboursReading, takeNeighbour } from "./neighbour.ts";
import { routeWords } from "./route/json-route.ts";
import { takeNexthopObject } from "./route/nexthop.ts";
import { type RouteEntry, routesReading, takeRoute } from "./route/route-text.ts";
import { ruleWords } from "./rule/json-rule.ts";
import { type RuleEntry, rulesReading, takeRule } from "./rule/rule-text.ts";
import { WordCursor } from "./words.ts";

type What = "rule" | "route" | "neighbour" | "device" | "nexthop" | "bridge" | "nothing" | "unknown";

/** What an element is about shows in its keys. */
function whatIs(o: JsonObject): What {
  const keys = Object.keys(o);
  if (keys.length === 0 || (keys.length === 1 && has(o, "deleted"))) return "nothing";
  if (has(o, "priority") && has(o, "src")) return "rule";
  if (isBridgeObject(o)) return "bridge";
  if (has(o, "ifname") || has(o, "addr_info")) return "device";
  if (has(o, "id") && !has(o, "dst") && ["gateway", "group", "blackhole", "dev", "scope", "via"].some((k) => has(o, k)))
    return "nexthop";
  if (!has(o, "dst")) return "unknown";
  if (has(o, "lladdr") || Array.isArray(o.state) || has(o, "proxy")) return "neighbour";
  return "route";
}

const cursorOf = (words: readonly string[]): WordCursor => new WordCursor(words.map((text) => ({ text, column: 0 })));

function neighbourWords(o: JsonObject): string[] {
  const words = [textOf(o.dst) ?? ""];
  for (const [key, word] of [
    ["dev", "dev"],
    ["lladdr", "lladdr"],
    ["protocol", "proto"],
  ] as const) {
    const value = textOf(o[key]);
    if (value !== undefined) words.push(word, value);
  }
  for (const flag of ["router", "proxy", "managed", "extern_learn", "offload", "extern_valid"])
    if (has(o, flag)) words.push(flag);
  return [...words, ...textsIn(o.state)];
}

function nexthopWords(o: JsonObject): string[] {
  const words = ["id", textOf(o.id) ?? ""];
  const members = objectsIn(o.group).map((m) => {
    const weight = numberIn(m.weight);
    return weight === undefined ? textOf(m.id) : `${textOf(m.id)},${weight}`;
  });
  if (members.length > 0) words.push("group", members.join("/"));
  for (const [key, word] of [
    ["type", "type"],
    ["encap", "encap"],
    ["gateway", "via"],
    ["dev", "dev"],
    ["scope", "scope"],
    ["protocol", "proto"],
  ] as const) {
    const value = textOf(o[key]);
    if (value !== undefined) words.push(word, value);
  }
  for (const flag of ["blackhole", "fdb"]) if (has(o, flag)) words.push(flag);
  return [...words, ...textsIn(o.flags)];
}

function merge(readings: readonly Reading[]): Reading {
  const counts: Record<string, number> = {};
  const seen = new Set<Diagnostic>();
  for (const reading of readings) {
    for (const [key, n] of Object.entries(reading.counts)) counts[key] = (counts[key] ?? 0) + n;
    for (const diagnostic of reading.diagnostics) seen.add(diagnostic);
  }
  return { facts: readings.flatMap((r) => r.facts), diagnostics: [...seen], counts };
}

/** Reads `ip -j …` and `bridge -j …`: each element by what it is about. */
export function readIpJson(source: Source, context: DumpContext): Reading {
  const json = readJson(source);
  const complaints = new Complaints(source, "ip-json");
  const cut = isPartial(context) || json.error !== undefined;
  const lineOf = (o: JsonObject): LogicalLine => {
    const index = json.lineOf(o);
    return { text: source.lines[index] ?? "", index, column: 0, continued: false };
  };
  const origin = (o: JsonObject) => originOf(source, lineOf(o));
  const rules: RuleEntry[] = [];
  const routes: RouteEntry[] = [];
  const neighbours: Neighbour[] = [];
  const nexthops: NexthopObject[] = [];
  const devices: DeviceEntry[] = [];
  const bridge: JsonObject[] = [];
  for (const o of json.objects) {
    const line = lineOf(o);
    switch (whatIs(o)) {
      case "rule":
        rules.push({ draft: takeRule(numberIn(o.priority) ?? 0, cursorOf(ruleWords(o)), line, complaints), line });
        break;
      case "route": {
        const entry = takeRoute(line, cursorOf(routeWords(o)), complaints);
        if (entry === undefined) complaints.notUnderstood(line, "a route to no address");
        else {
          if (Array.isArray(o.cache)) {
            entry.get.cached = true;
            append(entry.get.cacheFlags, textsIn(o.cache));
          }
          routes.push(entry);
        }
        break;
      }
      case "neighbour": {
        const draft = takeNeighbour(line, cursorOf(neighbourWords(o)), deviceOfCommand(context), complaints);
        if (draft === undefined) complaints.notUnderstood(line, "a neighbour of no address");
        else neighbours.push({ ...draft, origin: origin(o) });
        break;
      }
      case "nexthop": {
        const draft = takeNexthopObject(line, cursorOf(nexthopWords(o)), complaints);
        if (draft === undefined) complaints.notUnderstood(line, "a nexthop without a number");
        else nexthops.push({ ...draft, origin: origin(o) });
        break;
      }
      case "device": {
        const device = deviceOf(o, origin);
        if (device === undefined) complaints.notUnderstood(line, "a device without a name");
        else devices.push(device);
        break;
      }
      case "bridge":
        bridge.push(o);
        break;
      case "unknown":
        complaints.notUnderstood(line, "an element that is no rule, route, address, link, neighbour or nexthop");
        break;
    }
  }
  if (json.error !== undefined) {
    const line = { text: source.lines[json.error.index] ?? "", index: json.error.index, column: 0, continued: false };
    complaints.at(line, json.error.column, 1, "not-json", json.error.message);
  }
  const command = invocationOf(context.command ?? []);
  const requested = (...objects: readonly string[]): boolean =>
    command !== undefined && objects.includes(command.object);
  const narrowed = command !== undefined && command.rest.length > 1;
  const readings: Reading[] = [];
  if (rules.length > 0 || requested("rule")) readings.push(rulesReading(source, context, rules, cut, []));
  if (routes.length > 0 || requested("route")) readings.push(routesReading(source, context, routes, [], cut, []));
  if (neighbours.length > 0 || requested("neighbor"))
    readings.push(neighboursReading(neighbours, cut || narrowed, requested("neighbor"), []));
  if (nexthops.length > 0 || requested("nexthop")) {
    const extent = cut || narrowed ? "partial" : "whole";
    readings.push({
      facts: [{ kind: "nexthops", nexthops, extent }],
      diagnostics: [],
      counts: { nexthops: nexthops.length },
    });
  }
  if (devices.length > 0 || (requested("address", "link") && command?.tool === "ip")) {
    const addresses = json.objects.some((o) => has(o, "addr_info"));
    const filter = deviceFilter(context, addresses ? "ip-addr" : "ip-link");
    const brief = devices.some((d) => d.draft.index === undefined);
    readings.push(deviceFacts(devices, filter, cut, [], { brief }));
  }
  if (bridge.length > 0 || command?.tool === "bridge")
    readings.push(bridgeJson(bridge, lineOf, origin, context, cut, complaints));
  return { ...merge(readings), diagnostics: complaints.list };
}
