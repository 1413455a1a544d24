import type { Extent } from "../../../model/index.ts";
import { type Family, familyOf } from "../../../net/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import { invocationOf } from "../invocation.ts";
import { type DeviceEntry, finishDevices } from "./device-finish.ts";

/** What the command asked for. */
export interface DeviceFilter {
  /** Addresses are shown by this form; undefined: the command is not known. */
  readonly addresses?: boolean;
  readonly family?: Family;
  /** One device, or those that are up, or of a type: others may exist. */
  readonly narrowed: boolean;
  /** `scope global`, `to PREFIX`, `dynamic`, `label`: addresses may be missing. */
  readonly addressesNarrowed: boolean;
  readonly known: boolean;
}

/** Words after `show` that choose devices but not addresses. */
const DEVICE_WORDS: ReadonlySet<string> = new Set(["dev", "up", "master", "vrf", "type", "group", "nomaster", "down"]);
const VALUED: ReadonlySet<string> = new Set(["dev", "master", "vrf", "type", "group"]);
const ADDRESS_WORDS: ReadonlySet<string> = new Set(["scope", "to", "label", "proto", "peer"]);

export function deviceFilter(context: DumpContext, dialect: "ip-addr" | "ip-link"): DeviceFilter {
  const command = invocationOf(context.command ?? []);
  const family = context.family?.value ?? command?.family;
  if (command === undefined || (command.object !== "address" && command.object !== "link")) {
    return {
      ...(family === undefined ? {} : { family }),
      ...(dialect === "ip-link" ? { addresses: false } : {}),
      narrowed: false,
      addressesNarrowed: false,
      known: false,
    };
  }
  let narrowed = false;
  let addressesNarrowed = false;
  const words = command.rest.slice(1);
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    narrowed = true;
    if (VALUED.has(word) && DEVICE_WORDS.has(word)) i++;
    else if (ADDRESS_WORDS.has(word)) {
      addressesNarrowed = true;
      i++;
    } else if (
      /^-?(dynamic|permanent|primary|secondary|tentative|deprecated|dadfailed|temporary|mngtmpaddr)$/.test(word)
    )
      addressesNarrowed = true;
  }
  return {
    addresses: command.object === "address",
    ...(family === undefined ? {} : { family }),
    // -4 and -6 leave out the devices that have no such address.
    narrowed: narrowed || family !== undefined,
    addressesNarrowed,
    known: true,
  };
}

type Shown = "link" | "ipv4" | "ipv6" | "bridge-port";

export function deviceFacts(
  entries: readonly DeviceEntry[],
  filter: DeviceFilter,
  cut: boolean,
  diagnostics: readonly Diagnostic[],
  observed: { readonly brief: boolean },
): Reading {
  const families = new Set(entries.flatMap((e) => e.addresses.map((a) => familyOf(a.prefix.address))));
  // Without the command, only an address proves that this form shows them; and a family not seen may not be shown.
  const showsAddresses = filter.addresses ?? families.size > 0;
  const shown: Shown[] = [];
  const hasLink = entries.some((e) => e.draft.flags !== undefined || e.draft.linkType !== undefined);
  if (hasLink) shown.push("link");
  if (showsAddresses) {
    const requested = (family: Family): boolean =>
      filter.family === undefined ? families.has(family) || filter.known : filter.family === family;
    if (requested(4)) shown.push("ipv4");
    if (requested(6)) shown.push("ipv6");
  }
  if (entries.some((e) => e.draft.port !== undefined)) shown.push("bridge-port");
  const hasLoopback = entries.some((e) => e.draft.kind === "loopback" || e.draft.name === "lo");
  // -4, -6 and -o leave the `link/` line out of every device.
  const linkless = filter.family !== undefined || (hasLoopback && entries.every((e) => e.draft.linkType === undefined));
  for (const entry of entries) {
    // A device without its first lines was cut out of something; -o and -br never print them.
    const { flags, linkType, index } = entry.draft;
    const intact = observed.brief || (flags === undefined ? index !== undefined : linkType !== undefined || linkless);
    entry.addressesKnown = showsAddresses && !cut && !filter.addressesNarrowed && intact && entry.damaged !== true;
  }
  const devices = finishDevices(entries);
  // Every namespace has a loopback device: a listing without it is an excerpt.
  const lost = diagnostics.some((d) => d.severity === "error");
  const whole = !cut && !lost && !filter.narrowed && hasLoopback;
  const extent: Extent = whole ? "whole" : "partial";
  const addresses = devices.reduce((n, d) => n + d.addresses.length, 0);
  return {
    facts: devices.length === 0 && !filter.known ? [] : [{ kind: "devices", devices, shows: shown, extent }],
    diagnostics,
    counts: { devices: devices.length, ...(showsAddresses ? { addresses } : {}) },
  };
}
