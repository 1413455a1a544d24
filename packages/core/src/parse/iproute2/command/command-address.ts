import type { DeviceAddress } from "../../../model/index.ts";
import {
  type Address,
  contains,
  type Family,
  familyOf,
  type Ipv6,
  isIpv4,
  isLinkLocal,
  isLoopback,
  lastOf,
  networkOf,
  parseAddress,
  parsePrefix,
} from "../../../net/index.ts";
import { ADDRESS_FLAGS, type AddressDraft } from "../device/address-words.ts";
import { scopeOf } from "../names.ts";
import { destinationOf } from "../route/route-words.ts";
import { numberOf } from "../words.ts";
import type { IpCommand } from "./command.ts";
import { cursorFrom, refuse, resolve, type Typed } from "./command-cursor.ts";

const lifetime = (text: string | undefined): number | "forever" | undefined =>
  text === "forever" ? "forever" : numberOf(text?.replace(/sec$/, ""));

/** `brd +` sets the host bits, `brd -` clears them; neither does anything from /31 on. */
function broadcastOf(text: string, draft: AddressDraft): Address | undefined {
  const { address, length } = draft.peer ?? draft.prefix;
  if (text !== "+" && text !== "-") return parseAddress(text);
  if (!isIpv4(address) || length > 30) return undefined;
  return text === "+" ? lastOf({ address, length }) : networkOf({ address, length }).address;
}

/** Reads `ip addr VERB …`. */
export function readAddressCommand(typed: Typed, requested: Family | undefined): IpCommand {
  const word = typed.words[typed.first];
  const verb =
    word === "chg" ? "change" : resolve(word, ["add", "change", "replace", "delete", "show", "list", "flush", "save"]);
  if (verb !== "add" && verb !== "change" && verb !== "replace" && verb !== "delete" && verb !== "flush")
    return refuse(typed, "this changes no address");
  const cursor = cursorFrom(typed, 1);
  let draft: AddressDraft | undefined;
  let anyLength = false;
  let device: string | undefined;
  let broadcast: string | undefined;
  let scoped = false;
  const later: ((a: AddressDraft) => void)[] = [];
  while (!cursor.done) {
    const text = cursor.take()!;
    const key =
      resolve(text, ["peer", "broadcast", "scope", "dev", "label", "metric", "valid_lft", "preferred_lft", "local"]) ??
      text;
    if (text === "brd" || key === "broadcast") broadcast = cursor.take() ?? "";
    else if (text === "dev") device = cursor.take();
    else if (text === "peer" || text === "remote") {
      const peer = destinationOf(cursor.take() ?? "");
      if (peer === undefined) return refuse(typed, "no peer address", cursor);
      later.push((a) => {
        a.peer = peer;
        a.prefix = { address: a.prefix.address, length: peer.length };
      });
    } else if (text === "scope") {
      const scope = scopeOf(cursor.take() ?? "");
      if (scope === undefined) return refuse(typed, "no such scope", cursor);
      scoped = true;
      later.push((a) => {
        a.scope = scope;
      });
    } else if (text === "label") {
      const label = cursor.take();
      later.push((a) => {
        if (label !== undefined) a.label = label;
      });
    } else if (key === "metric" || text === "priority") {
      const metric = numberOf(cursor.take());
      if (metric === undefined) return refuse(typed, "no metric", cursor);
      later.push((a) => {
        a.metric = metric;
      });
    } else if (key === "valid_lft" || key === "preferred_lft") {
      const life = lifetime(cursor.take());
      if (life === undefined) return refuse(typed, "no lifetime", cursor);
      later.push((a) => {
        a[key === "valid_lft" ? "validLifetime" : "preferredLifetime"] = life;
      });
    } else if (text === "proto") {
      const protocol = cursor.take();
      later.push((a) => {
        if (protocol !== undefined) a.protocol = protocol;
      });
    } else if (ADDRESS_FLAGS.has(text)) later.push((a) => a.flags.push(text));
    else {
      const target = text === "local" ? (cursor.take() ?? "") : text;
      const prefix = destinationOf(target);
      if (prefix === undefined && verb === "flush" && device === undefined) {
        device = target;
        continue;
      }
      if (prefix === undefined || draft !== undefined) return refuse(typed, `"${target}" is not known here`, cursor);
      anyLength = verb === "delete" && !target.includes("/") && familyOf(prefix.address) === 4;
      draft = { prefix, scope: "global", flags: [] };
    }
  }
  if (device === undefined && verb !== "flush") return refuse(typed, 'the "dev" argument is required');
  if (draft === undefined && verb !== "flush") return refuse(typed, "no address is named");
  if (draft !== undefined) {
    for (const apply of later) apply(draft);
    const { address } = draft.prefix;
    if (!scoped) draft.scope = isIpv4(address) ? (isLoopback(address) ? "host" : "global") : scope6(address);
    if (broadcast !== undefined) {
      const value = broadcastOf(broadcast, draft);
      if (value !== undefined) draft.broadcast = value;
    }
    if (isIpv4(address) && draft.label === undefined && device !== undefined) draft.label = device;
  }
  const finished: DeviceAddress | undefined = draft === undefined ? undefined : { ...draft, origin: typed.origin };
  return {
    kind: "address",
    verb,
    ...(device === undefined ? {} : { device }),
    ...(finished === undefined ? {} : { address: finished }),
    ...(anyLength ? { anyLength } : {}),
    ...(requested === undefined ? {} : { family: requested }),
    origin: typed.origin,
  };
}

/** ipv6_addr_scope(): what the kernel prints, whatever was typed. */
function scope6(address: Ipv6): "global" | "link" | "host" | "site" {
  if (isLoopback(address)) return "host";
  return isLinkLocal(address) ? "link" : contains(SITE_LOCAL, address) ? "site" : "global";
}
const SITE_LOCAL = parsePrefix("fec0::/10")!;
