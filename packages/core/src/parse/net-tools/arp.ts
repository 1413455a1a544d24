import type { Neighbour } from "../../model/index.ts";
import { parseIpv4, parseMac } from "../../net/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import {
  Complaints,
  isBlank,
  isPartial,
  type LogicalLine,
  logicalLines,
  originOf,
  wordsIn,
} from "../iproute2/lines.ts";
import { neighboursReading } from "../iproute2/neighbour.ts";
import type { Source } from "../source.ts";

type Row = Omit<Neighbour, "origin">;

/** No state but "complete" and "permanent" is shown: a complete entry may be reachable, stale or in between. */
const row = (
  ip: string,
  mac: string | undefined,
  device: string,
  permanent: boolean,
  proxy: boolean,
): Row | undefined => {
  const address = parseIpv4(ip);
  if (address === undefined) return undefined;
  const hardware = mac === undefined ? undefined : parseMac(mac);
  const states = proxy ? [] : permanent ? ["PERMANENT"] : hardware === undefined ? ["INCOMPLETE"] : [];
  return { address, device, ...(hardware === undefined ? {} : { mac: hardware }), states, router: false, proxy };
};

/** `10.0.0.1  ether  02:00:00:00:00:01  C  eth0`, `10.0.0.2  (incomplete)  eth0`. */
function tableRow(words: readonly string[]): Row | "name" | undefined {
  const device = words[words.length - 1];
  if (device === undefined || words.length < 3) return undefined;
  let result: Row | undefined;
  if (words[1] === "(incomplete)") result = row(words[0]!, undefined, device, false, false);
  else {
    const flags = words[3];
    if (words.length < 5 || flags === undefined || !/^[CMP!*]{1,6}$/.test(flags)) return undefined;
    result = row(words[0]!, words[2], device, flags.includes("M"), flags.includes("P"));
  }
  return result ?? "name";
}

/** `? (10.0.0.1) at 02:00:00:00:00:01 [ether] PERM on eth0`. */
function sentence(words: readonly string[]): Row | undefined {
  const ip = /^\(([0-9.]{7,15})\)$/.exec(words[1] ?? "");
  const on = words.lastIndexOf("on");
  const device = words[on + 1];
  if (ip === null || words[2] !== "at" || on < 0 || device === undefined) return undefined;
  return row(ip[1]!, words[3], device, words.includes("PERM"), words.includes("PUB"));
}

function readLine(line: LogicalLine, complaints: Complaints): Row | undefined {
  const found = wordsIn(line);
  const words = found.map((w) => w.text);
  const result = sentence(words) ?? tableRow(words);
  if (result === "name") {
    const message = `"${words[0]}" is a name: only numeric output (-n) says which address it is`;
    complaints.at(line, found[0]!.column, words[0]!.length, "name", message);
    return undefined;
  }
  if (result === undefined) complaints.notUnderstood(line, "not a line of `arp`");
  return result;
}

/** Reads `arp -n`, `arp -a` and `arp -an`. */
export function readArp(dialect: "arp-n" | "arp-a") {
  return (source: Source, context: DumpContext): Reading => {
    const complaints = new Complaints(source, dialect);
    const neighbours: Neighbour[] = [];
    const words = context.command ?? [];
    // `arp -n 10.0.0.1` and `arp -i eth0` show some entries only.
    let cut = isPartial(context) || words.slice(1).some((w) => !w.startsWith("-") || w.includes("i"));
    // The table has a head: without it, this is an excerpt.
    if (dialect === "arp-n" && !source.lines.some((l) => /^Address\s+HWtype/.test(l.slice(0, 60)))) cut = true;
    for (const line of logicalLines(source)) {
      if (isBlank(line.text) || /^Address\s+HWtype/.test(line.text)) continue;
      if (/^Entries: \d+\s+Skipped: \d+/.test(line.text)) continue;
      if (isEllipsis(line.text)) {
        cut = true;
        continue;
      }
      const found = readLine(line, complaints);
      if (found !== undefined) neighbours.push({ ...found, origin: originOf(source, line) });
    }
    return neighboursReading(neighbours, cut || complaints.lost, false, complaints.list);
  };
}
