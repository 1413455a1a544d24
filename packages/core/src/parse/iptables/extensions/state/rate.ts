/** Rates as iptables(8) writes them: `5/min`; the unit may be cut short (`5/m`) or written out (`5/minute`). */
export interface Rate {
  readonly count: number;
  readonly unit: "sec" | "min" | "hour" | "day";
  readonly seconds: number;
}

const UNITS = [
  ["second", "sec", 1],
  ["minute", "min", 60],
  ["hour", "hour", 3600],
  ["day", "day", 86_400],
] as const;

export function parseRate(text: string): Rate | undefined {
  const slash = text.indexOf("/");
  const digits = slash < 0 ? text : text.slice(0, slash);
  if (!/^\d{1,10}$/.test(digits) || Number(digits) === 0) return undefined;
  const name = slash < 0 ? "second" : text.slice(slash + 1).toLowerCase();
  const unit = name === "" ? undefined : UNITS.find(([long]) => long.startsWith(name));
  return unit && { count: Number(digits), unit: unit[1], seconds: unit[2] };
}

/** As print_rate() in libxt_limit.c: the largest unit in which the number stays exact enough. */
export function formatPeriod(period: number, scale: number): string {
  let i = UNITS.length - 2;
  for (; i >= 0; i--) {
    const multiple = scale * UNITS[i]![2];
    if (period > multiple || Math.floor(multiple / period) < multiple % period) break;
  }
  const [, unit, seconds] = UNITS[i + 1]!;
  return `${Math.floor((scale * seconds) / period)}/${unit}`;
}
