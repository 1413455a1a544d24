import { assumptionText, type Lang, say, text } from "../messages/index.ts";
import type { Assumption } from "../model/index.ts";
import type { Branch } from "../trace/index.ts";

/** Every assumption any branch relied on, once. */
export const assumptionsOf = (branches: readonly Branch[]): readonly Assumption[] => [
  ...new Map(branches.flatMap((b) => b.assumptions).map((a) => [a.id, a])).values(),
];

const CONF = /^(.+)\/sysctl\/net\.ipv4\.conf\.(.+)\.([a-z_]+)$/;

const isKernelDefault = (a: Assumption): boolean => a.why.kind === "sysctl" && a.why.by === "default";

/**
 * What was taken for granted, for people: settings of one stack that nobody showed and that are taken at the kernel's
 * default fill one line, not one each.
 */
export function assumptionLines(assumptions: readonly Assumption[], lang: Lang = "en"): readonly string[] {
  const lines: string[] = [];
  const defaults = new Map<string, { at: number; values: Map<string, string[]> }>();
  for (const assumption of assumptions) {
    const [, stack, device, name] = (isKernelDefault(assumption) ? CONF.exec(assumption.id) : null) ?? [];
    if (stack === undefined || device === undefined || name === undefined) {
      lines.push(say(assumptionText(assumption.why), lang));
      continue;
    }
    let group = defaults.get(stack);
    if (group === undefined) {
      group = { at: lines.length, values: new Map() };
      defaults.set(stack, group);
      lines.push("");
    }
    const key = `${name} ${assumption.value}`;
    group.values.set(key, [...(group.values.get(key) ?? []), device]);
  }
  for (const [stack, { at, values }] of defaults) {
    const settings = [...values].map(([setting, devices]) =>
      text("assume.default-of", { setting, devices: [...new Set(devices)] }),
    );
    lines[at] = say(text("assume.defaults", { stack, settings }), lang);
  }
  return lines;
}
