import { BadBundle } from "@hairpin/case/bundle/bad-bundle.ts";
import { decode } from "@hairpin/case/bundle/decode.ts";
import { encryption, isArchive, type Opening, openArchive, unpackedName } from "@hairpin/case/bundle/open.ts";
import { type ByteSource, inMemory, piecesOf, wholeOf } from "@hairpin/case/bundle/source.ts";
import { withoutTopFolder } from "@hairpin/case/bundle/tar.ts";
import { collected } from "@hairpin/case/bundle/unpack/collected.ts";
import { type Packing, packingOf, UNPACKERS } from "@hairpin/case/bundle/unpack/packing.ts";
import { append } from "@hairpin/core/net/append.ts";
import { type CaseInput, expanded, layoutOf } from "@hairpin/core/parse/index.ts";
import type { InputFile } from "../protocol.ts";

const MiB = 1 << 20;
/** What a tab can hold; the command line takes more. */
const MOST = { files: 20_000, entries: 200_000, bytes: 512 * MiB, pathLength: 1024, nesting: 4 } as const;

export interface Unpacked {
  readonly inputs: readonly CaseInput[];
  readonly notes: readonly string[];
  readonly bytes: number;
}

/** Counts while it is read, so that what unpacks without end stops. */
class Room implements Opening {
  #entries = 0;
  #files = 0;
  #bytes = 0;
  /** What lies unpacked in memory, so that archives in archives stop, too. */
  #unpacked = 0;
  readonly limits = MOST;

  readonly entry = (): void => {
    if (++this.#entries > MOST.entries) throw new BadBundle(`it lists more than ${MOST.entries} files`);
  };

  readonly unpack = (_name: string, packing: Packing, packed: ByteSource): ByteSource => {
    const most = MOST.bytes - this.#unpacked;
    const tooMuch = (): BadBundle => new BadBundle(`it unpacks to more than ${Math.round(most / MiB)} MiB`);
    const plain = collected(UNPACKERS[packing](piecesOf(packed)), most, tooMuch);
    this.#unpacked += plain.length;
    return inMemory(plain);
  };

  readonly file = (_path: string, bytes: number): void => {
    this.#bytes += bytes;
    if (++this.#files > MOST.files) throw new BadBundle(`more than ${MOST.files} files; give those that matter`);
    if (this.#bytes > MOST.bytes)
      throw new BadBundle(`more than ${MOST.bytes / MiB} MiB in all; give the files that matter`);
  };

  get bytes(): number {
    return this.#bytes;
  }
}

const KEPT = new Set(["pcap", "pcapng"]);

/** A file that was dropped or lies in something that was. */
interface Listed {
  readonly path: string;
  readonly within: string;
  readonly open: () => ByteSource;
}

/** Files as they were dropped: bundles unpacked, text decoded, what cannot be read named. */
export async function unpack(supplied: readonly InputFile[]): Promise<Unpacked> {
  const room = new Room();
  const notes: string[] = [];
  const strip = supplied.length > 1 ? withoutTopFolder(supplied.map((f) => f.path)) : (path: string) => path;
  const listed = new Map<string, Listed>();
  for (const file of supplied) {
    for (const one of listedIn(strip(file.path), file, supplied.length === 1, room, notes))
      if (!listed.has(one.path)) listed.set(one.path, one);
  }
  const layout = layoutOf([...listed.values()].map((f) => f.within));
  const inputs: CaseInput[] = [];
  for (const { path, within, open } of listed.values()) {
    if (!layout.isRead(within)) continue;
    const bytes = orNamed(path, () => wholeOf(open()));
    room.file(path, bytes.length);
    const input = { ...decode(path, bytes), within };
    if (input.binary === undefined || KEPT.has(input.binary)) inputs.push(input);
    else notes.push(`${path}: ${input.binary === "binary" ? "not text" : `a ${input.binary} file`}, not read`);
  }
  return { inputs: expanded(inputs.sort((a, b) => (a.path < b.path ? -1 : 1))), notes, bytes: room.bytes };
}

const HEAD = 512;

function orNamed<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new BadBundle(`${path} could not be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function listedIn(path: string, file: InputFile, alone: boolean, room: Room, notes: string[]): readonly Listed[] {
  return orNamed(path, () => {
    const supplied = inMemory(file.bytes);
    const head = supplied.slice(0, HEAD);
    const cipher = encryption(head);
    if (cipher !== undefined) throw new BadBundle(`it is encrypted (${cipher})`);
    const packing = packingOf(head);
    const plain = packing === undefined ? supplied : room.unpack(path, packing, supplied);
    const opened = isArchive(plain.slice(0, HEAD)) ? openArchive(path, plain, room) : undefined;
    if (opened === undefined)
      return [{ path: packing === undefined ? path : unpackedName(path), within: file.path, open: () => plain }];
    const inner = withoutTopFolder(opened.files.map((f) => f.path));
    append(
      notes,
      opened.notes.map((n) => `${path}: ${n}`),
    );
    const under = alone ? "" : `${path.replace(/\.(?:tar|tgz|zip|tar\.(?:gz|xz|zst))$/i, "")}/`;
    return opened.files.map((f) => ({
      path: `${under}${inner(f.path)}`,
      within: `${file.path}/${f.path}`,
      open: f.open,
    }));
  });
}
