import type { IpSet, Rule, SetEntry, SetPart, Stack } from "../../model/index.ts";
import { type Family, formatAddress, hostPrefix } from "../../net/index.ts";
import type { Element, NotShown } from "../element.ts";
import { type Hint, hintOf } from "../hint.ts";
import { pathsTo } from "./paths.ts";

/** Sets by name; entries by what they hold, in no order. Counters, time left and remarks are no difference. */
export function differingSets(a: Stack, b: Stack, elements: Element[], notShown: NotShown[]): void {
  const [inA, inB] = [byName(a), byName(b)];
  for (const name of new Set([...inA.keys(), ...inB.keys()])) {
    const [x, y] = [inA.get(name), inB.get(name)];
    const where = `set ${name}`;
    // A set of ports may be asked by the rules of both.
    const families = FAMILIES.filter((f) => ((x ?? y)!.family ?? f) === f);
    const paths = families.flatMap((f) => [a, b].flatMap((s) => pathsTo(s, f, (r) => asks(r, name))));
    // A set that no rule asks decides nothing.
    if (paths.length === 0 && !isMember(name, [...inA.values(), ...inB.values()])) continue;
    const known = (x ?? y)!;
    if (x === undefined || y === undefined) {
      const side = x === undefined ? a : b;
      const lacking = x === undefined ? "A" : "B";
      if (side.ipsets.extent !== "whole") notShown.push({ where, side: lacking });
      else elements.push(element("set", where, x, y, undefined, known.entries.slice(0, 4), paths));
      continue;
    }
    if (shapeOf(x) !== shapeOf(y))
      elements.push(element("set", where, x, y, undefined, known.entries.slice(0, 4), paths));
    const [left, right] = [entriesOf(x), entriesOf(y)];
    for (const [key, entry] of left) {
      if (right.has(key)) continue;
      if (y.extent !== "whole") notShown.push({ where, side: "B" });
      else elements.push(element("set entry", where, entry, undefined, "only in A", [entry], paths));
    }
    for (const [key, entry] of right) {
      if (left.has(key)) continue;
      if (x.extent !== "whole") notShown.push({ where, side: "A" });
      else elements.push(element("set entry", where, undefined, entry, "only in B", [entry], paths));
    }
  }
}

const FAMILIES: readonly Family[] = [4, 6];
const byName = (s: Stack): ReadonlyMap<string, IpSet> => new Map(s.ipsets.items.map((set) => [set.name, set]));
const asks = (rule: Rule, name: string): boolean => rule.matches.some((m) => m.kind === "set" && m.name === name);
const isMember = (name: string, sets: readonly IpSet[]): boolean =>
  sets.some((s) => s.entries.some((e) => e.parts.some((p) => p.kind === "set" && p.name === name)));

/** What a set stores and how: options that only size it (hashsize, maxelem) decide nothing. */
const shapeOf = (set: IpSet): string =>
  [
    set.method,
    set.dimensions.join(","),
    set.family,
    ...set.options
      .filter((o) => o.name === "netmask" || o.name === "bitmask" || o.name === "range")
      .map((o) => `${o.name} ${o.value ?? ""}`)
      .sort(),
  ].join(" ");

const partKey = (p: SetPart): string =>
  p.kind === "address"
    ? `${formatAddress(p.from)}/${p.length}`
    : p.kind === "range"
      ? `${formatAddress(p.from)}-${formatAddress(p.to)}`
      : JSON.stringify(p);

const entriesOf = (set: IpSet): ReadonlyMap<string, SetEntry> =>
  new Map(set.entries.map((e) => [`${e.parts.map(partKey).join(",")}${e.nomatch ? " nomatch" : ""}`, e]));

/** Packets that the entry speaks of, on the way to a rule that asks its set. */
function hintsFor(name: string, entries: readonly SetEntry[], paths: readonly (readonly Rule[])[]): readonly Hint[] {
  return paths.slice(0, 4).flatMap((path) => {
    const match = path.at(-1)!.matches.find((m) => m.kind === "set" && m.name === name);
    const directions = match?.kind === "set" ? match.directions : [];
    const { sets, ...rest } = hintOf(path);
    const others = sets?.filter((s) => match?.kind !== "set" || s.name !== match.name) ?? [];
    return entries.map((entry) => ({
      ...rest,
      ...(others.length > 0 && { sets: others }),
      ...hintOfEntry(entry, directions),
    }));
  });
}

export function hintOfEntry(entry: SetEntry, directions: readonly ("src" | "dst")[]): Hint {
  let hint: Hint = {};
  for (const [i, part] of entry.parts.entries()) {
    const towards = directions[i] ?? "dst";
    if (part.kind === "address" || part.kind === "range") {
      const prefix = part.kind === "range" ? hostPrefix(part.from) : { address: part.from, length: part.length };
      hint = towards === "src" ? { ...hint, src: prefix } : { ...hint, dst: prefix };
    } else if (part.kind === "port") {
      if (part.protocol !== undefined) hint = { ...hint, protocol: part.protocol };
      hint = towards === "src" ? { ...hint, sport: part.from } : { ...hint, dport: part.from };
    } else if (part.kind === "icmp") hint = { ...hint, protocol: part.protocol };
    else if (part.kind === "iface" && towards === "src") hint = { ...hint, in: part.name };
    else if (part.kind === "mark") hint = { ...hint, mark: { value: part.value, mask: 0xffffffff } };
  }
  return hint;
}

function element(
  kind: "set" | "set entry",
  where: string,
  a: IpSet | SetEntry | undefined,
  b: IpSet | SetEntry | undefined,
  change: Element["change"] | undefined,
  entries: readonly SetEntry[],
  paths: readonly (readonly Rule[])[],
): Element {
  return {
    kind,
    where,
    change: change ?? (a === undefined ? "only in B" : b === undefined ? "only in A" : "changed"),
    a: a === undefined ? [] : [a.origin],
    b: b === undefined ? [] : [b.origin],
    rules: paths.map((p) => p.at(-1)!),
    hints: hintsFor(where.slice("set ".length), entries, paths),
  };
}
