import { text } from "../../messages/index.ts";
import {
  assumed,
  type Device,
  derived,
  hostRoute,
  type Link,
  type Route,
  type Stack,
  TABLE_MAIN,
  withRoute,
} from "../../model/index.ts";
import { type Address, contains, formatAddress, isIpv4 } from "../../net/index.ts";
import type { Ledger } from "../ledger.ts";
import { endKey, vethLink } from "./pairs.ts";

interface Joined {
  /** The host, where it had to be given a device or a route. */
  readonly host: Stack;
  readonly link: Link;
}

/**
 * Joins a pod or VM to the node it is known to run on where no index pairs them: behind the device that the node's routes lead
 * its address to, on the bridge whose subnet holds it, or else behind a veth that is made up with a route to it.
 */
export function joinToHost(guest: Stack, host: Stack, taken: ReadonlySet<string>, ledger: Ledger): Joined | undefined {
  const free = (stack: Stack, d: Device) => !taken.has(endKey({ stack: stack.name, device: d.name }));
  const own = guest.devices.items.find(
    (d) => isEnd(d) && free(guest, d) && d.addresses.some((a) => isIpv4(a.prefix.address)),
  );
  const address = own?.addresses
    .filter((a) => a.origin.kind !== "assumed")
    .map((a) => a.prefix.address)
    .find(isIpv4);
  if (own === undefined || address === undefined) return undefined;
  const shown = formatAddress(address);
  const end = { stack: guest, device: own };
  const port = host.fdb.items.find((f) => f.mac === own.mac && own.mac !== undefined);
  const behind = host.devices.items.find((d) => d.name === port?.device && free(host, d));
  if (behind !== undefined) {
    return {
      host,
      link: vethLink(end, { stack: host, device: behind }, derived("its MAC is behind this port", port!.origin)),
    };
  }
  const route = routeTo(host, address);
  const device = host.devices.items.find((d) => d.name === route?.nexthops[0]?.device);
  if (
    route !== undefined &&
    device !== undefined &&
    route.destination.length === 32 &&
    isEnd(device) &&
    free(host, device)
  ) {
    return {
      host,
      link: vethLink(end, { stack: host, device }, derived("the node routes its address there", route.origin)),
    };
  }
  const bridge = device?.kind === "bridge" ? device : bridgeOf(host, address);
  const name = freshName(host);
  const origin = assumed("near end of a pod that no list shows");
  const near: Device = {
    name,
    kind: "veth",
    up: true,
    carrier: true,
    addresses: [],
    addressesKnown: true,
    ...(bridge === undefined ? {} : { master: bridge.name }),
    origin,
  };
  const main = host.routeTables.find((t) => t.id === TABLE_MAIN && t.family === 4);
  if (bridge === undefined && main?.extent === "whole") return undefined;
  const ends = { pod: guest.name, address: shown, host: host.name };
  const where =
    bridge === undefined
      ? text("assume.pod-behind-veth", ends)
      : text("assume.pod-on-bridge", { ...ends, bridge: bridge.name });
  ledger.assume(`${guest.name}/attached`, bridge?.name ?? name, where);
  const grown = { ...host, devices: { ...host.devices, items: [...host.devices.items, near] } };
  const changed =
    bridge === undefined
      ? { ...grown, routeTables: withRoute(grown.routeTables, hostRoute(address, name, origin)) }
      : grown;
  return { host: changed, link: vethLink(end, { stack: host, device: near }, origin) };
}

function freshName(host: Stack): string {
  const names = new Set(host.devices.items.map((d) => d.name));
  let n = 0;
  while (names.has(`vethpod${n}`)) n++;
  return `vethpod${n}`;
}

const isEnd = (d: Device): boolean =>
  d.kind === "veth" ||
  d.kind === "tap" ||
  (d.kind === "unknown" && d.master === undefined && d.peer === undefined) ||
  d.kind === "ethernet";

/** The most specific route of main; tables beyond it serve what comes from elsewhere. */
function routeTo(host: Stack, address: Address): Route | undefined {
  const main = host.routeTables.find((t) => t.id === TABLE_MAIN && t.family === 4);
  return main?.routes
    .filter((r) => r.type === "unicast" && r.destination.length > 0 && contains(r.destination, address))
    .filter((r) => r.nexthops[0]?.gateway === undefined)
    .sort((a, b) => b.destination.length - a.destination.length)[0];
}

const bridgeOf = (host: Stack, address: Address): Device | undefined =>
  host.devices.items.find(
    (d) => d.kind === "bridge" && d.addresses.some((a) => a.prefix.length < 32 && contains(a.prefix, address)),
  );
