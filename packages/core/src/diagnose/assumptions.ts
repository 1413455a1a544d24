import type { Assumption } from "../model/index.ts";
import type { Branch } from "../trace/index.ts";

/** Every assumption any branch relied on, once. */
export const assumptionsOf = (branches: readonly Branch[]): readonly Assumption[] => [
  ...new Map(branches.flatMap((b) => b.assumptions).map((a) => [a.id, a])).values(),
];

const CONF = /^(.+)\/sysctl\/net\.ipv4\.conf\.(.+)\.([a-z_]+)$/;

/**
 * What was taken for granted, for people: settings of one stack that nobody showed and that are taken at the kernel's
 * default fill one line, not one each.
 */
export function assumptionLines(assumptions: readonly Assumption[]): readonly string[] {
  const lines: string[] = [];
  const defaults = new Map<string, { at: number; values: Map<string, string[]> }>();
  for (const { id, value, text } of assumptions) {
    const match = text.endsWith("(kernel default)") ? CONF.exec(id) : null;
    const [, stack, device, name] = match ?? [];
    if (stack === undefined || device === undefined || name === undefined) {
      lines.push(text);
      continue;
    }
    let group = defaults.get(stack);
    if (group === undefined) {
      group = { at: lines.length, values: new Map() };
      defaults.set(stack, group);
      lines.push("");
    }
    const key = `${name} ${value}`;
    group.values.set(key, [...(group.values.get(key) ?? []), device]);
  }
  for (const [stack, { at, values }] of defaults) {
    const shown = [...values].map(([key, devices]) => `${key} (${[...new Set(devices)].join(", ")})`).join(", ");
    lines[at] = `${stack} has the kernel's defaults where nobody showed others: ${shown}`;
  }
  return lines;
}
