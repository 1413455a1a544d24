import { text } from "../messages/index.ts";
import {
  assumed,
  type Device,
  type DeviceAddress,
  type Extent,
  type Origin,
  type Route,
  type StackKind,
  TABLE_MAIN,
} from "../model/index.ts";
import {
  type Address,
  anyPrefix,
  formatAddress,
  hostPrefix,
  ipv4Of,
  isIpv4,
  offset,
  type Prefix,
  parsePrefix,
} from "../net/index.ts";
import { hasAddress } from "./kube-proxy/served.ts";
import type { Ledger } from "./ledger.ts";
import { speaksIpv6 } from "./routes/ifaddr6.ts";
import { assumedDefault, uplinkOf } from "./routes/uplink.ts";

/** From the range kept for benchmarks (RFC 2544): no cluster uses it, and it is seen at once to be made up. */
const MADE_UP = ipv4Of(0xc6120001);

export interface Completion {
  readonly devices: readonly Device[];
  /** Routes that were made up, to be added to the main table. */
  readonly routes: readonly Route[];
  readonly rulesOnly: boolean;
}

const global = (d: Device): readonly DeviceAddress[] =>
  d.kind === "loopback" || d.kind === "dummy" ? [] : d.addresses.filter((a) => isIpv4(a.prefix.address));

/** All its addresses were shown, and those that lead anywhere are IPv6: it needs no card of which IPv4 could make use. */
const isIpv6Only = (devices: readonly Device[]): boolean =>
  devices.every((d) => d.addressesKnown) &&
  devices.some((d) => d.addresses.some((a) => !isIpv4(a.prefix.address) && a.scope === "global"));

export interface Incomplete {
  readonly devices: readonly Device[];
  /** Routes that were shown. */
  readonly routes: readonly Route[];
  /** Addresses that are the stack's own, on a device nobody named. */
  readonly own: ReadonlyMap<Address, Origin>;
  readonly mainShown: Extent;
  readonly stack: string;
  readonly kind: StackKind;
  /** Counts the stacks of the World, so that no two are given the same address. */
  readonly ordinal: number;
}

/**
 * What a stack must have so that a packet can be walked through it at all: a way out and an address to send from. Each
 * thing made up is listed.
 */
export function complete(
  { devices, routes, own, mainShown, stack, kind, ordinal }: Incomplete,
  ledger: Ledger,
): Completion {
  let list = devices;
  const chosen = ledger.settled(`${stack}/route/default`);
  let uplink = list.find((d) => d.name === chosen) ?? uplinkOf(list, routes, kind === "node");
  if (uplink === undefined && mainShown !== "whole" && !isIpv6Only(list)) {
    const card = madeUpCard(stack, list, ledger);
    // Behind lo: a card is registered before what programs add.
    list = list.flatMap((d) => (d.kind === "loopback" ? [d, card] : [d]));
    uplink = card;
  }
  const add = (prefix: Prefix, origin: Origin): void => {
    const entry: DeviceAddress = { prefix, scope: "global", flags: [], origin };
    list = list.map((d) => (d.name === uplink?.name ? { ...d, addresses: [...d.addresses, entry] } : d));
  };
  if (uplink?.addressesKnown === false) {
    for (const [address, origin] of own)
      if (!list.some((d) => hasAddress(d, address))) add(hostPrefix(address), origin);
  }
  const addressed = list.some((d) => global(d).length > 0);
  const rulesOnly = !addressed && !routes.some((r) => r.family === 4);
  const way = list.find((d) => d.name === uplink?.name);
  if (way?.addressesKnown === false && global(way).length === 0) {
    const id = `${stack}/address/${way.name}`;
    const stated = parsePrefix(ledger.settled(id) ?? "");
    const prefix = stated ?? hostPrefix(offset(MADE_UP, ordinal));
    const address = formatAddress(prefix.address);
    ledger.assume(id, address, text("assume.own-address", { device: way.name, stack, address }));
    add(prefix, assumed("address of a node that nobody showed"));
  }
  const hasDefault = routes.some((r) => r.table === TABLE_MAIN && r.family === 4 && r.destination.length === 0);
  const six = uplink === undefined ? [] : defaultRoute6(stack, uplink, list, routes, ledger);
  if (mainShown === "whole" || hasDefault || uplink === undefined) return { devices: list, routes: six, rulesOnly };
  const notShown = mainShown === "partial" ? "assume.default-route-partly" : "assume.default-route";
  ledger.assume(`${stack}/route/default`, uplink.name, text(notShown, { stack, device: uplink.name }));
  return { devices: list, routes: [assumedDefault(uplink.name), ...six], rulesOnly };
}

/** The same where a stack has IPv6 addresses and nobody showed any IPv6 route. */
function defaultRoute6(
  stack: string,
  uplink: Device,
  devices: readonly Device[],
  routes: readonly Route[],
  ledger: Ledger,
): readonly Route[] {
  if (!speaksIpv6(devices, []) || routes.some((r) => r.family === 6)) return [];
  ledger.assume(`${stack}/route/default6`, uplink.name, text("assume.default-route6", { stack, device: uplink.name }));
  return [assumedDefault(uplink.name, { family: 6, destination: anyPrefix(6) })];
}

function madeUpCard(stack: string, devices: readonly Device[], ledger: Ledger): Device {
  const names = new Set(devices.map((d) => d.name));
  let n = 0;
  while (names.has(`eth${n}`)) n++;
  const name = `eth${n}`;
  ledger.assume(`${stack}/device/${name}`, "up", text("assume.card", { stack, device: name }));
  return {
    name,
    kind: "ethernet",
    up: true,
    carrier: true,
    addresses: [],
    addressesKnown: false,
    origin: assumed("card of a node whose devices nobody showed"),
  };
}
