import type { BridgeVlan, FdbEntry, Origin } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { type DeviceEntry, finishDevices } from "../iproute2/device/device-finish.ts";
import { deviceOf } from "../iproute2/device/json-device.ts";
import { parametersOfJson, portOf } from "../iproute2/device/link-kind.ts";
import { invocationOf } from "../iproute2/invocation.ts";
import { has, type JsonObject, numberIn, objectsIn, textOf, textsIn } from "../iproute2/json.ts";
import type { Complaints, LogicalLine } from "../iproute2/lines.ts";
import { WordCursor } from "../iproute2/words.ts";
import { fdbReading, takeFdb } from "./fdb.ts";
import { portsReading } from "./link.ts";
import { vlansReading } from "./vlan.ts";

const isPort = (o: JsonObject): boolean =>
  has(o, "ifname") && typeof o.state === "string" && has(o, "cost") && !has(o, "mac");
const isVlans = (o: JsonObject): boolean => Array.isArray(o.vlans) || Array.isArray(o.tunnels);
const isFdb = (o: JsonObject): boolean => typeof o.mac === "string";

/** Whether an element was printed by bridge(8) rather than by ip(8). */
export const isBridgeObject = (o: JsonObject): boolean => isPort(o) || isVlans(o) || isFdb(o);

function vlansOf(o: JsonObject, origin: (o: JsonObject) => Origin): BridgeVlan[] {
  const device = textOf(o.ifname) ?? "";
  return [...objectsIn(o.vlans), ...objectsIn(o.tunnels)].flatMap((v) => {
    const from = numberIn(v.vlan);
    if (from === undefined) return [];
    const flags = textsIn(v.flags);
    const tunnelId = numberIn(v.tunid);
    return {
      device,
      from,
      to: numberIn(v.vlanEnd) ?? from,
      pvid: flags.includes("PVID"),
      untagged: flags.some((f) => /^Egress untagged$/i.test(f)),
      ...(tunnelId === undefined ? {} : { tunnelId }),
      origin: origin(v),
    };
  });
}

/** An entry as words, so that text and JSON are read by the same code. */
function fdbWords(o: JsonObject): string[] {
  const words = [textOf(o.mac) ?? ""];
  for (const [key, word] of [
    ["ifname", "dev"],
    ["dst", "dst"],
    ["vlan", "vlan"],
    ["port", "port"],
    ["vni", "vni"],
    ["viaIf", "via"],
    ["nhid", "nhid"],
    ["master", "master"],
  ] as const) {
    const value = textOf(o[key]);
    if (value !== undefined) words.push(word, value);
  }
  const state = textOf(o.state);
  return [...words, ...textsIn(o.flags), ...(state === undefined || state === "" ? [] : [state])];
}

/** Elements of `bridge -j link`, `fdb` and `vlan`. */
export function bridgeJson(
  objects: readonly JsonObject[],
  lineOf: (o: JsonObject) => LogicalLine,
  origin: (o: JsonObject) => Origin,
  context: DumpContext,
  cut: boolean,
  complaints: Complaints,
): Reading {
  const command = invocationOf(context.command ?? []);
  const requested = (object: string): boolean => command?.tool === "bridge" && command.object === object;
  const narrowed = cut || (command !== undefined && command.rest.length > 1);
  const readings: Reading[] = [];
  const ports: DeviceEntry[] = [];
  const entries: FdbEntry[] = [];
  for (const o of objects) {
    if (isFdb(o)) {
      const cursor = new WordCursor(fdbWords(o).map((text) => ({ text, column: 0 })));
      const draft = takeFdb(lineOf(o), cursor, context.device?.value, complaints);
      if (draft !== undefined) entries.push({ ...draft, origin: origin(o) });
    } else if (isPort(o)) {
      const entry = deviceOf(o, origin);
      if (entry === undefined) continue;
      entry.draft.port = portOf(parametersOfJson(o));
      ports.push(entry);
    }
  }
  const vlans = objects.filter(isVlans).flatMap((o) => vlansOf(o, origin));
  if (ports.length > 0 || requested("link")) readings.push(portsReading(finishDevices(ports), requested("link"), []));
  if (entries.length > 0 || requested("fdb")) readings.push(fdbReading(entries, narrowed, requested("fdb"), []));
  if (vlans.length > 0 || requested("vlan")) readings.push(vlansReading(vlans, narrowed, requested("vlan"), []));
  return {
    facts: readings.flatMap((r) => r.facts),
    diagnostics: [],
    counts: Object.assign({}, ...readings.map((r) => r.counts)),
  };
}
