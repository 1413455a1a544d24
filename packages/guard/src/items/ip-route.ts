import { type Text, text } from "@hairpin/core/messages/index.ts";
import type { Route } from "@hairpin/core/model/index.ts";
import { formatAddress, formatPrefix } from "@hairpin/core/net/index.ts";
import { type IpCommand, routeCommand } from "@hairpin/core/parse/iproute2/index.ts";
import { type Item, looked } from "../item.ts";
import { change, listed } from "./iproute2.ts";

type RouteCommand = Extract<IpCommand, { kind: "route" }>;

/** The slot of a table that a route takes: `replace` puts one there instead of another (fib_table_insert). */
const slot = (r: Route): string => [formatPrefix(r.destination), r.tos ?? 0, r.metric ?? 0].join(" ");

const way = (r: Route): string =>
  [
    r.type,
    r.prefSrc === undefined ? "" : formatAddress(r.prefSrc),
    ...r.nexthops.map((h) => `${h.gateway === undefined ? "" : formatAddress(h.gateway)}%${h.device ?? ""}`),
  ].join(" ");

/** A route kept in its table. */
export function ipRouteItem(command: string, { verb, route }: RouteCommand): Item | Text {
  if (verb !== "add" && verb !== "replace" && verb !== "append") return text("guard.only-ip-route");
  const show = [`-${route.family}`, "route", "show", "table", String(route.table)];
  const inSlot = (): readonly Route[] =>
    listed("ip-route", show)
      .flatMap((f) => (f.kind === "routes" ? f.routes : []))
      .filter((r) => slot(r) === slot(route));
  const same = (r: Route): boolean => {
    const query = route.prefSrc === undefined ? { ...r } : r;
    if (route.prefSrc === undefined) delete (query as { prefSrc?: unknown }).prefSrc;
    const named = route.nexthops.map((h, i) => (h.device === undefined ? { ...h, ...deviceOf(r, i) } : h));
    return way(query) === way({ ...route, nexthops: named });
  };
  const there = (): boolean => inSlot().some(same);
  return {
    command,
    where: `ip route table ${route.table}`,
    look: () => looked(() => (there() ? "present" : "absent")),
    before: () => ({
      there: there(),
      instead: verb === "replace" ? inSlot().map((r) => [...routeCommand(r, "replace")]) : [],
    }),
    apply: () => {
      if (!there()) change(routeCommand(route, verb));
    },
    revert: (prior) => {
      if (prior.there === true) return;
      const instead = (prior.instead as readonly (readonly string[])[])[0];
      if (instead !== undefined) change(instead);
      else if (there()) change(routeCommand(route, "add").map((w) => (w === "add" ? "del" : w)));
    },
  };
}

/** A next hop typed without a device is reached by the one the kernel found. */
function deviceOf(found: Route, index: number): { readonly device?: string } {
  const device = found.nexthops[index]?.device;
  return device === undefined ? {} : { device };
}
