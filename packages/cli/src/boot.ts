import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

/**
 * Starts the program with what V8 compiled the last time: compiling takes longer than most answers. The cache is named after the program
 * and after this Node, for V8 itself only compares lengths. It lies beside the program; where that folder cannot be written, in one of the
 * user's own that nobody else can write: who plants a cache there runs code.
 */
/** Set by the build: a digest of the program. */
declare const HAIRPIN_PROGRAM: string;

const folder = dirname(fileURLToPath(import.meta.url));
const program = join(folder, "program.cjs");
const made = statSync(program).mtimeMs.toString(36).replace(".", "-");
const name = `${process.version}-${process.arch}-${HAIRPIN_PROGRAM}-${made}.bin`;

/** $XDG_CACHE_HOME/hairpin or ~/.cache/hairpin, where it is a folder of this user's that nobody else may enter. */
function ownFolder(make: boolean): string | undefined {
  const { XDG_CACHE_HOME: cache, HOME: home } = process.env;
  const base = cache !== undefined && isAbsolute(cache) ? cache : home && isAbsolute(home) ? join(home, ".cache") : "";
  if (base === "" || process.getuid === undefined) return undefined;
  const own = join(base, "hairpin");
  if (make) mkdirSync(own, { recursive: true, mode: 0o700 });
  const found = lstatSync(own, { throwIfNoEntry: false });
  const safe = found?.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0;
  return safe ? own : undefined;
}

function compiledBefore(): Buffer | undefined {
  for (const where of [() => join(folder, "cache"), () => ownFolder(false)]) {
    try {
      const found = where();
      if (found !== undefined) return readFileSync(join(found, name));
    } catch {}
  }
  return undefined;
}

function keep(where: string | undefined, data: Buffer): boolean {
  if (where === undefined) return false;
  try {
    const fresh = join(where, `${name}.${process.pid}`);
    writeFileSync(fresh, data);
    renameSync(fresh, join(where, name));
    return true;
  } catch {
    return false;
  }
}

const MONTH = 30 * 24 * 3600 * 1000;

/** What versions that are gone left there. */
function forgetOld(own: string): void {
  for (const file of readdirSync(own))
    if (file !== name && Date.now() - statSync(join(own, file)).mtimeMs > MONTH) rmSync(join(own, file));
}

const cachedData = compiledBefore();
const script = new Script(readFileSync(program, "latin1"), {
  filename: program,
  ...(cachedData === undefined ? {} : { cachedData }),
});
if (cachedData === undefined || script.cachedDataRejected) {
  // After the run, so that what was compiled on the way is kept too. That nothing can be written is no fault.
  process.once("exit", () => {
    try {
      const data = script.createCachedData();
      const beside = join(folder, "cache");
      try {
        mkdirSync(beside, { recursive: true });
      } catch {}
      if (keep(beside, data)) return;
      const own = ownFolder(true);
      if (keep(own, data)) forgetOld(own!);
    } catch {}
  });
} else if (Number.parseInt(process.versions.v8, 10) <= 13) {
  // An answer is mostly code that runs once or a few times. Machine code for it, and for its regular expressions, comes too late to pay:
  // both are made later than usual. Only now, for V8 takes over what was compiled with the same flags; and of a V8 that is known to have
  // these, for it complains of others aloud.
  for (const flag of ["--interrupt-budget=400000", "--regexp-tier-up-ticks=20"]) setFlagsFromString(flag);
}

const start = script.runInThisContext() as Start;
start(createRequire(import.meta.url), import.meta.url, (name) => readFileSync(join(folder, name), "utf8"));

type Start = (require: NodeJS.Require, url: string, beside: (name: string) => string) => void;
