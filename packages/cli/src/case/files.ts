import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { BadBundle } from "@hairpin/case/bundle/bad-bundle.ts";
import { encryption, openArchive, unpackedName } from "@hairpin/case/bundle/open.ts";
import { type ByteSource, inMemory, wholeOf } from "@hairpin/case/bundle/source.ts";
import { looksLikeTar, withoutTopFolder } from "@hairpin/case/bundle/tar.ts";
import { packingOf } from "@hairpin/case/bundle/unpack/packing.ts";
import { say, text } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { type CaseInput, expanded, layoutOf } from "@hairpin/core/parse/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import type { Budget } from "./budget.ts";
import { captureInput, captureKind, type Opened } from "./capture-file.ts";
import { decode } from "./decode.ts";
import { onDisk } from "./on-disk.ts";
import { reason } from "./reason.ts";
import { isLargeRules, streamedInput } from "./streamed.ts";
import { orFailure, Unpacker } from "./unpacker.ts";

/** The files of a case in memory, and what was left out. */
export interface Files {
  readonly inputs: readonly CaseInput[];
  readonly notes: readonly string[];
}

/** A file that was listed and not read yet. */
interface Listed {
  /** As answers call it. */
  readonly path: string;
  /** With the archive or folder it came in: what kind of bundle it is shows in these. */
  readonly within: string;
  readonly open: () => Opened;
}

interface Listing {
  readonly files: readonly Listed[];
  readonly notes: readonly string[];
}

const SKIPPED_FOLDERS = new Set([".git", "node_modules"]);
const ARCHIVE = /\.(?:tar|tgz|txz|tzst|zip|tar\.(?:gz|xz|zst|zstd)|age|gpg)$/i;
const PACKED = /\.(?:gz|xz|zst|zstd)$/i;
const HEAD = 512;
const unclosed = (bytes: ByteSource): Opened => ({ bytes, close: () => {} });

/** Opens a file of the machine; no link is followed. */
function openFile(path: string): Opened {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stat = fstatSync(fd);
  return { bytes: onDisk(fd, stat.isFile() ? stat.size : 0), close: () => closeSync(fd) };
}

/** What a file holds once it is unpacked. */
function openUnpacked(path: string, shown: string, unpacker: Unpacker): Opened {
  const opened = openFile(path);
  const packing = packingOf(opened.bytes.slice(0, HEAD));
  if (packing === undefined) return opened;
  try {
    return unclosed(unpacker.unpack(shown, packing, opened.bytes, ARCHIVE.test(path), path));
  } finally {
    opened.close();
  }
}

/** Walks a folder in the order of names, so that every machine reads it alike. */
function walk(
  top: string,
  shown: (path: string) => string,
  within: string,
  budget: Budget,
  unpacker: Unpacker,
): Listing {
  const files: Listed[] = [];
  const notes: string[] = [];
  const visit = (folder: string, depth: number): void => {
    if (depth > budget.limits.depth) {
      throw new Failure(EXIT.badData, text("error.too-deep", { folder: shown(folder), depth: budget.limits.depth }));
    }
    for (const name of entriesOf(folder, depth)) {
      const path = join(folder, name);
      const entry = lstatSync(path, { throwIfNoEntry: false });
      if (entry === undefined) continue;
      if (entry.isSymbolicLink()) notes.push(`${shown(path)}: a symbolic link, not followed`);
      else if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(name)) visit(path, depth + 1);
      } else if (!entry.isFile()) notes.push(`${shown(path)}: not a regular file, not read`);
      else {
        try {
          const listing = fileOrArchive(path, shown(path), `${within}/${relative(top, path)}`, unpacker);
          append(files, listing.files);
          append(notes, listing.notes);
        } catch (error) {
          if (error instanceof Failure) throw error;
          notes.push(`${shown(path)}: not read: ${say(reason(error))}`);
        }
      }
    }
  };
  /** A folder that may not be read is left out and said; the one that was asked for is the question itself. */
  const entriesOf = (folder: string, depth: number): readonly string[] => {
    try {
      return namesIn(folder, budget);
    } catch (error) {
      if (depth === 0 || error instanceof Failure) throw error;
      notes.push(`${shown(folder)}: not read: ${say(reason(error))}`);
      return [];
    }
  };
  visit(top, 0);
  return { files, notes };
}

/** A file of a folder, or, where it is an archive, the files in it. */
function fileOrArchive(path: string, shown: string, within: string, unpacker: Unpacker): Listing {
  if (ARCHIVE.test(path)) {
    try {
      const inside = archiveAt(path, shown, shown, within, unpacker, false);
      if (inside !== undefined) return inside;
    } catch (error) {
      if (!(error instanceof BadBundle)) throw error;
      return { files: [], notes: [`${shown}: not opened: ${error.message}`] };
    }
  }
  const packed = PACKED.test(path);
  const open = (): Opened => (packed ? openUnpacked(path, shown, unpacker) : openFile(path));
  return { files: [{ path: packed ? unpackedName(shown) : shown, within, open }], notes: [] };
}

/** The files of an archive that lies on the disk; undefined where it is none. `strip`: a single top folder is taken off. */
function archiveAt(
  path: string,
  name: string,
  shown: string,
  within: string,
  unpacker: Unpacker,
  strip: boolean,
): Listing | undefined {
  const { bytes, close } = openFile(path);
  const head = bytes.slice(0, HEAD);
  const cipher = encryption(head);
  if (cipher !== undefined) {
    close();
    throw new BadBundle(text("error.encrypted", { name, cipher }));
  }
  const packing = packingOf(head);
  const plain = packing === undefined ? bytes : unpacker.unpack(name, packing, bytes, true, path);
  if (packing !== undefined) close();
  const opened = openArchive(name, plain, unpacker);
  if (opened === undefined) {
    if (packing === undefined) close();
    return undefined;
  }
  // The file stays open: what lies in it is read when it is asked for.
  const inner = strip ? withoutTopFolder(opened.files.map((f) => f.path)) : (p: string) => p;
  const under = shown === "" ? "" : `${shown}/`;
  return {
    files: opened.files
      .map(({ path: p, open }) => ({
        path: `${under}${inner(p)}`,
        within: `${within}/${p}`,
        open: () => unclosed(open()),
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    notes: opened.notes.map((n) => `${name}: ${n}`),
  };
}

/** Reads a folder's names one by one, so that a folder of millions meets the bound and not the memory's end. */
function namesIn(folder: string, budget: Budget): readonly string[] {
  const names: string[] = [];
  const dir = opendirSync(folder);
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      budget.entry();
      names.push(entry.name);
    }
  } finally {
    dir.closeSync();
  }
  return names.sort();
}

/** One PATH of the command line. Whatever the system refuses becomes a message that names it. */
function listPath(given: string, alone: boolean, budget: Budget, unpacker: Unpacker): Listing {
  try {
    return orFailure(() => listGiven(given, alone, budget, unpacker));
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== "string") throw error;
    throw new Failure(
      EXIT.noInput,
      text("error.of-path", { path: given === "-" ? text("error.stdin") : given, why: reason(error) }),
    );
  }
}

/** A folder, a bundle, or a file. */
function listGiven(given: string, alone: boolean, budget: Budget, unpacker: Unpacker): Listing {
  if (given === "-") {
    const bytes = inMemory(readFileSync(0));
    return { files: [{ path: "stdin", within: "stdin", open: () => unclosed(bytes) }], notes: [] };
  }
  const path = realpathSync(given);
  const entry = statSync(path);
  const named = givenName(given);
  const own = basename(path);
  if (entry.isDirectory()) {
    const shown = (p: string) =>
      [...(alone ? [] : [named]), ...relative(path, p).split(sep)].filter((x) => x !== "").join("/");
    return walk(path, shown, own, budget, unpacker);
  }
  if (!entry.isFile()) throw new Failure(EXIT.noInput, text("error.no-file", { path: given }));
  const archive = archiveAt(path, basename(given), alone ? "" : named, own, unpacker, true);
  if (archive !== undefined) return archive;
  if (/\.(?:tar|tgz|tar\.(?:gz|xz|zst))$/i.test(path)) throw notAnArchive(path, given, unpacker);
  const packed = PACKED.test(path);
  const shown = alone ? own : named;
  const open = (): Opened => openUnpacked(path, shown, unpacker);
  return { files: [{ path: packed && alone ? unpackedName(shown) : shown, within: own, open }], notes: [] };
}

/** Named as an archive, and none: cut before its first header, or something else. */
function notAnArchive(path: string, given: string, unpacker: Unpacker): Failure {
  const { bytes, close } = openUnpacked(path, given, unpacker);
  const tar = looksLikeTar(bytes.slice(0, HEAD));
  close();
  return new Failure(
    EXIT.badData,
    tar ? text("error.damaged", { path: given }) : text("error.bundle-no-tar", { at: 0 }),
  );
}

/** How a path of several is called in answers: as it was given, without leading dots. */
function givenName(given: string): string {
  const path = isAbsolute(given) ? relative(process.cwd(), given) : given;
  const parts = path.split(sep).filter((p) => p !== "" && p !== "." && p !== "..");
  return parts.length === 0 ? basename(given) : parts.join("/");
}

const KEPT_BINARIES = new Set(["pcap", "pcapng"]);

/** Reads what a case needs of all PATHs into memory. No link inside them is followed, and size and number are bounded. */
export function readFiles(paths: readonly string[], budget: Budget): Files {
  const unpacker = new Unpacker(budget);
  const listings = paths.map((p) => listPath(p, paths.length === 1, budget, unpacker));
  const notes = listings.flatMap((l) => l.notes);
  const listed = new Map<string, Listed>();
  for (const file of listings.flatMap((l) => l.files)) if (!listed.has(file.path)) listed.set(file.path, file);
  const layout = layoutOf([...listed.values()].map((f) => f.within));
  const inputs: CaseInput[] = [];
  let passed = 0;
  for (const file of listed.values()) {
    if (!layout.isRead(file.within)) {
      passed++;
      continue;
    }
    const input = readListed(file, budget, notes);
    if (input === undefined) continue;
    if (input.binary === undefined || KEPT_BINARIES.has(input.binary)) inputs.push(input);
    else notes.push(`${input.path}: ${input.binary === "binary" ? "not text" : `a ${input.binary} file`}, not read`);
  }
  if (passed > 0) notes.push(`${passed} files of support bundles hold nothing that is read`);
  // A streamed file is one dump: nothing else is in it.
  return { inputs: inputs.flatMap((i) => (i.digest === undefined ? expanded([i]) : [i])), notes: summed(notes) };
}

/** What the system refuses of a single file is noted; it does not end the reading of the others. */
function readListed(file: Listed, budget: Budget, notes: string[]): CaseInput | undefined {
  try {
    return orFailure(() => inputOf(file, budget));
  } catch (error) {
    if (error instanceof Failure || typeof (error as NodeJS.ErrnoException).syscall !== "string") throw error;
    notes.push(`${file.path}: not read: ${say(reason(error))}`);
    return undefined;
  }
}

function inputOf({ path, within, open }: Listed, budget: Budget): CaseInput {
  const { bytes, close } = open();
  try {
    if (budget.limits.streamedBytes > 0 && isLargeRules(bytes)) {
      budget.streamed(path, bytes.length);
      return streamedInput(path, within, bytes, open);
    }
    const capture = captureKind(bytes);
    budget.file(path, capture === undefined ? bytes.length : 0);
    if (capture !== undefined) return { path, within, ...captureInput(path, capture, open) };
    const whole = wholeOf(bytes);
    return { ...decode(path, Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength)), within };
  } finally {
    close();
  }
}

/** Links by the thousand are one remark. */
const MANY = 20;
const LINK = ": a symbolic link, not followed";

function summed(notes: readonly string[]): readonly string[] {
  const links = notes.filter((n) => n.endsWith(LINK));
  if (links.length <= MANY) return notes;
  return [...notes.filter((n) => !n.endsWith(LINK)), `${links.length} symbolic links, not followed`];
}
