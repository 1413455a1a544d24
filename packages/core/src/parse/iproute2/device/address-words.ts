import type { AddressScope, DeviceAddress, Origin } from "../../../model/index.ts";
import { type Address, isIpv4, isLinkLocal, isLoopback, parseAddress, parsePrefix } from "../../../net/index.ts";
import type { Mutable } from "../lines.ts";
import { scopeOf } from "../names.ts";
import { numberOf, type WordCursor } from "../words.ts";

/** IFA_F_* as print_ifa_flags() prints them, of all versions. */
export const ADDRESS_FLAGS: ReadonlySet<string> = new Set([
  "secondary",
  "temporary",
  "nodad",
  "optimistic",
  "home",
  "homeaddress",
  "deprecated",
  "tentative",
  "dadfailed",
  "permanent",
  "dynamic",
  "mngtmpaddr",
  "noprefixroute",
  "autojoin",
  "stable-privacy",
]);

export type AddressDraft = Mutable<Omit<DeviceAddress, "flags" | "origin">> & { flags: string[] };

/** `10.0.0.1/24`, `10.0.0.1 peer 10.0.0.2/32`, `10.0.0.1` (then /32). */
export function takeAddress(cursor: WordCursor): AddressDraft | undefined {
  const text = cursor.take() ?? "";
  if (cursor.peek() === "peer") {
    const local = parseAddress(text);
    cursor.take();
    const peer = parsePrefix(cursor.take() ?? "");
    if (local === undefined || peer === undefined || typeof local !== typeof peer.address) return undefined;
    // ifa_prefixlen is one for both: the subnet is the peer's.
    return { prefix: { address: local, length: peer.length }, peer, scope: defaultScope(local), flags: [] };
  }
  const prefix = parsePrefix(text);
  return prefix === undefined ? undefined : { prefix, scope: defaultScope(prefix.address), flags: [] };
}

/** What an address gets that nobody gave a scope: ip(8)'s default_scope(), ipv6_addr_scope(). `ip -br` shows none. */
export const defaultScope = (address: Address): AddressScope => {
  if (isLoopback(address)) return "host";
  return !isIpv4(address) && isLinkLocal(address) ? "link" : "global";
};

const lifetimeOf = (text: string | undefined): number | "forever" | undefined => {
  if (text === "forever") return "forever";
  const seconds = text === undefined ? undefined : /^(-?\d{1,12})sec$/.exec(text);
  return seconds === null || seconds === undefined ? undefined : Number(seconds[1]);
};

export function takeLifetimes(cursor: WordCursor, address: AddressDraft): void {
  while (!cursor.done) {
    const key = cursor.take();
    const value = lifetimeOf(cursor.take());
    if (value === undefined) continue;
    if (key === "valid_lft") address.validLifetime = value;
    else if (key === "preferred_lft") address.preferredLifetime = value;
  }
}

/**
 * Takes the rest of an `inet` line. The label is the last word and follows no keyword; whatever else is not known is
 * given to `unknown`.
 */
export function takeAddressWords(
  cursor: WordCursor,
  address: AddressDraft,
  unknown: (word: string, column: number) => void,
): void {
  while (!cursor.done) {
    const key = cursor.take()!;
    const column = cursor.column;
    switch (key) {
      case "brd": {
        const broadcast = parseAddress(cursor.take() ?? "");
        if (broadcast === undefined) unknown(key, column);
        else address.broadcast = broadcast;
        break;
      }
      case "any":
      case "mcast":
        cursor.take();
        break;
      case "scope": {
        const scope = scopeOf(cursor.take() ?? "");
        if (scope === undefined) unknown(key, column);
        else address.scope = scope;
        break;
      }
      case "metric": {
        const metric = numberOf(cursor.take());
        if (metric === undefined) unknown(key, column);
        else address.metric = metric;
        break;
      }
      case "proto":
        address.protocol = cursor.take() ?? "";
        break;
      case "flags":
        address.flags.push(`flags ${cursor.take() ?? ""}`);
        break;
      case "valid_lft":
      case "preferred_lft": {
        const life = lifetimeOf(cursor.take());
        if (life !== undefined) address[key === "valid_lft" ? "validLifetime" : "preferredLifetime"] = life;
        break;
      }
      default:
        if (ADDRESS_FLAGS.has(key)) address.flags.push(key);
        else if (cursor.done && address.label === undefined) address.label = key;
        else unknown(key, column);
    }
  }
}

export const finishAddress = (draft: AddressDraft, origin: Origin): DeviceAddress => ({ ...draft, origin });

/** `eth0:1` is a label on eth0. */
export const deviceOfLabel = (label: string): string => {
  const colon = label.indexOf(":");
  return colon < 0 ? label : label.slice(0, colon);
};
