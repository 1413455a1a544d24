import { type Text, text } from "../../messages/index.ts";
import type { Device, IpSet, Origin, VirtualService } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { formatAddress, formatPrefix, isIpv4 } from "../../net/index.ts";
import { changedBetween, facts, type StackView, sysctlsOf } from "../view.ts";
import { type Check, type Claimed, groupBy } from "./contradict.ts";

/** One key, two values at one moment. */
export const sysctlsDisagree: Check = (view) =>
  [...groupBy(sysctlsOf(view), (e) => e.key)].flatMap(([key, entries]): Claimed[] => {
    const other = entries.find((e, i) => e.value !== entries[0]!.value && !isNextLine(entries[i - 1], e));
    // Counters are no settings.
    if (other === undefined || changedBetween(view, "sysctl-commands", entries[0]!.origin, other.origin)) return [];
    if (/(?:_count|random\.|\.entropy_avail|\.uuid|file-nr|inode-|dentry-)/.test(key)) return [];
    return [
      {
        code: "SYSCTL_DIFFERS",
        text: text("contradiction.value", { key, value: entries[0]!.value, other: other.value }),
        origins: [entries[0]!.origin, other.origin],
      },
    ];
  });

/** sysctl prints each line of a value of several lines with the key before it. */
const isNextLine = (
  before: { readonly origin: Origin } | undefined,
  { origin }: { readonly origin: Origin },
): boolean =>
  before?.origin.kind === "read" &&
  origin.kind === "read" &&
  before.origin.file === origin.file &&
  before.origin.line + 1 === origin.line;

/** Leaves out what a command typed in between explains. */
const unlessChanged =
  (kind: Parameters<typeof changedBetween>[1], check: Check): Check =>
  (view: StackView) =>
    check(view).filter(
      ({ origins: [a, b] }) => a === undefined || b === undefined || !changedBetween(view, kind, a, b),
    );

interface Field {
  readonly name: string;
  readonly value: (device: Device) => string | undefined;
}

const FIELDS: readonly Field[] = [
  { name: "index", value: (d) => d.index?.toString() },
  { name: "MAC", value: (d) => d.mac },
  { name: "MTU", value: (d) => d.mtu?.toString() },
  { name: "master", value: (d) => d.master },
];

/** The same device in two listings. */
export const devicesDisagree: Check = unlessChanged("ip-commands", (view) => {
  const observed = facts(view, "devices").flatMap((f, dump) =>
    f.devices.map((device) => ({ device, dump, shows: f.shows })),
  );
  return [...groupBy(observed, (s) => s.device.name)].flatMap(([name, group]): Claimed[] => {
    const claims: Claimed[] = [];
    for (const { name: field, value } of FIELDS) {
      const known = group.filter((s) => value(s.device) !== undefined);
      const other = known.find((s) => value(s.device) !== value(known[0]!.device));
      if (other === undefined) continue;
      claims.push(
        differs(
          name,
          `${field} ${value(known[0]!.device)}`,
          `${field} ${value(other.device)}`,
          known[0]!.device,
          other.device,
        ),
      );
    }
    const lists = group.filter((s) => s.device.addressesKnown && s.shows.includes("ipv4"));
    const other = lists.find((s) => addresses(s.device) !== addresses(lists[0]!.device));
    if (other !== undefined) {
      claims.push(
        differs(
          name,
          addresses(lists[0]!.device) || text("contradiction.no-address"),
          addresses(other.device) || text("contradiction.no-address"),
          lists[0]!.device,
          other.device,
        ),
      );
    }
    return claims;
  });
});

const differs = (name: string, a: Text | string, b: Text | string, one: Device, two: Device): Claimed => ({
  code: "DEVICE_DIFFERS",
  text: text("contradiction.device", { device: name, value: a, other: b }),
  origins: [one.origin, two.origin],
});

const addresses = (device: Device): string =>
  device.addresses
    .filter((a) => isIpv4(a.prefix.address))
    .map((a) => formatPrefix(a.prefix))
    .sort()
    .join(", ");

const entryKey = (set: IpSet): string =>
  set.entries
    .map((e) => JSON.stringify(e.parts))
    .sort()
    .join();

/** The same set listed twice. */
export const setsDisagree: Check = unlessChanged("ipset-commands", (view) => {
  const found = facts(view, "ipset").flatMap((f, dump) => f.sets.map((set) => ({ set, dump })));
  return [...groupBy(found, (s) => s.set.name)].flatMap(([name, group]): Claimed[] => {
    const first = group[0]!;
    const other = group.find(
      (s) =>
        s.dump !== first.dump &&
        (s.set.method !== first.set.method ||
          s.set.dimensions.join() !== first.set.dimensions.join() ||
          (s.set.extent === "whole" && first.set.extent === "whole" && entryKey(s.set) !== entryKey(first.set))),
    );
    if (other === undefined) return [];
    return [
      {
        code: "SET_DIFFERS",
        text: text("contradiction.set-twice", { set: name }),
        origins: [first.set.origin, other.set.origin],
      },
    ];
  });
});

const serviceName = (s: VirtualService): string =>
  s.key.kind === "fwmark"
    ? `FWM ${s.key.mark}/${s.key.family}`
    : `${s.key.protocol} ${formatAddress(s.key.address)}:${s.key.port}`;
const serversOf = (s: VirtualService): string =>
  s.realServers
    .map((r) => `${formatAddress(r.address)}:${r.port} ${r.method} ${r.weight}`)
    .sort()
    .join();

/** The same virtual service listed twice. */
export const servicesDisagree: Check = unlessChanged("ipvs-commands", (view) => {
  const sighted = facts(view, "ipvs").flatMap((f, dump) => f.services.map((service) => ({ service, dump })));
  return [...groupBy(sighted, (s) => serviceName(s.service))].flatMap(([name, group]): Claimed[] => {
    const first = group[0]!;
    const other = group.find(
      (s) =>
        s.dump !== first.dump &&
        (s.service.scheduler !== first.service.scheduler ||
          (s.service.extent === "whole" &&
            first.service.extent === "whole" &&
            serversOf(s.service) !== serversOf(first.service))),
    );
    if (other === undefined) return [];
    return [
      {
        code: "VIRTUAL_SERVICE_DIFFERS",
        text: text("contradiction.service-twice", { service: name.replace(/^6 /, "TCP ").replace(/^17 /, "UDP ") }),
        origins: [first.service.origin, other.service.origin],
      },
    ];
  });
});

interface Listed {
  readonly key: string;
  readonly origin: Origin;
}

/** Two whole listings of one thing: the first line that only one of them has. */
function compareListings(
  code: string,
  twice: Text,
  a: readonly Listed[],
  b: readonly Listed[],
  start: Origin,
): readonly Claimed[] {
  const keys = new Set(a.map((l) => l.key));
  const back = new Set(b.map((l) => l.key));
  const odd = b.find((l) => !keys.has(l.key)) ?? a.find((l) => !back.has(l.key));
  if (odd === undefined) return [];
  return [
    {
      code,
      text: twice,
      origins: [odd.origin, start],
    },
  ];
}

export const routesDisagree: Check = unlessChanged("ip-commands", (view) => {
  const listings = facts(view, "routes").filter((f) => f.extent === "whole");
  const claims: Claimed[] = [];
  const byTable = listings.flatMap((f, at) => {
    const tables = f.tables === "all" ? [...new Set(f.routes.map((r) => r.table))] : f.tables;
    return tables.map((table) => ({ at, f, table, key: `${f.family}/${table}` }));
  });
  for (const group of groupBy(byTable, (l) => l.key).values()) {
    const [a, b] = [group[0]!, group.find((g) => g.at !== group[0]!.at)];
    if (b === undefined) continue;
    const list = (l: typeof a) =>
      l.f.routes
        .filter((r) => r.table === l.table)
        .map((r) => ({
          key: JSON.stringify([
            r.type,
            r.destination,
            r.metric ?? 0,
            r.tos ?? 0,
            r.nexthops.map((n) => [n.gateway, n.device]),
          ]),
          origin: r.origin,
        }));
    const start: Origin = { kind: "read", file: a.f.dump.file, line: a.f.dump.lines[0] };
    append(
      claims,
      compareListings("ROUTES_DIFFER", text("contradiction.routes-twice", { table: a.table }), list(a), list(b), start),
    );
  }
  return claims;
});

export const routingRulesDisagree: Check = unlessChanged("ip-commands", (view) =>
  ([4, 6] as const).flatMap((family) => {
    const [a, b] = facts(view, "routing-rules").filter((f) => f.extent === "whole" && f.family === family);
    if (a === undefined || b === undefined) return [];
    const list = (f: typeof a) => f.rules.map(({ origin, ...rule }) => ({ key: JSON.stringify(rule), origin }));
    const start: Origin = { kind: "read", file: a.dump.file, line: a.dump.lines[0] };
    return compareListings("ROUTING_RULES_DIFFER", text("contradiction.rules-twice"), list(a), list(b), start);
  }),
);
