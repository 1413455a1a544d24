import type { ObservedCounter, ObservedSetting } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";

const HEAD =
  /^(?:Features|Settings|Offload parameters|Coalesce parameters|Ring parameters|Channel parameters|Pause parameters) for (\S{1,16}):/;
const PAIR = /^\s*([A-Za-z0-9][\w .()/[\]-]{0,60}): ?(.{0,200})$/;
const MODULE = /^\/sys\/(?:module|bus\/\w+\/drivers)\/(\w{1,40})\s*$|->.*\/drivers\/(\w{1,40})\s*$/;

/** The device that was asked about: the command's last word, or its place in /sys. */
function deviceOfCommand(words: readonly string[] | undefined): string | undefined {
  const sys = words?.map((w) => /^\/sys\/class\/net\/([^/]{1,16})\//.exec(w)?.[1]).find((d) => d !== undefined);
  if (sys !== undefined) return sys;
  const last = words?.[words.length - 1];
  return words !== undefined && words.length > 1 && last !== undefined && !last.startsWith("-") ? last : undefined;
}

/** `ethtool -k` and its like are settings; `ethtool -S` counters; /sys/module tells the driver. */
export function readEthtool(source: Source, context: DumpContext): Reading {
  const place = placeOf(source, context);
  const settings: ObservedSetting[] = [];
  const counters: ObservedCounter[] = [];
  let device = deviceOfCommand(context.command) ?? context.device?.value;
  let statistics = false;
  source.lines.forEach((full, index) => {
    const line = full.slice(0, 400);
    const origin = originAt(source, index);
    const of = device === undefined ? {} : { device };
    const head = HEAD.exec(line);
    if (head !== null) {
      device = head[1]!;
      statistics = false;
      return;
    }
    if (/^NIC statistics:/.test(line)) {
      statistics = true;
      return;
    }
    const module = MODULE.exec(line);
    if (module !== null) {
      settings.push({ place, ...of, name: "driver", value: (module[1] ?? module[2])!, origin });
      return;
    }
    const pair = PAIR.exec(line);
    if (pair === null) return;
    const name = pair[1]!.trim();
    const value = pair[2]!.trim();
    if (statistics && /^\d{1,20}$/.test(value))
      counters.push({ place, name, ...(device === undefined ? {} : { of: device }), value: Number(value), origin });
    else settings.push({ place, ...of, name, value, origin });
  });
  return {
    facts: [
      { kind: "settings", settings },
      { kind: "counters", counters },
    ],
    diagnostics: [],
    counts: { settings: settings.length, ...(counters.length === 0 ? {} : { counters: counters.length }) },
  };
}
