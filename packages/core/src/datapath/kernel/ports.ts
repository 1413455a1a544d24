import type { Port, PortSet } from "../../model/index.ts";
import type { PortRange } from "../../net/index.ts";
import type { Kernel } from "./kernel.ts";
import { memo } from "./memo.ts";

/**
 * Ports that are sets are narrowed as rules ask about them: a range that splits the set is a fork by chance, each side
 * with its share. The narrowing is kept per walk under the set's id, so that later rules see it.
 */
export function portInRange(kernel: Kernel, port: Port, range: PortRange): boolean {
  if (typeof port === "number") return port >= range.from && port <= range.to;
  const known = knowledge(kernel, port);
  const inside = known.flatMap((k) => {
    const from = Math.max(k.from, range.from);
    const to = Math.min(k.to, range.to);
    return from <= to ? [{ from, to }] : [];
  });
  const total = size(known);
  const n = size(inside);
  if (n === 0) return false;
  if (n === total) return true;
  const share = n / total;
  const yes =
    kernel.oracle.chance(`port ${port.id} in ${range.from}-${range.to}`, [
      { label: "inside", share },
      { label: "outside", share: 1 - share },
    ]) === 0;
  store(kernel).set(port.id, yes ? inside : without(known, range));
  return yes;
}

/** A drawn port that is known not to be this one. */
export function excludePort(kernel: Kernel, port: PortSet, excluded: number): void {
  store(kernel).set(port.id, without(knowledge(kernel, port), { from: excluded, to: excluded }));
}

/** A hash of ports was drawn because they are sets: those that have it lie scattered, and no range tells them. */
export function scatter(kernel: Kernel, ports: readonly (Port | undefined)[]): void {
  const ids = memo(scattered, kernel.network, () => new Set<string>());
  for (const port of ports) if (port !== undefined && typeof port !== "number") ids.add(port.id);
}

/** Which ports of a set the rules of this walk have left it: with any other, a rule would have answered otherwise. Null: no range tells. */
export const portsLeft = (network: object, port: PortSet): readonly PortRange[] | null =>
  scattered.get(network)?.has(port.id) === true
    ? null
    : (stores.get(network)?.get(port.id) ?? [{ from: port.from, to: port.to }]);

const without = (known: readonly PortRange[], range: PortRange): PortRange[] =>
  known.flatMap((k) => {
    const rest: PortRange[] = [];
    if (k.from < range.from) rest.push({ from: k.from, to: Math.min(k.to, range.from - 1) });
    if (k.to > range.to) rest.push({ from: Math.max(k.from, range.to + 1), to: k.to });
    return rest;
  });

const size = (ranges: readonly PortRange[]): number => ranges.reduce((sum, r) => sum + r.to - r.from + 1, 0);

function knowledge(kernel: Kernel, port: PortSet): readonly PortRange[] {
  return store(kernel).get(port.id) ?? [{ from: port.from, to: port.to }];
}

const scattered = new WeakMap<object, Set<string>>();

/** One store per walk, not per stack: the port keeps its value as the packet crosses stacks. */
const stores = new WeakMap<object, Map<string, PortRange[]>>();
function store(kernel: Kernel): Map<string, PortRange[]> {
  return memo(stores, kernel.network, () => new Map<string, PortRange[]>());
}
