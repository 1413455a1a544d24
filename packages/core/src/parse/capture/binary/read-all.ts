import type { ObservedPlace } from "../../../model/index.ts";
import type { Reading } from "../../dialect.ts";
import type { QuestionEnds } from "../question/ends.ts";
import { ConnectionFilter } from "../question/filter.ts";
import { CaptureReader } from "./read.ts";
import { CaptureStream } from "./stream.ts";

/** A capture file, which can be read from its beginning as often as needed. */
export interface CaptureFile {
  readonly path: string;
  readonly place: ObservedPlace;
  readonly pieces: () => Iterable<Uint8Array>;
}

/** A capture of no more packets is kept whole: what is beside the asked connection tells of devices, MACs and VLANs. */
const SMALL = 20_000;

/**
 * Reads the capture files of a case. Where it is known what is asked, large ones are read more than once: to learn what
 * translation leaves alone of the asked connection (in any of the captures, `shown` those in text), then to keep what belongs to it.
 */
export function readCaptures(
  files: readonly CaptureFile[],
  requested: () => QuestionEnds | undefined,
  shown: readonly Reading[],
): readonly Reading[] {
  const whole = files.map((file) => readWhole(file, SMALL));
  if (whole.every((r) => r !== undefined)) return whole as readonly Reading[];
  const ends = requested();
  if (ends === undefined) return files.map((file, i) => whole[i] ?? readWhole(file)!);
  const filter = new ConnectionFilter(ends);
  for (const reading of [...shown, ...whole])
    for (const fact of reading?.facts ?? [])
      if (fact.kind === "packets") for (const { ip } of fact.packets) if (ip !== undefined) filter.learn(ip);
  files.forEach((file, i) => {
    if (whole[i] === undefined) learn(file, filter);
  });
  return files.map((file, i) => {
    if (whole[i] !== undefined) return whole[i];
    filter.recognisedLate = false;
    const reading = readFiltered(file, filter);
    return filter.recognisedLate ? readFiltered(file, filter) : reading;
  });
}

/** Undefined where it has more packets than allowed. */
function readWhole({ path, place, pieces }: CaptureFile, most = Number.POSITIVE_INFINITY): Reading | undefined {
  const reader = new CaptureReader(path, place);
  for (const piece of pieces()) {
    reader.push(piece);
    if (reader.seen > most) return undefined;
    if (reader.ended) break;
  }
  return reader.finish();
}

function learn({ pieces }: CaptureFile, filter: ConnectionFilter): void {
  const stream = new CaptureStream(filter.mayTeach);
  for (const piece of pieces()) {
    stream.push(piece, ({ frame }) => {
      if (frame?.ip !== undefined) filter.learn(frame.ip);
    });
    if (stream.problem !== undefined) break;
  }
}

function readFiltered({ path, place, pieces }: CaptureFile, filter: ConnectionFilter): Reading {
  const reader = new CaptureReader(path, place, filter);
  for (const piece of pieces()) {
    reader.push(piece);
    if (reader.ended) break;
  }
  return reader.finish();
}
