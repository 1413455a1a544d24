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
import { gunzipSync } from "node:zlib";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import type { Budget } from "./budget.ts";
import { captureFile } from "./capture-file.ts";
import { decode } from "./decode.ts";
import { inMiB } from "./limits.ts";
import { looksLikeTar, readTar } from "./tar.ts";

/** The files of a case in memory, and what was left out. */
export interface Files {
  readonly inputs: readonly CaseInput[];
  readonly notes: readonly string[];
}

const reason = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "there is no such file or folder";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  return error instanceof Error ? error.message : String(error);
};

/** Opens without following a link and reads no more than was announced. */
function readRegular(path: string, shown: string, budget: Budget): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    budget.file(shown, size);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

const SKIPPED_FOLDERS = new Set([".git", "node_modules"]);

/** Walks a folder in the order of names, so that every machine reads it alike. */
function walk(top: string, shown: (path: string) => string, budget: Budget): Files {
  const inputs: CaseInput[] = [];
  const notes: string[] = [];
  const visit = (folder: string, depth: number): void => {
    if (depth > budget.limits.depth) {
      throw new Failure(EXIT.badData, `${shown(folder)} lies more than ${budget.limits.depth} folders deep`);
    }
    for (const name of namesIn(folder, budget)) {
      const path = join(folder, name);
      const entry = lstatSync(path);
      if (entry.isSymbolicLink()) notes.push(`${shown(path)}: a symbolic link, not followed`);
      else if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(name)) visit(path, depth + 1);
      } else if (!entry.isFile()) notes.push(`${shown(path)}: not a regular file, not read`);
      else {
        try {
          const capture = captureFile(path, shown(path));
          if (capture !== undefined) budget.file(shown(path), 0);
          inputs.push(capture ?? decode(shown(path), readRegular(path, shown(path), budget)));
        } catch (error) {
          if (error instanceof Failure) throw error;
          notes.push(`${shown(path)}: not read: ${reason(error)}`);
        }
      }
    }
  };
  visit(top, 0);
  return { inputs, notes };
}

/** Reads a folder's names one by one, so that a folder of millions meets the bound and not the memory's end. */
function namesIn(folder: string, budget: Budget): readonly string[] {
  const names: string[] = [];
  const dir = opendirSync(folder);
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      names.push(entry.name);
      if (names.length > budget.limits.files) {
        throw new Failure(
          EXIT.badData,
          `${basename(folder)} has more than ${budget.limits.files} entries; give the files that matter`,
        );
      }
    }
  } finally {
    dir.closeSync();
  }
  return names.sort();
}

function unpack(name: string, packed: Buffer, budget: Budget): Buffer {
  if (packed[0] !== 0x1f || packed[1] !== 0x8b) return packed;
  try {
    return gunzipSync(packed, { maxOutputLength: Math.max(1, budget.remaining) });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const why = tooLarge ? `it unpacks to more than ${inMiB(budget.limits.totalBytes)}` : reason(error);
    throw new Failure(EXIT.badData, `${name} could not be unpacked: ${why}`);
  }
}

/** A bundle made of one folder is that folder. */
function withoutTopFolder(paths: readonly string[]): (path: string) => string {
  const tops = new Set(paths.map((p) => p.split("/", 1)[0]));
  const [top] = tops;
  const single = tops.size === 1 && top !== undefined && top !== "nodes" && paths.every((p) => p.includes("/"));
  return single ? (path) => path.slice(top.length + 1) : (path) => path;
}

function readBundle(name: string, archive: Buffer, budget: Budget): Files {
  const { files, skipped } = readTar(archive, budget);
  const strip = withoutTopFolder(files.map((f) => f.path));
  return {
    inputs: files.map((f) => decode(strip(f.path), f.bytes)).sort((a, b) => (a.path < b.path ? -1 : 1)),
    notes: skipped.map((s) => `${name}: ${s}, not followed`),
  };
}

/** One PATH of the command line: a folder, a bundle, or a file. */
function readPath(given: string, alone: boolean, budget: Budget): Files {
  if (given === "-") {
    const bytes = readFileSync(0);
    budget.file("standard input", bytes.length);
    return { inputs: [decode("stdin", bytes)], notes: [] };
  }
  let path: string;
  try {
    path = realpathSync(given);
  } catch (error) {
    throw new Failure(EXIT.noInput, `${given}: ${reason(error)}`);
  }
  const entry = statSync(path);
  const named = givenName(given);
  if (entry.isDirectory()) {
    const shown = (p: string) =>
      [...(alone ? [] : [named]), ...relative(path, p).split(sep)].filter((x) => x !== "").join("/");
    return walk(path, shown, budget);
  }
  if (!entry.isFile()) throw new Failure(EXIT.noInput, `${given} is neither a file nor a folder`);
  const capture = entry.isFile() ? captureFile(path, alone ? basename(path) : named) : undefined;
  if (capture !== undefined) return { inputs: [capture], notes: [] };
  if (entry.size > budget.limits.bundleBytes) {
    throw new Failure(EXIT.badData, `${given} is larger than ${inMiB(budget.limits.bundleBytes)}`);
  }
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Failure(EXIT.noInput, `${given}: ${reason(error)}`);
  }
  const unpacked = unpack(given, bytes, budget);
  if (/\.(?:tar|tgz|tar\.gz)$/i.test(path) || looksLikeTar(unpacked)) {
    const bundle = readBundle(basename(given), unpacked, budget);
    return alone ? bundle : { ...bundle, inputs: bundle.inputs.map((i) => ({ ...i, path: `${named}/${i.path}` })) };
  }
  const shown = alone ? basename(path).replace(unpacked === bytes ? /$^/ : /\.gz$/i, "") : named;
  budget.file(shown, unpacked.length);
  return { inputs: [decode(shown, unpacked)], notes: [] };
}

/** How a path of several is called in answers: as it was given, without leading dots. */
function givenName(given: string): string {
  const path = isAbsolute(given) ? relative(process.cwd(), given) : given;
  const parts = path.split(sep).filter((p) => p !== "" && p !== "." && p !== "..");
  return parts.length === 0 ? basename(given) : parts.join("/");
}

const KEPT_BINARIES = new Set(["pcap", "pcapng"]);

/** Reads all PATHs into memory. No link inside them is followed, and size and number are bounded. */
export function readFiles(paths: readonly string[], budget: Budget): Files {
  const parts = paths.map((p) => readPath(p, paths.length === 1, budget));
  const inputs = new Map<string, CaseInput>();
  for (const input of parts.flatMap((p) => p.inputs)) if (!inputs.has(input.path)) inputs.set(input.path, input);
  const notes = parts.flatMap((p) => p.notes);
  const kept: CaseInput[] = [];
  for (const input of inputs.values()) {
    if (input.binary === undefined || KEPT_BINARIES.has(input.binary)) kept.push(input);
    else notes.push(`${input.path}: ${input.binary === "binary" ? "not text" : `a ${input.binary} file`}, not read`);
  }
  return { inputs: kept, notes };
}
