import type { Neighbour } from "../../../model/index.ts";
import { type Address, parseAddress, parseLinkAddress } from "../../../net/index.ts";
import { protocolName } from "../names.ts";
import { NEIGHBOUR_STATES } from "../neighbour.ts";
import type { IpCommand, NeighbourVerb } from "./command.ts";
import { cursorFrom, refuse, resolve, type Typed } from "./command-cursor.ts";

/** Reads `ip neigh VERB …`. What is added without `nud` is permanent. */
export function readNeighbourCommand(typed: Typed): IpCommand {
  const word = typed.words[typed.first];
  const verb =
    word === "chg" ? "change" : resolve(word, ["add", "change", "replace", "delete", "get", "show", "list", "flush"]);
  if (verb === undefined || verb === "show" || verb === "list" || verb === "get")
    return refuse(typed, "this changes no neighbour");
  const cursor = cursorFrom(typed, 1);
  let address: Address | undefined;
  let device: string | undefined;
  let mac: string | undefined;
  let state = "PERMANENT";
  let protocol: string | undefined;
  const flags: string[] = [];
  let router = false;
  let proxy = false;
  while (!cursor.done) {
    const text = cursor.take()!;
    if (text === "dev") device = cursor.take();
    else if (text === "lladdr") {
      mac = parseLinkAddress(cursor.take() ?? "");
      if (mac === undefined) return refuse(typed, "no link-layer address", cursor);
    } else if (text === "nud") {
      state = (cursor.take() ?? "").toUpperCase();
      if (!NEIGHBOUR_STATES.has(state)) return refuse(typed, "no such state", cursor);
    } else if (text === "router") router = true;
    else if (text === "use" || text === "managed" || text === "extern_learn" || text === "extern_valid")
      flags.push(text);
    else if (text === "protocol" || text === "proto") protocol = protocolName(cursor.take() ?? "");
    else {
      if (text === "proxy") proxy = true;
      const target = text === "proxy" || text === "to" ? (cursor.take() ?? "") : text;
      address = parseAddress(target);
      if (address === undefined) return refuse(typed, `"${target}" is not known in a neighbour`, cursor);
    }
  }
  if (verb === "flush")
    return { kind: "neighbour", verb, ...(device === undefined ? {} : { device }), origin: typed.origin };
  if (address === undefined || device === undefined) return refuse(typed, "device and destination are required");
  const neighbour: Neighbour = {
    address,
    device,
    ...(mac === undefined ? {} : { mac }),
    states: proxy ? [] : [state],
    router,
    proxy,
    ...(flags.length > 0 ? { flags } : {}),
    ...(protocol === undefined ? {} : { protocol }),
    origin: typed.origin,
  };
  return { kind: "neighbour", verb: verb as NeighbourVerb, neighbour, device, origin: typed.origin };
}
