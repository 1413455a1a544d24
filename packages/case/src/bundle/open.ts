import { text } from "@hairpin/core/messages/index.ts";
import { BadBundle } from "./bad-bundle.ts";
import { type ByteSource, part } from "./source.ts";
import { type Bounds, looksLikeTar, readTar } from "./tar.ts";
import { type Packing, packingOf } from "./unpack/packing.ts";
import { looksLikeZip, readZip } from "./zip.ts";

/** What opening a bundle may cost, and where what is unpacked goes. */
export interface Opening extends Bounds {
  readonly limits: { readonly pathLength: number; readonly nesting: number };
  /** `kept`: an archive whose files are read later, rather than one file that is read at once. */
  readonly unpack: (name: string, packing: Packing, packed: ByteSource, kept: boolean) => ByteSource;
}

/** A file of a bundle; nothing of it is unpacked before it is opened. */
export interface BundleFile {
  /** Inside the bundle; an archive in it counts as a folder. */
  readonly path: string;
  readonly length: number;
  readonly open: () => ByteSource;
}

export interface OpenedBundle {
  readonly files: readonly BundleFile[];
  /** What was not taken, and why. */
  readonly notes: readonly string[];
}

const ARCHIVE = /\.(?:tar|tgz|txz|tzst|zip|tar\.(?:gz|xz|zst|zstd))$/i;
const PACKED = /\.(?:gz|xz|zst|zstd)$/i;

const HEAD = 512;

export const isArchive = (head: Uint8Array): boolean => looksLikeTar(head) || looksLikeZip(head);

/** What a file is called when it is unpacked. */
export const unpackedName = (name: string): string => name.replace(PACKED, "");

/** Encrypted bundles say so in their first bytes; PGP's do not say much else. */
export function encryption(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, 40));
  if (text.startsWith("age-encryption.org/")) return "age";
  return text.startsWith("-----BEGIN PGP MESSAGE") ? "PGP" : undefined;
}

/** The files of an archive, those of archives inside it included; undefined where the bytes are none. */
export function openArchive(name: string, source: ByteSource, opening: Opening, depth = 0): OpenedBundle | undefined {
  const head = source.slice(0, HEAD);
  if (looksLikeTar(head)) {
    const { files, skipped } = readTar(source, opening);
    const inner = files.map(({ path, from, length }): BundleFile => {
      const bytes = part(source, from, length);
      return { path, length, open: () => bytes };
    });
    return withArchivesInside(name, inner, skipped, opening, depth);
  }
  if (looksLikeZip(head)) {
    const { files, skipped } = readZip(source, opening);
    const inner = files.map(({ path, from, packed, length, method }): BundleFile => {
      const bytes = part(source, from, packed);
      const kept = ARCHIVE.test(path);
      return { path, length, open: () => (method === "stored" ? bytes : opening.unpack(path, "deflate", bytes, kept)) };
    });
    return withArchivesInside(name, inner, skipped, opening, depth);
  }
  return undefined;
}

function withArchivesInside(
  name: string,
  files: readonly BundleFile[],
  skipped: readonly string[],
  opening: Opening,
  depth: number,
): OpenedBundle {
  const notes = skipped.map((s) => `${s}, not followed`);
  const all: BundleFile[] = [];
  for (const file of files) {
    const inside = ARCHIVE.test(file.path) ? archiveInside(file, opening, depth, notes) : undefined;
    if (inside === undefined) all.push(unpackedFile(file, opening));
    else {
      for (const inner of inside.files) all.push({ ...inner, path: `${file.path}/${inner.path}` });
      for (const note of inside.notes) notes.push(`${file.path}/${note}`);
    }
  }
  if (all.length === 0 && notes.length === 0) throw new BadBundle(text("error.bundle-empty", { name }));
  return { files: all, notes };
}

/** An archive in an archive that is damaged is left out and said; the others are read. */
function archiveInside(file: BundleFile, opening: Opening, depth: number, notes: string[]): OpenedBundle | undefined {
  if (depth >= opening.limits.nesting) {
    notes.push(`${file.path}: archives lie in each other more than ${opening.limits.nesting} deep, not opened`);
    return { files: [], notes: [] };
  }
  try {
    const bytes = file.open();
    const packing = packingOf(bytes.slice(0, HEAD));
    const plain = packing === undefined ? bytes : opening.unpack(file.path, packing, bytes, true);
    return openArchive(file.path, plain, opening, depth + 1);
  } catch (error) {
    if (!(error instanceof BadBundle)) throw error;
    notes.push(`${file.path}: not opened: ${error.message}`);
    return { files: [], notes: [] };
  }
}

/** A single packed file, `messages.gz`, is what it holds. */
function unpackedFile(file: BundleFile, opening: Opening): BundleFile {
  if (!PACKED.test(file.path)) return file;
  return {
    ...file,
    path: unpackedName(file.path),
    open: () => {
      const bytes = file.open();
      const packing = packingOf(bytes.slice(0, HEAD));
      return packing === undefined ? bytes : opening.unpack(file.path, packing, bytes, false);
    },
  };
}
