import { type CardAddress, type Device, type Route, TABLE_MAIN } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";

/**
 * Cards with the addresses that the cloud delivers there for pods. The AWS VPC plugin keeps a routing table for each card but the first,
 * one above its number, with a default route by it; the first has the main table's.
 */
export function withDelegated(
  devices: readonly Device[],
  given: readonly CardAddress[],
  routes: readonly Route[],
): readonly Device[] {
  const byCard = new Map<string, Address[]>();
  for (const { address, card } of given) {
    const device = card === undefined ? undefined : cardOf(card, routes);
    if (device === undefined) continue;
    const own = byCard.get(device) ?? [];
    if (own.length === 0) byCard.set(device, own);
    if (!own.includes(address)) own.push(address);
  }
  if (byCard.size === 0) return devices;
  return devices.map((d) => (byCard.has(d.name) ? { ...d, delegated: byCard.get(d.name)! } : d));
}

const cardOf = (card: number, routes: readonly Route[]): string | undefined => {
  const table = card === 0 ? TABLE_MAIN : card + 1;
  return routes.find((r) => r.family === 4 && r.destination.length === 0 && r.table === table)?.nexthops[0]?.device;
};
