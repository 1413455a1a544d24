import type { Origin } from "../../../model/index.ts";
import { append } from "../../../net/append.ts";
import { parseAddress, parsePrefix } from "../../../net/index.ts";
import { has, isObject, type JsonObject, numberIn, objectsIn, textOf, textsIn } from "../json.ts";
import { scopeOf } from "../names.ts";
import { ADDRESS_FLAGS, type AddressDraft, defaultScope, finishAddress } from "./address-words.ts";
import type { DeviceEntry } from "./device-finish.ts";
import { type DeviceDraft, emptyDevice, setFlags } from "./device-header.ts";
import { applyKind, parametersOfJson, portOf } from "./link-kind.ts";

/** INFINITY_LIFE_TIME. */
const FOREVER = 0xffffffff;
const lifetime = (n: number | undefined): number | "forever" | undefined => (n === FOREVER ? "forever" : n);

function addressOf(o: JsonObject): AddressDraft | undefined {
  const local = textOf(o.local);
  const length = numberIn(o.prefixlen);
  if (local === undefined || length === undefined) return undefined;
  const prefix = parsePrefix(`${local}/${length}`);
  if (prefix === undefined) return undefined;
  const draft: AddressDraft = {
    prefix,
    scope: scopeOf(textOf(o.scope) ?? "") ?? defaultScope(prefix.address),
    flags: [],
  };
  const peer = textOf(o.address);
  const peerPrefix = peer === undefined ? undefined : parsePrefix(`${peer}/${length}`);
  if (peerPrefix !== undefined) draft.peer = peerPrefix;
  const broadcast = parseAddress(textOf(o.broadcast) ?? "");
  if (broadcast !== undefined) draft.broadcast = broadcast;
  const metric = numberIn(o.metric);
  if (metric !== undefined) draft.metric = metric;
  for (const [key, value] of Object.entries(o)) {
    if (value === true && ADDRESS_FLAGS.has(key)) draft.flags.push(key);
  }
  const protocol = textOf(o.protocol);
  if (protocol !== undefined && protocol !== "unspec") draft.protocol = protocol;
  const label = textOf(o.label);
  if (label !== undefined) draft.label = label;
  const valid = lifetime(numberIn(o.valid_life_time));
  const preferred = lifetime(numberIn(o.preferred_life_time));
  if (valid !== undefined) draft.validLifetime = valid;
  if (preferred !== undefined) draft.preferredLifetime = preferred;
  return draft;
}

function linkOf(o: JsonObject, draft: DeviceDraft): void {
  const link = textOf(o.link);
  const index = numberIn(o.link_index);
  if (link !== undefined) draft.link = link;
  else if (index !== undefined) draft.link = index === 0 ? "NONE" : `if${index}`;
  const netnsid = numberIn(o.link_netnsid);
  if (netnsid !== undefined && netnsid >= 0) draft.netnsid = netnsid;
}

function kindOf(o: JsonObject, draft: DeviceDraft): void {
  const info = isObject(o.linkinfo) ? o.linkinfo : undefined;
  const kind = info === undefined ? undefined : textOf(info.info_kind);
  if (kind !== undefined) {
    const data = isObject(info?.info_data) ? info.info_data : {};
    applyKind(draft, kind, parametersOfJson(data));
    const ports = isObject(data.port_range) ? data.port_range : undefined;
    const from = ports === undefined ? undefined : numberIn(ports.low);
    const to = ports === undefined ? undefined : numberIn(ports.high);
    if (draft.tunnel !== undefined && from !== undefined && to !== undefined)
      draft.tunnel = { ...draft.tunnel, sourcePorts: { from, to } };
  } else if (has(o, "num_tx_queues") && draft.linkType === "ether" && draft.kind === "unknown") draft.kind = "ethernet";
  if (info !== undefined && textOf(info.info_slave_kind) === "bridge" && isObject(info.info_slave_data))
    draft.port = portOf(parametersOfJson(info.info_slave_data));
}

function programsOf(o: JsonObject, draft: DeviceDraft): void {
  if (!isObject(o.xdp)) return;
  const program = isObject(o.xdp.prog) ? textOf(o.xdp.prog.id) : undefined;
  draft.programs.push({ hook: "xdp", name: program === undefined ? "xdp" : `xdp/id:${program}` });
}

/** An element of `ip -j addr` or `ip -j link`, also with -d and -br; undefined if it has no name. */
export function deviceOf(o: JsonObject, originOf: (o: JsonObject) => Origin): DeviceEntry | undefined {
  const name = textOf(o.ifname);
  if (name === undefined) return undefined;
  const draft = emptyDevice(name);
  const index = numberIn(o.ifindex);
  if (index !== undefined) draft.index = index;
  linkOf(o, draft);
  if (Array.isArray(o.flags)) setFlags(draft, textsIn(o.flags));
  const mtu = numberIn(o.mtu);
  if (mtu !== undefined) draft.mtu = mtu;
  for (const [key, field] of [
    ["qdisc", "qdisc"],
    ["master", "master"],
    ["operstate", "operState"],
    ["group", "group"],
    ["link_type", "linkType"],
    ["ifalias", "alias"],
  ] as const) {
    const value = textOf(o[key]);
    if (value !== undefined) draft[field] = value;
  }
  const mac = textOf(o.address);
  const remote = textOf(o.broadcast);
  if (mac !== undefined && /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$/.test(mac)) draft.mac = mac.toLowerCase();
  else if (mac !== undefined)
    draft.tunnelEnds = { local: mac, ...(remote !== undefined && has(o, "link_pointtopoint") ? { remote } : {}) };
  kindOf(o, draft);
  programsOf(o, draft);
  append(draft.altnames, textsIn(o.altnames));
  const addresses = objectsIn(o.addr_info).flatMap((a) => {
    const address = addressOf(a);
    return address === undefined ? [] : [finishAddress(address, originOf(a))];
  });
  return { draft, addresses, addressesKnown: false, origin: originOf(o) };
}
