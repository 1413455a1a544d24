import type { ObservedCounter } from "../../model/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";

const NSTAT = /^([A-Z][A-Za-z0-9_]{2,60})\s+(\d{1,20})(?:\s+\d+(?:\.\d+)?)?\s*$/;
const PROC = /^([A-Z]\w{1,12}): (.{1,4000})$/;
const SECTION = /^([A-Z]\w{1,12}):\s*$/;
const NAMED = /^\s+([A-Z]\w{2,60}): (\d{1,20})\s*$/;
const WORDS = /^\s+(\d{1,20}) ([a-z(][\w ,'/()-]{2,100})$/;
const WORDS_FIRST = /^\s+([A-Za-z][\w ,'/()-]{2,100}): (\d{1,20})\s*$/;

interface Titles {
  readonly section: string;
  readonly names: readonly string[];
}

/** `nstat`, /proc/net/snmp and /proc/net/netstat, `netstat -s`. */
export function readCounters(source: Source, context: DumpContext): Reading {
  const place = placeOf(source, context);
  const counters: ObservedCounter[] = [];
  const diagnostics: Diagnostic[] = [];
  let section = "";
  let titles: Titles | undefined;
  for (const [index, full] of source.lines.entries()) {
    const line = full.slice(0, 5000);
    const origin = originAt(source, index);
    const add = (name: string, value: string): void => {
      counters.push({ place, name, value: Number(value), origin });
    };
    const nstat = NSTAT.exec(line);
    if (nstat !== null) {
      add(nstat[1]!, nstat[2]!);
      continue;
    }
    const head = SECTION.exec(line);
    if (head !== null) {
      section = head[1]!;
      continue;
    }
    const proc = PROC.exec(line);
    if (proc !== null) {
      const values = proc[2]!.trim().split(/\s+/);
      const above: Titles | undefined = titles;
      if (
        above !== undefined &&
        above.section === proc[1] &&
        values.length === above.names.length &&
        /^-?\d/.test(values[0]!)
      ) {
        for (const [i, name] of above.names.entries()) add(`${proc[1]}${name}`, values[i]!);
        titles = undefined;
      } else titles = { section: proc[1]!, names: values };
      continue;
    }
    const named = NAMED.exec(line) ?? WORDS_FIRST.exec(line);
    if (named !== null) {
      add(`${section}${/^[A-Z]/.test(named[1]!) ? "" : " "}${named[1]!}`, named[2]!);
      continue;
    }
    const words = WORDS.exec(line);
    if (words !== null) {
      add(`${section} ${words[2]!.trim()}`, words[1]!);
      continue;
    }
    // netstat -s also prints sentences: `Forwarding: is 1`, `ICMP input histogram:`.
    if (line.trim() !== "" && !line.startsWith("#") && !/^\s/.test(line))
      diagnostics.push(diagnose(source, index, 0, "counters-unread", "no counter", { severity: "warning" }));
  }
  return { facts: [{ kind: "counters", counters }], diagnostics, counts: { counters: counters.length } };
}
