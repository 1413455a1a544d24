import type { Device, DeviceAddress, DeviceKind, Origin } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { type Address, isUnspecified, parseAddress } from "../../../net/index.ts";
import { type DeviceDraft, peerRef } from "./device-header.ts";

export interface DeviceEntry {
  readonly draft: DeviceDraft;
  readonly addresses: DeviceAddress[];
  addressesKnown: boolean;
  /** A line of it was not understood: it may have been an address. */
  damaged?: boolean;
  readonly origin: Origin;
}

const endOf = (text: string | undefined): Address | undefined => {
  const address = text === undefined ? undefined : parseAddress(text);
  return address === undefined || isUnspecified(address) ? undefined : address;
};

const LINK_TYPES: Readonly<Record<string, DeviceKind>> = lookup({
  ipip: "ipip",
  sit: "sit",
  gre: "gre",
  tunnel6: "ip6tnl",
  gre6: "ip6gre",
});

/** `link/ipip`, `link/sit`, `link/gre` and those of IPv6 say the kind (a vti, which also prints link/ipip, says so with -d). */
function applyLinkType(draft: DeviceDraft): void {
  const kind = LINK_TYPES[draft.linkType ?? ""];
  if (draft.kind !== "unknown" || draft.kindName !== undefined || kind === undefined) return;
  draft.kind = kind;
  const local = endOf(draft.tunnelEnds?.local);
  const remote = endOf(draft.tunnelEnds?.remote);
  draft.tunnel = { ...(local === undefined ? {} : { local }), ...(remote === undefined ? {} : { remote }) };
}

/** Kinds whose `@` names the device below, not the other end. */
const STACKED: ReadonlySet<string> = new Set([
  "vlan",
  "macvlan",
  "macvtap",
  "ipvlan",
  "vxlan",
  "ipip",
  "sit",
  "gre",
  "ip6tnl",
  "ip6gre",
  "geneve",
]);

/**
 * What stands after `@` is the other end of a pair or the device below. Two devices that name each other are a pair
 * (veth); one that names a listed device which does not name it back is stacked on that; else it stays a `peer`.
 */
function applyLink(entry: DeviceEntry, byName: ReadonlyMap<string, DeviceDraft>): void {
  const draft = entry.draft;
  const peer = peerRef(draft);
  if (peer === undefined) return;
  const other = peer.name === undefined || draft.netnsid !== undefined ? undefined : byName.get(peer.name);
  if (draft.kind === "unknown" && draft.kindName === undefined && other !== undefined) {
    if (other.link === draft.name) draft.kind = "veth";
    else {
      draft.lower = other.name;
      return;
    }
  }
  if (STACKED.has(draft.kind) && peer.name !== undefined && draft.netnsid === undefined) draft.lower ??= peer.name;
  else draft.peer = peer;
}

export function finishDevices(entries: readonly DeviceEntry[]): Device[] {
  const byName = new Map(entries.map((e) => [e.draft.name, e.draft]));
  for (const entry of entries) {
    applyLinkType(entry.draft);
    applyLink(entry, byName);
  }
  return entries.map(({ draft, addresses, addressesKnown, origin }) => {
    const { programs, altnames, link, netnsid, netnsName, tunnelEnds, ...rest } = draft;
    return {
      ...rest,
      addresses,
      addressesKnown,
      ...(programs.length > 0 ? { programs } : {}),
      ...(altnames.length > 0 ? { altnames } : {}),
      origin,
    };
  });
}
