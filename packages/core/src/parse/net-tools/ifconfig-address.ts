import type { AddressScope } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { isIpv4, isLoopback, isUnspecified, lengthOfMask, parseIpv4, parsePrefix } from "../../net/index.ts";
import type { AddressDraft } from "../iproute2/device/address-words.ts";

/** The value after a key, `key:value` of 1.60 or `key value` of 2.x. */
function after(text: string, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const at = text.indexOf(key);
    if (at >= 0) return /^\S{1,64}/.exec(text.slice(at + key.length).trimStart())?.[0];
  }
  return undefined;
}

/** `inet 10.0.0.1  netmask 255.0.0.0  broadcast 10.255.255.255`; `inet addr:10.0.0.1  P-t-P:10.0.0.2  Mask:…`. */
export function inet4(text: string): AddressDraft | undefined {
  const address = parseIpv4(after(text, "inet addr:", "inet ") ?? "");
  const mask = parseIpv4(after(text, "netmask ", "Mask:") ?? "");
  const length = mask === undefined ? undefined : lengthOfMask(mask);
  if (address === undefined || length === undefined) return undefined;
  const broadcast = parseIpv4(after(text, "broadcast ", "Bcast:") ?? "");
  const peer = parseIpv4(after(text, "destination ", "P-t-P:") ?? "");
  return {
    prefix: { address, length },
    // Not shown: what the kernel gives unless told otherwise.
    scope: isLoopback(address) ? "host" : "global",
    flags: [],
    ...(broadcast === undefined || isUnspecified(broadcast) ? {} : { broadcast }),
    ...(peer === undefined || peer === address ? {} : { peer: { address: peer, length } }),
  };
}

const SCOPES: Readonly<Record<string, AddressScope>> = lookup({
  "0x0": "global",
  "0x10": "host",
  "0x20": "link",
  "0x40": "site",
  Global: "global",
  Host: "host",
  Link: "link",
  Site: "site",
});

/** `inet6 fe80::1  prefixlen 64  scopeid 0x20<link>`; `inet6 addr: fe80::1/64 Scope:Link`. */
export function inet6(text: string): AddressDraft | undefined {
  const address = after(text, "inet6 addr:", "inet6 ");
  if (address === undefined) return undefined;
  const length = after(text, "prefixlen ");
  const prefix = parsePrefix(address.includes("/") || length === undefined ? address : `${address}/${length}`);
  if (prefix === undefined || isIpv4(prefix.address)) return undefined;
  const scope = (after(text, "scopeid ", "Scope:") ?? "").split("<")[0]!;
  return { prefix, scope: SCOPES[scope] ?? "global", flags: [] };
}
