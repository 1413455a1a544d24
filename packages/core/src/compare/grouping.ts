import type { Element } from "./element.ts";
import { burden, probeKey } from "./flows/flow.ts";
import { type Lines, linesFor, type OfBoth } from "./lines.ts";
import { originsOfStep, partingKey } from "./parting.ts";
import type { Trial } from "./trier.ts";

/** An element, and packets that meet it and fare otherwise. */
export interface Shown {
  readonly element: Element;
  readonly different: readonly Trial[];
}

export interface Group {
  readonly trials: Set<Trial>;
  readonly elements: Element[];
  readonly alsoMet: Element[];
}

/**
 * One difference for all elements that make walks part at the same place. An element that is met by packets which part elsewhere
 * goes with what parts them: whether it would do something by itself is hidden by that.
 */
export function grouped(
  shown: readonly Shown[],
  lines: OfBoth<Lines>,
  { modes = false }: { readonly modes?: boolean },
): readonly Group[] {
  const groups = new Map<string, Group>();
  const groupOf = (trial: Trial): Group => {
    const key = partingKey(trial.parting());
    const group = groups.get(key) ?? { trials: new Set(), elements: [], alsoMet: [] };
    groups.set(key, group);
    return group;
  };
  const rest: Shown[] = [];
  for (const one of shown) {
    const parting = one.different.filter((t) => one.element.alone !== undefined || partsBy(t, one.element, lines));
    const [easiest] = [...parting].sort(byBurden);
    if (easiest === undefined) {
      rest.push(one);
      continue;
    }
    const group = groupOf(easiest);
    for (const trial of parting) group.trials.add(trial);
    group.elements.push(one.element);
  }
  const known = new Map<string, Group>();
  for (const group of groups.values()) for (const t of group.trials) known.set(probeKey(t.flow), group);
  for (const { element, different } of rest) {
    const found = different.map((t) => known.get(probeKey(t.flow))).find((g) => g !== undefined);
    const group = found ?? groupOf([...different].sort(byBurden)[0]!);
    if (found === undefined) for (const trial of different) group.trials.add(trial);
    group.alsoMet.push(element);
  }
  return modes ? [...groups.values()].flatMap(byOutcome) : [...groups.values()];
}

/**
 * Packets that part at one place and fare differently are different differences: a node port that localhost loses is not one that is refused
 * where it was silent. What worked and no longer does comes first.
 */
function byOutcome(group: Group): readonly Group[] {
  const parts = new Map<string, Group>();
  for (const trial of group.trials) {
    const own = trial.flow.to === "loopback" ? LOCALHOST : "";
    const key = `${seenOn(trial, "a")} > ${own}${seenOn(trial, "b")}`;
    const part = parts.get(key) ?? { ...group, trials: new Set() };
    parts.set(key, part);
    part.trials.add(trial);
  }
  const worth = (key: string): number => (key.startsWith(WORKS) ? 0 : key.endsWith(WORKS) ? 1 : 2);
  return [...parts].sort(([x], [y]) => worth(x) - worth(y)).map(([, part]) => part);
}

const WORKS = "connected";
/** What a node asks of itself is worth a word of its own. */
const LOCALHOST = "localhost ";

const seenOn = ({ ends }: Trial, side: "a" | "b"): string =>
  [...new Set((ends?.[side] ?? []).map((e) => e.clientSees ?? "undetermined"))].sort().join(" or ");

/** Whether the walks part at a line of this element, or one of them ends there. */
function partsBy({ parting, ends }: Trial, element: Element, lines: OfBoth<Lines>): boolean {
  const sought = linesFor(element, lines);
  const parts = parting();
  return (["a", "b"] as const).some((side) => {
    const origins = [...parts[side].flatMap(originsOfStep), ...ends![side].flatMap((e) => e.origins)];
    const there = new Set(lines[side].ofAll(origins));
    return sought[side].some((l) => there.has(l));
  });
}

export const byBurden = (x: Trial, y: Trial): number => burden(x.flow) - burden(y.flow);
