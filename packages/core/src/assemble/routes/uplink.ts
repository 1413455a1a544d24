import { assumed, type Device, type Route, TABLE_MAIN } from "../../model/index.ts";
import { anyPrefix, isIpv4 } from "../../net/index.ts";

const CARDS: ReadonlySet<Device["kind"]> = new Set<Device["kind"]>([
  "ethernet",
  "unknown",
  "bond",
  "team",
  "vlan",
  "macvlan",
  "ipvlan",
]);
const hasIpv4 = (d: Device): boolean => d.addresses.some((a) => isIpv4(a.prefix.address));

/**
 * The device by which a stack most likely reaches the rest of the world, where no default route says so: a card that is up and
 * has an address; a pod's only end; else a card without one.
 */
export function uplinkOf(devices: readonly Device[], routes: readonly Route[], isNode: boolean): Device | undefined {
  const fallback = routes.find((r) => r.table === TABLE_MAIN && r.destination.length === 0 && r.type === "unicast");
  const named = devices.find((d) => d.name === fallback?.nexthops[0]?.device);
  if (named !== undefined) return named;
  const possible = devices.filter(
    (d) => d.up !== false && d.master === undefined && d.kind !== "loopback" && d.kind !== "dummy",
  );
  // A device that only host routes lead to is the near end of a pod.
  const pods = new Set(
    routes.filter((r) => r.destination.length === 32).flatMap((r) => r.nexthops.map((n) => n.device)),
  );
  const cards = possible.filter((d) => CARDS.has(d.kind) && !(pods.has(d.name) && !hasIpv4(d)));
  const choice = isNode ? cards : possible;
  const bridges = possible.filter(
    (d) => d.kind === "bridge" && devices.some((p) => p.master === d.name && CARDS.has(p.kind)),
  );
  return choice.find(hasIpv4) ?? bridges.find(hasIpv4) ?? choice[0];
}

/** On-link: somebody on the other side answers for everything. */
export const assumedDefault = (device: string, rest: Partial<Route> = {}): Route => ({
  type: "unicast",
  family: 4,
  destination: anyPrefix(4),
  table: TABLE_MAIN,
  scope: "link",
  nexthops: [{ device, weight: 1, flags: [] }],
  extra: [],
  origin: assumed("default route"),
  ...rest,
});
