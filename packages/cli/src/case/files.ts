import { lstatSync, opendirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import type { Budget } from "./budget.ts";
import { captureFile } from "./capture-file.ts";
import { type Content, headOf, inputOf, opened, partOf, reason, sourceOf } from "./content.ts";
import { decode } from "./decode.ts";
import { isCapture, looksLikeTar, readTar, withoutTopFolder } from "./tar.ts";

/** The files of a case in memory, and what was left out. */
export interface Files {
  readonly inputs: readonly CaseInput[];
  readonly notes: readonly string[];
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
          inputs.push(captureFile(path, shown(path)) ?? plainFile(path, shown(path), budget));
        } catch (error) {
          if (error instanceof Failure) throw error;
          notes.push(`${shown(path)}: not read: ${reason(error)}`);
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
      notes.push(`${shown(folder)}: not read: ${reason(error)}`);
      return [];
    }
  };
  visit(top, 0);
  return { inputs, notes };
}

/** A file of a folder; a packed one is what it holds, but for bundles inside a folder. */
function plainFile(path: string, shown: string, budget: Budget): CaseInput {
  const { packed, content } = opened(path, shown, budget);
  if (packed && looksLikeTar(headOf(content))) return { path: shown, binary: "bundle" };
  budget.file(shown, isCapture(headOf(content)) ? 0 : content.length);
  return inputOf(packed ? shown.replace(/\.gz$/i, "") : shown, content);
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

function readBundle(name: string, archive: Content, budget: Budget): Files {
  const { files, skipped } = readTar(sourceOf(archive), budget);
  const strip = withoutTopFolder(files.map((f) => f.path));
  return {
    inputs: files
      .map((f) => inputOf(strip(f.path), partOf(archive, f.from, f.length)))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    notes: skipped.map((s) => `${name}: ${s}, not followed`),
  };
}

/** One PATH of the command line. Whatever the system refuses becomes a message that names it. */
function readPath(supplied: string, alone: boolean, budget: Budget): Files {
  try {
    return readInput(supplied, alone, budget);
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== "string") throw error;
    throw new Failure(EXIT.noInput, `${supplied === "-" ? "standard input" : supplied}: ${reason(error)}`);
  }
}

/** A folder, a bundle, or a file. */
function readInput(provided: string, alone: boolean, budget: Budget): Files {
  if (provided === "-") {
    const bytes = readFileSync(0);
    budget.file("standard input", bytes.length);
    return { inputs: [decode("stdin", bytes)], notes: [] };
  }
  const path = realpathSync(provided);
  const entry = statSync(path);
  const named = inputName(provided);
  if (entry.isDirectory()) {
    const shown = (p: string) =>
      [...(alone ? [] : [named]), ...relative(path, p).split(sep)].filter((x) => x !== "").join("/");
    return walk(path, shown, budget);
  }
  if (!entry.isFile()) throw new Failure(EXIT.noInput, `${provided} is neither a file nor a folder`);
  const capture = entry.isFile() ? captureFile(path, alone ? basename(path) : named) : undefined;
  if (capture !== undefined) return { inputs: [capture], notes: [] };
  const { packed, content } = opened(path, provided, budget);
  if (/\.(?:tar|tgz|tar\.gz)$/i.test(path) || looksLikeTar(headOf(content))) {
    const bundle = readBundle(basename(provided), content, budget);
    return alone ? bundle : { ...bundle, inputs: bundle.inputs.map((i) => ({ ...i, path: `${named}/${i.path}` })) };
  }
  const shown = alone ? basename(path).replace(packed ? /\.gz$/i : /$^/, "") : named;
  budget.file(shown, isCapture(headOf(content)) ? 0 : content.length);
  return { inputs: [inputOf(shown, content)], notes: [] };
}

/** How a path of several is called in answers: as it was given, without leading dots. */
function inputName(given: string): string {
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
