/** Files below /proc/net whose numbers say why packets ended. */
export const COUNTER_FILES: readonly string[] = ["snmp", "netstat", "stat/rt_cache", "stat/nf_conntrack"];
export const COUNTER_FILES_6: readonly string[] = [...COUNTER_FILES, "snmp6"];

export type Counters = ReadonlyMap<string, number>;

/** By the names nstat prints; per-CPU statistics are summed and named `rt_cache.in_martian_src`, `nf_conntrack.drop`. */
export function countersOf(files: Readonly<Record<string, string>>): Counters {
  const found = new Map<string, number>();
  for (const [name, text] of Object.entries(files)) {
    const lines = text.split("\n").filter((line) => line !== "");
    if (name.startsWith("stat/")) perProcessor(name.slice(5), lines, found);
    else if (name === "snmp6") for (const line of lines) pair(line, found);
    else for (let i = 0; i + 1 < lines.length; i += 2) headed(lines[i]!, lines[i + 1]!, found);
  }
  return found;
}

function headed(names: string, values: string, into: Map<string, number>): void {
  const [label, ...keys] = names.split(" ");
  const numbers = values.split(" ").slice(1);
  for (const [i, key] of keys.entries()) into.set(`${label!.replace(":", "")}${key}`, Number(numbers[i]));
}

function pair(line: string, into: Map<string, number>): void {
  const [key, value] = line.split(/\s+/);
  if (key !== undefined) into.set(key, Number(value));
}

function perProcessor(name: string, lines: readonly string[], into: Map<string, number>): void {
  const keys = (lines[0] ?? "").trim().split(/\s+/);
  for (const [column, key] of keys.entries()) {
    // `entries` is one number for all processors, printed in every row.
    if (key === "entries") continue;
    let sum = 0;
    for (const line of lines.slice(1)) sum += Number.parseInt(line.trim().split(/\s+/)[column] ?? "0", 16);
    into.set(`${name}.${key}`, sum);
  }
}

/** What moved between two readings. Timers and gauges that move by themselves are left out. */
export function changes(before: Counters, after: Counters): Counters {
  const moved = new Map<string, number>();
  for (const [key, value] of after) {
    const delta = value - (before.get(key) ?? 0);
    if (delta !== 0 && !/Rto|CurrEstab|searched/.test(key)) moved.set(key, delta);
  }
  return moved;
}
