import type { Origin, Sighting } from "../model/index.ts";
import { formatAddress, isAddress } from "../net/index.ts";
import type { Dump } from "../parse/index.ts";
import { dumpedIn } from "./dumped.ts";

/** Devices that logs, traces and captures name, and whose packets were seen to come in by them; each once. */
export function sightingsIn(dumps: readonly Dump[]): readonly Sighting[] {
  const found = new Map<string, Sighting>();
  const add = (device: string | undefined, source: unknown, origin: Origin): void => {
    if (device === undefined || device === "" || device === "any") return;
    const from = isAddress(source) ? { source } : {};
    const key = `${device} ${from.source === undefined ? "" : formatAddress(from.source)}`;
    if (!found.has(key)) found.set(key, { device, ...from, origin });
  };
  for (const { fact } of dumpedIn(dumps, "kernel-log")) {
    for (const line of fact.lines) {
      add(line.in, line.ip?.src, line.origin);
      add(line.physIn, undefined, line.origin);
      add(line.out, undefined, line.origin);
      add(line.physOut, undefined, line.origin);
    }
    for (const m of fact.martians) add(m.device, undefined, m.origin);
  }
  for (const { fact } of dumpedIn(dumps, "packets")) {
    for (const p of fact.packets) {
      const into = p.direction === undefined || p.direction === "in";
      add(p.device ?? p.place.device, into ? p.ip?.src : undefined, p.origin);
    }
  }
  return [...found.values()];
}
