import {
  type Device,
  derived,
  type IpSet,
  type Neighbour,
  type Origin,
  type Route,
  type RoutingRule,
} from "../../model/index.ts";
import type { Dump } from "../../parse/index.ts";

/** Where devices are named beside their own lists. */
export interface Mentions {
  readonly routes: readonly Route[];
  readonly rules: readonly RoutingRule[];
  readonly neighbours: readonly Neighbour[];
  readonly ipsets: readonly IpSet[];
  readonly dumps: readonly Dump[];
}

/** Devices that something names and no list shows. Whether they are up nobody said. */
export function mentionedDevices(known: readonly Device[], mentions: Mentions): readonly Device[] {
  const names = new Set(known.flatMap((d) => [d.name, ...(d.altnames ?? [])]));
  const added = new Map<string, Device>();
  const mention = (name: string | undefined, what: string, origin: Origin): void => {
    if (name === undefined || name === "" || names.has(name) || added.has(name) || !isName(name)) return;
    added.set(name, {
      name,
      kind: "unknown",
      addresses: [],
      addressesKnown: false,
      origin: derived(`device named by ${what}`, origin),
    });
  };
  for (const d of known) {
    mention(d.master, "a port of it", d.origin);
    if (d.kind === "vlan" || d.kind === "macvlan" || d.kind === "ipvlan") mention(d.lower, "a device on it", d.origin);
  }
  for (const r of mentions.routes) for (const hop of r.nexthops) mention(hop.device, "a route", r.origin);
  for (const n of mentions.neighbours) mention(n.device, "a neighbour", n.origin);
  for (const rule of mentions.rules) {
    // `[detached]`: ip(8) itself says that there is no such device.
    if (!(rule.iifDetached ?? rule.detached)) mention(rule.iif, "a routing rule", rule.origin);
    if (!(rule.oifDetached ?? rule.detached)) mention(rule.oif, "a routing rule", rule.origin);
  }
  for (const set of mentions.ipsets) {
    for (const entry of set.entries) {
      for (const part of entry.parts)
        if (part.kind === "iface" && !part.wildcard) mention(part.name, "a set", entry.origin);
    }
  }
  for (const { context, file, lines } of mentions.dumps) {
    const device = context.captureDevice;
    // A file's name spells flannel.1 as flannel1: it proves a capture, not a device's name.
    if (device === undefined || device.by === "file name" || device.value === "any") continue;
    mention(device.value, "a capture", { kind: "read", file, line: lines[0] });
  }
  return [...added.values()];
}

/** IFNAMSIZ, no blank, no slash: what dev_valid_name() takes. */
const isName = (name: string): boolean => name.length < 16 && /^[^\s/:]+$/.test(name) && name !== "." && name !== "..";
