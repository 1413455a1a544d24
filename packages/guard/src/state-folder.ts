import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { text } from "@hairpin/core/messages/index.ts";
import { Trouble } from "./item.ts";

const ROOT = 0;
/** More is no journal of ours. */
const LARGEST = 64 * 1024 * 1024;
/** As many links as the kernel follows in one path (MAXSYMLINKS). */
const MOST_LINKS = 40;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
const mode = (stats: Stats): string => (stats.mode & 0o7777).toString(8).padStart(4, "0");

function belongsToRoot(path: string, stats: Stats): void {
  if (stats.uid !== ROOT) throw new Trouble(text("guard.foreign-owner", { path, user: stats.uid }));
}

function nobodyElseWrites(path: string, stats: Stats): void {
  if ((stats.mode & 0o022) !== 0) throw new Trouble(text("guard.foreign-mode", { path, mode: mode(stats) }));
}

/**
 * The folder as no one but root can have made it: every folder on the way belongs to root, and nobody else may rename what is in
 * it (a sticky one as /tmp keeps others' hands off what is root's). Links on the way are taken only if they are root's own, and
 * what they point to is looked at likewise. Undefined where it is not there.
 */
function safeFolder(folder: string): string | undefined {
  const left = resolve(folder).split("/").filter(Boolean);
  let at = "/";
  let links = 0;
  while (left.length > 0) {
    const path = join(at, left.shift()!);
    let stats: Stats;
    try {
      stats = lstatSync(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw new Trouble(text("guard.cannot-be-seen", { path, errno: codeOf(error) }));
    }
    belongsToRoot(path, stats);
    if (stats.isSymbolicLink()) {
      if (left.length === 0) throw new Trouble(text("guard.folder-link", { path }));
      if (++links > MOST_LINKS) throw new Trouble(text("guard.links", { path }));
      const target = resolve(at, readlinkSync(path));
      left.unshift(...target.split("/").filter(Boolean));
      at = "/";
      continue;
    }
    if (!stats.isDirectory()) throw new Trouble(text("guard.no-folder", { path }));
    const sticky = (stats.mode & 0o1000) !== 0 && left.length > 0;
    if (!sticky) nobodyElseWrites(path, stats);
    at = path;
  }
  return at;
}

/** The folder's path, links on the way resolved; made where it is not there. */
export function stateFolder(folder: string): string {
  const there = safeFolder(folder);
  if (there !== undefined) return there;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Trouble(text("guard.cannot-make-errno", { path: folder, errno: codeOf(error) }));
  }
  // Looked at again: what lies above it was there before.
  const made = safeFolder(folder);
  if (made === undefined) throw new Trouble(text("guard.cannot-make", { path: folder }));
  return made;
}

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens a file of the folder that is root's own, no link followed. */
function openOwn(path: string, flags: number): { readonly fd: number; readonly stats: Stats } {
  // A FIFO would wait for its other end.
  const fd = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Trouble(text("guard.no-file", { path }));
    belongsToRoot(path, stats);
    nobodyElseWrites(path, stats);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

type Failing = "guard.cannot-read" | "guard.cannot-write" | "guard.cannot-open";

function refusal(path: string, fails: Failing, error: unknown): Trouble {
  if (error instanceof Trouble) return error;
  const errno = codeOf(error);
  return new Trouble(errno === "ELOOP" ? text("guard.link", { path }) : text(fails, { path, errno }));
}

/** The text of a file; undefined where there is none, or no folder. Makes nothing. */
export function readOwn(folder: string, name: string): string | undefined {
  const at = safeFolder(folder);
  if (at === undefined) return undefined;
  const path = join(at, name);
  try {
    const { fd, stats } = openOwn(path, O_RDONLY);
    try {
      if (stats.size > LARGEST) throw new Trouble(text("guard.too-large", { path }));
      return readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refusal(path, "guard.cannot-read", error);
  }
}

/** All of it or the old one: written beside under a name nobody knows, synced, renamed. */
export function writeOwn(folder: string, name: string, text: string): void {
  const path = join(stateFolder(folder), name);
  const fresh = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    const { fd } = openOwn(fresh, O_WRONLY | O_CREAT | O_EXCL);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw refusal(path, "guard.cannot-write", error);
  }
}

export function dropOwn(folder: string, name: string): void {
  const at = safeFolder(folder);
  if (at !== undefined) rmSync(join(at, name), { force: true });
}

/** A file that stays, for a lock to be held on. */
export function openLock(folder: string, name: string): number {
  const path = join(stateFolder(folder), name);
  try {
    return openOwn(path, O_RDWR | O_CREAT).fd;
  } catch (error) {
    throw refusal(path, "guard.cannot-open", error);
  }
}
