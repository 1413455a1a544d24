import type { ObservedDirection, ObservedFrame, ObservedPacket, ObservedPlace } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";
import { Cursor } from "./cursor.ts";
import { readFrame } from "./frame.ts";
import { packetLines } from "./lines.ts";
import { Sequences } from "./sequence.ts";
import { readTime } from "./time.ts";
import { tsharkLine } from "./tshark.ts";

const COLUMN = /(?:([A-Za-z0-9][\w.@:-]{0,20})\s{1,4})?(In|Out|P|B|M|OutM|\?)\s{1,4}(?:ifindex \d{1,10} )?/y;
const DIRECTIONS: Readonly<Record<string, ObservedDirection>> = lookup({
  In: "in",
  Out: "out",
  P: "other",
  B: "broadcast",
  M: "multicast",
  OutM: "out",
});

const has = (words: readonly string[] | undefined, pattern: RegExp): boolean =>
  words?.some((w) => pattern.test(w)) === true;

/** A capture as tcpdump printed it. */
export function readCapture(source: Source, context: DumpContext): Reading {
  const { packets: texts, device, stray } = packetLines(source);
  const place = placeOf(source, context, device ?? context.captureDevice?.value);
  const deltas = has(context.command, /^-[A-Za-z#]*(?<!t)ttt(?!t)[A-Za-z#]*$|^-[A-Za-z#]*ttttt/);
  const sequences = new Sequences(has(context.command, /^-[A-Za-z#]*S[A-Za-z#]*$|^--absolute-tcp/));
  const packets: ObservedPacket[] = [];
  const diagnostics: Diagnostic[] = [];
  let other = 0;
  for (const { index, text } of texts) {
    const shark = tsharkLine(text);
    if (shark !== undefined) {
      packets.push({ ...shark.frame, place, time: shark.time, origin: originAt(source, index) });
      continue;
    }
    const cursor = new Cursor(text);
    const time = readTime(cursor, deltas);
    cursor.skipSpace();
    const body = cursor.at;
    const packet = packetOf(cursor, sequences, place);
    if (packet?.ip !== undefined || packet?.arp !== undefined) {
      packets.push({ ...packet, ...(time === undefined ? {} : { time }), origin: originAt(source, index) });
      noteNames(packet, source, index, diagnostics);
    } else if (/^(?:\S{1,20}\s+)?(?:(?:In|Out|P|B|M)\s+)?(?:IP6? |ARP, )(?! ?\[)/.test(text.slice(body, body + 60)))
      diagnostics.push(
        diagnose(source, index, body, "capture-cut", "this packet's line could not be read to its addresses", {
          severity: "warning",
          length: Math.max(1, cursor.line(80).length),
        }),
      );
    else other++;
  }
  for (const index of stray.slice(0, 20))
    diagnostics.push(diagnose(source, index, 0, "capture-stray", "no packet of a capture", { severity: "warning" }));
  return {
    facts: [{ kind: "packets", packets, ...(place.device === undefined ? {} : { device: place.device }) }],
    diagnostics,
    counts: { packets: packets.length, ...(other === 0 ? {} : { "frames of other protocols": other }) },
  };
}

function packetOf(
  cursor: Cursor,
  sequences: Sequences,
  place: ObservedPlace,
): Omit<ObservedPacket, "origin"> | undefined {
  const column = cursor.take(COLUMN);
  const direction = DIRECTIONS[column?.[2] ?? ""];
  const frame = readFrame(cursor, sequences);
  if (frame === undefined) return undefined;
  return {
    ...frame,
    place,
    ...(column?.[1] === undefined ? {} : { device: column[1] }),
    ...(direction === undefined ? {} : { direction }),
  };
}

/** A port that is known by name only cannot be joined with one known by number. */
function noteNames(frame: ObservedFrame, source: Source, index: number, diagnostics: Diagnostic[]): void {
  for (const port of [frame.ip?.sport, frame.ip?.dport]) {
    if (typeof port !== "string" || diagnostics.length > 20) continue;
    const at = Math.max(0, (source.lines[index] ?? "").indexOf(port));
    diagnostics.push(
      diagnose(source, index, at, "capture-port-name", `which port ${port} is, is not known`, {
        severity: "note",
        length: port.length,
      }),
    );
  }
}
