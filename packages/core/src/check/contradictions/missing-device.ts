import { type Text, text } from "../../messages/index.ts";
import { KUBE_IPVS0, type Origin } from "../../model/index.ts";
import { familyOf, formatAddress, isLoopback } from "../../net/index.ts";
import {
  devicesOf,
  facts,
  routesOf,
  rulesOf,
  servicesOf,
  startOf,
  wholeAddressLists,
  wholeDeviceLists,
} from "../view.ts";
import { type Check, groupBy } from "./contradict.ts";

interface Use {
  readonly device: string;
  readonly by: Text;
  readonly origin: Origin;
}

/** A route, neighbour or bridge port goes away with its device; iptables rules do not, so those may name any. */
export const missingDevices: Check = (view) => {
  const [whole] = wholeDeviceLists(view);
  if (whole === undefined) return [];
  const known = new Set(devicesOf(view).flatMap((d) => [d.name, ...(d.altnames ?? [])]));
  const uses: Use[] = [
    ...routesOf(view).flatMap((r) =>
      r.nexthops.flatMap((n) =>
        n.device === undefined ? [] : [{ device: n.device, by: text("contradiction.by-route"), origin: r.origin }],
      ),
    ),
    ...rulesOf(view).flatMap((r) =>
      r.detached
        ? []
        : [r.iif, r.oif].flatMap((d) =>
            d === undefined ? [] : [{ device: d, by: text("contradiction.by-rule"), origin: r.origin }],
          ),
    ),
    ...facts(view, "neighbours").flatMap((f) =>
      f.neighbours.map((n) => ({ device: n.device, by: text("contradiction.by-neighbour"), origin: n.origin })),
    ),
    ...facts(view, "fdb").flatMap((f) =>
      f.entries.map((e) => ({ device: e.device, by: text("contradiction.by-fdb"), origin: e.origin })),
    ),
    ...devicesOf(view).flatMap((d) =>
      d.master === undefined
        ? []
        : [{ device: d.master, by: text("contradiction.by-device", { device: d.name }), origin: d.origin }],
    ),
  ];
  const absent = uses.filter((u) => u.device !== "lo" && !known.has(u.device) && !/^if\d+$/.test(u.device));
  return [...groupBy(absent, (u) => u.device)].map(([device, named]) => ({
    code: "DEVICE_NOT_THERE",
    text: text("contradiction.no-device", { by: named[0]!.by, device }),
    origins: [...named.map((u) => u.origin), startOf(whole.dump)],
  }));
};

/** `src` of a route must be an address of the machine (fib_check_nh, fib_valid_prefsrc). */
export const missingSourceAddresses: Check = (view) =>
  ([4, 6] as const).flatMap((family) => {
    const [whole] = wholeAddressLists(view, family);
    if (whole === undefined) return [];
    const owned = new Set(devicesOf(view).flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address))));
    const strange = routesOf(view).filter(
      (r) =>
        r.prefSrc !== undefined &&
        familyOf(r.prefSrc) === family &&
        !owned.has(formatAddress(r.prefSrc)) &&
        !(r.prefSrc !== undefined && isLoopback(r.prefSrc)),
    );
    return [...groupBy(strange, (r) => formatAddress(r.prefSrc!))].map(([address, routes]) => ({
      code: "SOURCE_NOT_LOCAL",
      text: text("contradiction.no-source", { address }),
      origins: [...routes.map((r) => r.origin), startOf(whole.dump)],
    }));
  });

/** kube-proxy puts every address it serves by IPVS on kube-ipvs0 or finds it on the node. */
export const unboundVirtualAddresses: Check = (view) => {
  const [whole] = wholeAddressLists(view, 4);
  if (whole === undefined || !whole.devices.some((d) => d.name === KUBE_IPVS0)) return [];
  const owned = new Set(devicesOf(view).flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address))));
  const strange = servicesOf(view).flatMap((s) =>
    s.key.kind === "address" && familyOf(s.key.address) === 4 && !owned.has(formatAddress(s.key.address))
      ? [{ address: formatAddress(s.key.address), origin: s.origin }]
      : [],
  );
  return [...groupBy(strange, (s) => s.address)].map(([address, services]) => ({
    code: "VIRTUAL_ADDRESS_NOT_BOUND",
    text: text("contradiction.unbound", { address }),
    origins: [...services.map((s) => s.origin), startOf(whole.dump)],
  }));
};
