import { BadBundle } from "@hairpin/case/bundle/bad-bundle.ts";
import { decode } from "@hairpin/case/bundle/decode.ts";
import { encryption, isArchive, type Opening, openArchive, unpackedName } from "@hairpin/case/bundle/open.ts";
import { type ByteSource, inMemory, piecesOf, wholeOf } from "@hairpin/case/bundle/source.ts";
import { withoutTopFolder } from "@hairpin/case/bundle/tar.ts";
import { collected } from "@hairpin/case/bundle/unpack/collected.ts";
import { type Packing, packingOf, UNPACKERS } from "@hairpin/case/bundle/unpack/packing.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { type CaseInput, expanded, layoutOf } from "@hairpin/core/parse/index.ts";
import type { InputFile, Upload } from "../protocol.ts";

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
    if (++this.#entries > MOST.entries) throw new BadBundle(text("error.lists-too-many", { most: MOST.entries }));
  };

  readonly unpack = (_name: string, packing: Packing, packed: ByteSource): ByteSource => {
    const most = MOST.bytes - this.#unpacked;
    const tooMuch = (): BadBundle => new BadBundle(text("error.unpacks-to-more", { most: Math.round(most / MiB) }));
    const plain = collected(UNPACKERS[packing](piecesOf(packed)), most, tooMuch);
    this.#unpacked += plain.length;
    return inMemory(plain);
  };

  readonly file = (_path: string, bytes: number): void => {
    this.#bytes += bytes;
    if (++this.#files > MOST.files) throw new BadBundle(text("error.page-too-many", { most: MOST.files }));
    if (this.#bytes > MOST.bytes) throw new BadBundle(text("error.page-too-large", { most: MOST.bytes / MiB }));
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

/**
 * Files as they were given: bundles unpacked, text decoded, what cannot be read named. A folder or bundle that is the only one is read as the case
 * itself, whatever files were added beside it; of several each keeps its name, which tells them apart.
 */
export async function unpack(supplied: readonly Upload[]): Promise<Unpacked> {
  const room = new Room();
  const notes: string[] = [];
  const opened = supplied.map((given) => openedFrom(given, room, notes));
  const alone = opened.filter((o) => o.container).length < 2;
  const listed = new Map<string, Listed>();
  for (const { name, container, files } of opened) {
    for (const file of files) {
      const path = alone || !container ? file.path : `${name}/${file.path}`;
      if (!listed.has(path)) listed.set(path, { ...file, path });
    }
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
    throw new BadBundle(
      text("error.not-unpacked", {
        name: path,
        why: error instanceof BadBundle ? [...error.lines] : error instanceof Error ? error.message : String(error),
      }),
    );
  }
}

interface Opened {
  readonly name: string;
  /** A folder, a bundle or a case, whose name tells its files from those of another. */
  readonly container: boolean;
  readonly files: readonly Listed[];
}

function openedFrom(given: Upload, room: Room, notes: string[]): Opened {
  const name = given.name.replace(/\.(?:tar|tgz|zip|tar\.(?:gz|xz|zst))$/i, "");
  const [only] = given.files;
  const folder = given.whole || given.files.some((f) => f.path.includes("/"));
  if (!folder && given.files.length === 1 && only !== undefined) {
    const { archive, files } = listedIn(only, room, notes);
    return { name, container: archive, files };
  }
  const strip = given.whole ? (path: string) => path : withoutTopFolder(given.files.map((f) => f.path));
  const files = given.files.flatMap((f) => {
    const { archive, files: inner } = listedIn(f, room, notes);
    const within = strip(f.path);
    return archive
      ? inner.map((one) => ({
          ...one,
          path: `${within.replace(/\.(?:tar|tgz|zip|tar\.(?:gz|xz|zst))$/i, "")}/${one.path}`,
        }))
      : inner.map((one) => ({ ...one, path: strip(one.path) }));
  });
  return { name, container: folder || given.files.length > 1, files };
}

/** A file, or the files of a bundle as they lie in it. */
function listedIn(
  file: InputFile,
  room: Room,
  notes: string[],
): { readonly archive: boolean; readonly files: readonly Listed[] } {
  const { path } = file;
  return orNamed(path, () => {
    const supplied = inMemory(file.bytes);
    const head = supplied.slice(0, HEAD);
    const cipher = encryption(head);
    if (cipher !== undefined) throw new BadBundle(text("error.is-encrypted", { cipher }));
    const packing = packingOf(head);
    const plain = packing === undefined ? supplied : room.unpack(path, packing, supplied);
    const opened = isArchive(plain.slice(0, HEAD)) ? openArchive(path, plain, room) : undefined;
    if (opened === undefined) {
      const one = { path: packing === undefined ? path : unpackedName(path), within: path, open: () => plain };
      return { archive: false, files: [one] };
    }
    const inner = withoutTopFolder(opened.files.map((f) => f.path));
    append(
      notes,
      opened.notes.map((n) => `${path}: ${n}`),
    );
    return {
      archive: true,
      files: opened.files.map((f) => ({ path: inner(f.path), within: `${path}/${f.path}`, open: f.open })),
    };
  });
}
