import { type CaseFile, parseFactId, type Stack, type SysctlEntry } from "../model/index.ts";

/**
 * `assume` of case.yaml over switches that a dump shows: another value takes its place, `?` opens it again. What no dump shows is
 * settled where the walk asks for it.
 */
export function withSettledSysctls(stack: Stack, caseFile: CaseFile | undefined): Stack {
  const stated = (caseFile?.assume ?? []).flatMap((a) => {
    const fact = parseFactId(a.fact);
    return fact.kind === "sysctl" && fact.stack === stack.name ? [{ ...a, named: fact.key }] : [];
  });
  if (stated.length === 0) return stack;
  // The ids of facts write the dots of a device's name as dots.
  const shown = new Map([...stack.sysctls.keys()].map((key) => [key.replaceAll("/", "."), key]));
  const sysctls = new Map<string, SysctlEntry>(stack.sysctls);
  for (const { named, value, origin } of stated) {
    const key = shown.get(named);
    const entry = key === undefined ? undefined : sysctls.get(key);
    if (key === undefined || entry === undefined || entry.value === value) continue;
    if (value === "?") sysctls.delete(key);
    else sysctls.set(key, { key, value, origin });
  }
  return { ...stack, sysctls };
}
