import { text } from "../../messages/index.ts";
import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from "../../model/index.ts";
import { formatAddress, isIpv4, isLoopback } from "../../net/index.ts";
import { devicesOf, facts, rulesOf, startOf } from "../view.ts";
import { type Check, groupBy } from "./contradict.ts";

/** A rule may send packets to a table that is empty; whoever wrote the rule hardly meant that. */
export const missingRouteTables: Check = (view) =>
  ([4, 6] as const).flatMap((family) => {
    const whole = facts(view, "routes").filter(
      (f) => f.family === family && f.tables === "all" && f.extent === "whole",
    );
    if (whole.length === 0) return [];
    const shown = new Set(
      facts(view, "routes").flatMap((f) => (f.family === family ? f.routes.map((r) => r.table) : [])),
    );
    const builtIn: readonly (number | string)[] = [TABLE_LOCAL, TABLE_MAIN, TABLE_DEFAULT];
    const lookups = rulesOf(view).flatMap((rule) =>
      rule.family === family && rule.action.kind === "lookup" ? [{ table: rule.action.table, rule }] : [],
    );
    const empty = lookups.filter((l) => !builtIn.includes(l.table) && !shown.has(l.table));
    return [...groupBy(empty, (l) => String(l.table))].map(([table, named]) => ({
      code: "TABLE_NOT_THERE",
      text: text("contradiction.no-table", { table }),
      origins: [...named.map((l) => l.rule.origin), startOf(whole[0]!.dump)],
    }));
  });

/** The kernel keeps a local route for every address of a device that is up (fib_add_ifaddr()). */
export const missingLocalRoutes: Check = (view) => {
  const whole = facts(view, "routes").filter(
    (f) => f.family === 4 && f.extent === "whole" && (f.tables === "all" || f.tables.includes(TABLE_LOCAL)),
  );
  const [first] = whole;
  if (first === undefined) return [];
  const shown = new Set(
    whole.flatMap((f) => f.routes.flatMap((r) => (r.type === "local" ? [r.destination.address] : []))),
  );
  const own = devicesOf(view).flatMap((d) =>
    d.up === false ? [] : d.addresses.map((a) => ({ ...a, device: d.name })),
  );
  const absent = own.filter(
    (a) => isIpv4(a.prefix.address) && !isLoopback(a.prefix.address) && !shown.has(a.prefix.address),
  );
  return absent.map(({ prefix, device, origin }) => ({
    code: "ADDRESS_NOT_LOCAL",
    text: text("contradiction.not-local", { address: formatAddress(prefix.address), device }),
    origins: [origin, startOf(first.dump)],
  }));
};
