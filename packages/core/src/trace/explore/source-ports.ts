import type { PortRange } from "../../net/index.ts";

type Ports = readonly PortRange[] | null;

/** In order, without gaps between neighbours. */
function tidy(ranges: readonly PortRange[]): readonly PortRange[] {
  const all: PortRange[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = all[all.length - 1];
    if (last !== undefined && from <= last.to + 1) all[all.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else all.push({ from, to });
  }
  return all;
}

/** Of ways that differ by chance and end alike: with each of these ports one of them is open. */
export const anyOf = (ports: readonly Ports[]): Ports =>
  ports.some((p) => p === null) ? null : tidy(ports.flatMap((p) => p ?? []));

/** Of ways that differ by what is not known and end alike: the ports with which they do so either way. */
export const allOf = (ports: readonly Ports[]): Ports =>
  ports.reduce((left, next) => {
    if (left === null || next === null) return null;
    return tidy(
      left.flatMap((a) =>
        next.flatMap((b) => {
          const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
          return from <= to ? [{ from, to }] : [];
        }),
      ),
    );
  });
