import { type Extent, type Route, type RouteScope, TABLE_LOCAL, TABLE_MAIN } from "../../../model/index.ts";
import { type Address, type Family, parseAddress } from "../../../net/index.ts";
import type { DumpContext } from "../../dialect.ts";
import type { Facts } from "../../facts.ts";
import { invocationOf } from "../invocation.ts";
import { protocolName, scopeOf, tableOf } from "../names.ts";

/** What the command asked `ip route` for: iproute_list_flush_or_save() leaves the selected attributes out. */
export interface Filter {
  readonly family?: Family;
  /** The one table asked for. */
  readonly table?: number | string;
  readonly all: boolean;
  readonly device?: string;
  readonly gateway?: Address;
  readonly protocol?: string;
  readonly scope?: RouteScope;
  readonly source?: Address;
  /** Some routes of the tables were not asked for. */
  readonly narrowed: boolean;
  /** `ip route get ADDRESS`. */
  readonly get?: Address;
  readonly fibMatch: boolean;
}

const prefixOfAny = (word: string, ...whole: readonly string[]): boolean =>
  word !== "" && whole.some((w) => w.startsWith(word));

export function routeFilter(context: DumpContext): Filter {
  const command = invocationOf(context.command ?? []);
  const filter: { -readonly [K in keyof Filter]: Filter[K] } = { all: false, narrowed: false, fibMatch: false };
  const family = context.family?.value ?? command?.family;
  if (family !== undefined) filter.family = family;
  if (context.routeTable !== undefined) filter.table = named(context.routeTable.value);
  if (command === undefined || command.object !== "route") return filter;
  const words = command.rest;
  const isGet = words[0] !== undefined && prefixOfAny(words[0], "get");
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    const value = words[i + 1];
    if (isGet) {
      if (prefixOfAny(word, "fibmatch") && word.length > 2) filter.fibMatch = true;
      else if (filter.get === undefined && word !== "to") {
        const address = parseAddress(word.split("/")[0]!);
        if (address !== undefined && !["from", "via", "src"].includes(words[i - 1]!)) filter.get = address;
      }
      continue;
    }
    if (value === undefined) {
      filter.narrowed = true;
      continue;
    }
    i++;
    if (prefixOfAny(word, "table")) setTable(filter, value, context);
    else if (word === "vrf") filter.table = `vrf ${value}`;
    else {
      filter.narrowed = true;
      if (word === "dev" || word === "oif") filter.device = value;
      else if (prefixOfAny(word, "protocol")) filter.protocol = protocolName(value);
      else if (prefixOfAny(word, "scope")) {
        const scope = scopeOf(value);
        if (scope !== undefined) filter.scope = scope;
      } else if (word === "via" || prefixOfAny(word, "src")) {
        const address = parseAddress(value);
        if (address !== undefined) filter[word === "via" ? "gateway" : "source"] = address;
      } else if (word === "root" || word === "match" || word === "exact" || word === "to" || word === "type") continue;
      else i--;
    }
  }
  return filter;
}

const named = (table: number | string): number | string => (typeof table === "string" ? tableOf(table) : table);

function setTable(
  filter: { all: boolean; table?: number | string; narrowed: boolean },
  value: string,
  context: DumpContext,
): void {
  if (value === "all") {
    filter.all = true;
    delete filter.table;
  } else if (value === "cache") filter.narrowed = true;
  else if (context.routeTable === undefined) filter.table = tableOf(value);
}

/** Facts by family: `table all` without -4 or -6 lists both. `worded`: some line says its table. */
export function routeFacts(routes: readonly Route[], filter: Filter, cut: boolean, worded: boolean): Facts[] {
  const extent: Extent = cut || filter.narrowed ? "partial" : "whole";
  const families = ([4, 6] as const).filter((f) => routes.some((r) => r.family === f));
  if (families.length === 0) families.push(filter.family ?? 4);
  return families.map((family) => {
    const own = routes.filter((r) => r.family === family);
    return { kind: "routes" as const, family, routes: own, tables: tablesOf(own, filter, worded), extent };
  });
}

function tablesOf(routes: readonly Route[], filter: Filter, worded: boolean): readonly (number | string)[] | "all" {
  if (filter.all) return "all";
  if (filter.table !== undefined) return [filter.table];
  if (!worded) return [TABLE_MAIN];
  // Only `table all` prints the word for the local table and none for main.
  const seen = new Set(routes.map((r) => r.table));
  return seen.has(TABLE_LOCAL) && seen.size > 1 ? "all" : [...seen];
}
