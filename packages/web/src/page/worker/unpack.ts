import { decode } from "@hairpin/case/bundle/decode.ts";
import { BadBundle, inMemory, looksLikeTar, readTar, withoutTopFolder } from "@hairpin/case/bundle/tar.ts";
import { append } from "@hairpin/core/net/append.ts";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import type { InputFile } from "../protocol.ts";

const MiB = 1 << 20;
/** What a tab can hold; the command line takes more. */
const MOST = { files: 20_000, bytes: 512 * MiB, pathLength: 1024 } as const;

export interface Unpacked {
  readonly inputs: readonly CaseInput[];
  readonly notes: readonly string[];
  readonly bytes: number;
}

/** Counts while it is read, so that what unpacks without end stops. */
class Room {
  #files = 0;
  #bytes = 0;
  readonly limits = { pathLength: MOST.pathLength };

  readonly file = (_path: string, bytes: number): void => {
    this.#bytes += bytes;
    if (++this.#files > MOST.files) throw new BadBundle(`more than ${MOST.files} files; give those that matter`);
    if (this.#bytes > MOST.bytes)
      throw new BadBundle(`more than ${MOST.bytes / MiB} MiB in all; give the files that matter`);
  };

  get left(): number {
    return MOST.bytes - this.#bytes;
  }
  get bytes(): number {
    return this.#bytes;
  }
}

async function gunzip(packed: Uint8Array, most: number): Promise<Uint8Array> {
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) throw new BadBundle(`it unpacks to more than ${Math.round(most / MiB)} MiB`);
    pieces.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const KEPT = new Set(["pcap", "pcapng"]);

/** Files as they were dropped: bundles unpacked, text decoded, what cannot be read named. */
export async function unpack(supplied: readonly InputFile[]): Promise<Unpacked> {
  const room = new Room();
  const inputs = new Map<string, CaseInput>();
  const notes: string[] = [];
  const strip = supplied.length > 1 ? withoutTopFolder(supplied.map((f) => f.path)) : (path: string) => path;
  for (const file of supplied) {
    const path = strip(file.path);
    for (const input of await filesIn(path, file.bytes, supplied.length === 1, room, notes)) {
      if (input.binary === undefined || KEPT.has(input.binary)) {
        if (!inputs.has(input.path)) inputs.set(input.path, input);
      } else
        notes.push(`${input.path}: ${input.binary === "binary" ? "not text" : `a ${input.binary} file`}, not read`);
    }
  }
  return { inputs: [...inputs.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), notes, bytes: room.bytes };
}

async function filesIn(
  path: string,
  bytes: Uint8Array,
  alone: boolean,
  room: Room,
  notes: string[],
): Promise<CaseInput[]> {
  try {
    const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const content = packed ? await gunzip(bytes, room.left) : bytes;
    if (looksLikeTar(content)) {
      const { files, skipped } = readTar(inMemory(content), room);
      const strip = withoutTopFolder(files.map((f) => f.path));
      append(
        notes,
        skipped.map((s) => `${path}: ${s}, not followed`),
      );
      const under = alone ? "" : `${path.replace(/\.(?:tar|tgz|tar\.gz)$/i, "")}/`;
      return files.map((f) => decode(`${under}${strip(f.path)}`, content.subarray(f.from, f.from + f.length)));
    }
    room.file(path, content.length);
    return [decode(packed ? path.replace(/\.gz$/i, "") : path, content)];
  } catch (error) {
    throw new BadBundle(`${path} could not be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  }
}
