import { text } from "../../messages/index.ts";
import {
  assumed,
  confKey,
  type Device,
  type Link,
  type Neighbour,
  type Route,
  type Stack,
  TABLE_MAIN,
} from "../../model/index.ts";
import { type Address, contains, formatAddress, ipv4Of, isIpv4 } from "../../net/index.ts";
import { hasAddress } from "../kube-proxy/served.ts";
import type { Ledger } from "../ledger.ts";

/** What Calico and its like give routed pods as their gateway: it is on no device, and the node answers for it. */
const LINK_LOCAL_GATEWAY = ipv4Of(0xa9fe0101);
const ANY_MAC = "ee:ee:ee:ee:ee:ee";

const isDefault = (r: Route): boolean => r.family === 4 && r.type === "unicast" && r.destination.length === 0;
const isMadeUp = (r: Route): boolean => isDefault(r) && r.origin.kind === "assumed";

/**
 * Gives a guest whose routes nobody showed a gateway on its node's side, and lets its gateway answer where nothing else would:
 * a routed pod's gateway is on no device; the node answers by proxy ARP or the pod has a fixed neighbour entry.
 */
export function withGateway(guest: Stack, near: Device, host: Stack, farEnd: Device, ledger: Ledger): Stack {
  const main = guest.routeTables.find((t) => t.id === TABLE_MAIN && t.family === 4);
  const route = main?.routes.find((r) => isDefault(r) && r.nexthops[0]?.device === near.name);
  if (main === undefined || route === undefined) return guest;
  const own = near.addresses.find((a) => isIpv4(a.prefix.address));
  const madeUp = isMadeUp(route);
  const gateway = madeUp ? (gatewayOn(host, farEnd, own?.prefix) ?? LINK_LOCAL_GATEWAY) : route.nexthops[0]?.gateway;
  if (gateway === undefined || !isIpv4(gateway)) return guest;
  const changed = madeUp ? withDefault(guest, route, near.name, gateway) : guest;
  if (madeUp) {
    const by = { stack: guest.name, gateway: formatAddress(gateway), device: near.name };
    ledger.assume(`${guest.name}/route/default`, formatAddress(gateway), text("assume.default-by-gateway", by));
  }
  const answered = host.devices.items.some((d) => hasAddress(d, gateway)) || farEnd.master !== undefined;
  const known = guest.neighbours.items.some((n) => n.device === near.name && n.address === gateway);
  if (answered || known || guest.neighbours.extent === "whole" || answersByProxy(host, farEnd)) return changed;
  ledger.assume(
    `${guest.name}/neighbour/${formatAddress(gateway)}`,
    farEnd.mac ?? farEnd.name,
    text("assume.gateway-answered", {
      device: farEnd.name,
      host: host.name,
      gateway: formatAddress(gateway),
      stack: guest.name,
    }),
  );
  const entry: Neighbour = {
    address: gateway,
    device: near.name,
    mac: farEnd.mac ?? ANY_MAC,
    states: ["PERMANENT"],
    router: false,
    proxy: false,
    origin: assumed("the node answers for a routed pod's gateway"),
  };
  return { ...changed, neighbours: { ...changed.neighbours, items: [...changed.neighbours.items, entry] } };
}

/** Whether the node is known to answer by proxy ARP, by routes that were all shown: then the walk finds out for whom. */
const answersByProxy = (host: Stack, farEnd: Device): boolean =>
  ["all", farEnd.name].some((name) => Number(host.sysctls.get(confKey("proxy_arp", name))?.value ?? 0) !== 0) &&
  host.routeTables.some((t) => t.id === TABLE_MAIN && t.family === 4 && t.extent === "whole");

/** The address of the host on the guest's own segment. */
function gatewayOn(
  host: Stack,
  farEnd: Device,
  own: { readonly address: Address; readonly length: number } | undefined,
): Address | undefined {
  const device = farEnd.master === undefined ? farEnd : host.devices.items.find((d) => d.name === farEnd.master);
  const found = device?.addresses.find(
    (a) =>
      isIpv4(a.prefix.address) &&
      own !== undefined &&
      (contains(a.prefix, own.address) || contains(own, a.prefix.address)),
  );
  return found?.prefix.address;
}

function withDefault(guest: Stack, route: Route, device: string, gateway: Address): Stack {
  const filled: Route = { ...route, scope: "global", nexthops: [{ gateway, device, weight: 1, flags: ["onlink"] }] };
  return {
    ...guest,
    routeTables: guest.routeTables.map((t) => ({ ...t, routes: t.routes.map((r) => (r === route ? filled : r)) })),
  };
}

/** The two ends of a veth link, as records. */
export function endsOf(
  link: Link,
  stacks: readonly Stack[],
): readonly { readonly stack: Stack; readonly device: Device }[] {
  return link.ends.flatMap((end) => {
    const stack = stacks.find((s) => s.name === end.stack);
    const device = stack?.devices.items.find((d) => d.name === end.device);
    return stack === undefined || device === undefined ? [] : [{ stack, device }];
  });
}
