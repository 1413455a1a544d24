import type { Programmed } from "../../kubernetes/index.ts";
import { text } from "../../messages/index.ts";
import { type IpSet, plainSetName, type SetEntry, type SetPart } from "../../model/index.ts";
import { type Family, formatAddress, maxLength, protocolName } from "../../net/index.ts";
import type { Actual } from "./actual.ts";
import type { Draft } from "./draft.ts";

function partText(p: SetPart): string {
  switch (p.kind) {
    case "address":
      return p.length === maxLength(p.from) ? formatAddress(p.from) : `${formatAddress(p.from)}/${p.length}`;
    case "range":
      return `${formatAddress(p.from)}-${formatAddress(p.to)}`;
    case "port": {
      const ports = p.from === p.to ? `${p.from}` : `${p.from}-${p.to}`;
      return p.protocol === undefined ? ports : `${protocolName(p.protocol)}:${ports}`;
    }
    default:
      return JSON.stringify(p);
  }
}

const entryText = (e: SetEntry): string => `${e.parts.map(partText).join(",")}${e.nomatch ? " nomatch" : ""}`;
const kindOf = (s: IpSet): string => `${s.method}:${s.dimensions.join(",")}`;

/** Entries of kube-proxy's sets, in no order. What a set that was shown in part lacks is not known to be absent. */
export function setDifferences(
  { sets: expected, family }: Programmed,
  actual: Actual,
  complete: boolean,
): readonly Draft[] {
  const { sets } = actual;
  // Whether kube-proxy serves a family at all is seen by its having any set of it.
  if (sets === undefined || !isServedBySets(expected, sets.items, family)) return [];
  return expected.flatMap((set): readonly Draft[] => {
    const found = sets.items.find((s) => isSame(set, s, family));
    const base = (key: string) => ({ key: `set ${set.name} ${key}` });
    if (found === undefined) {
      if (sets.extent !== "whole") return [];
      const entries = set.entries.map((e) => e.origin);
      const message = text("difference.set-missing", { set: set.name });
      return [
        { ...base("missing"), code: "SET_MISSING", text: message, expected: [...entries, set.origin], actual: [] },
      ];
    }
    if (kindOf(found) !== kindOf(set)) {
      const said = text("difference.set-type", { set: set.name, kind: kindOf(set), other: kindOf(found) });
      return [{ ...base("type"), code: "SET_TYPE", text: said, expected: [set.origin], actual: [found.origin] }];
    }
    const [left, right] = [keyed(set), keyed(found)];
    const missing = found.extent === "whole" ? [...left].filter(([k]) => !right.has(k)) : [];
    const stray = complete ? [...right].filter(([k]) => !left.has(k)) : [];
    if (missing.length === 1 && stray.length === 1) {
      const [[entry, from], [other, to]] = [missing[0]!, stray[0]!];
      const said = text("difference.set-entry-changed", { set: set.name, entry, other });
      return [{ ...base(entry), code: "SET_ENTRY_CHANGED", text: said, expected: [from.origin], actual: [to.origin] }];
    }
    return [
      ...missing.map(
        ([entry, e]): Draft => ({
          ...base(entry),
          code: "SET_ENTRY_MISSING",
          text: text("difference.set-entry-missing", { set: set.name, entry }),
          expected: [e.origin],
          actual: [found.origin],
        }),
      ),
      ...stray.map(
        ([entry, e]): Draft => ({
          ...base(entry),
          code: "SET_ENTRY_STRAY",
          text: text("difference.set-entry-stray", { set: set.name, entry }),
          expected: [],
          actual: [e.origin],
        }),
      ),
    ];
  });
}

/** Sets of ports have no family of their own: those of addresses tell. */
export const isServedBySets = (expected: readonly IpSet[], actual: readonly IpSet[], family: Family): boolean =>
  expected.some((e) => e.method === "hash" && actual.some((s) => s.family === family && isSame(e, s, family)));

/** Names of IPv6 sets have a prefix on a node; without it they are told by what they hold. */
const isSame = (expected: IpSet, s: IpSet, family: Family): boolean =>
  s.name === expected.name ||
  (family === 6 && (s.family === 6 || s.method === "bitmap") && plainSetName(s.name) === plainSetName(expected.name));

const keyed = (set: IpSet): ReadonlyMap<string, SetEntry> => new Map(set.entries.map((e) => [entryText(e), e]));
