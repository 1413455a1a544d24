import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

/**
 * Starts the program with what V8 compiled the last time: compiling takes longer than most answers. The cache lies beside
 * the program and is named after it and after this Node, for V8 itself only compares lengths.
 */
const folder = dirname(fileURLToPath(import.meta.url));
const program = join(folder, "program.cjs");
const made = statSync(program).mtimeMs.toString(36).replace(".", "-");
const cache = join(folder, "cache", `${process.version}-${process.arch}-${made}.bin`);

function compiledBefore(): Buffer | undefined {
  try {
    return readFileSync(cache);
  } catch {
    return undefined;
  }
}

const cachedData = compiledBefore();
const script = new Script(readFileSync(program, "latin1"), {
  filename: program,
  ...(cachedData === undefined ? {} : { cachedData }),
});
if (cachedData === undefined || script.cachedDataRejected) {
  // After the run, so that what was compiled on the way is kept too. A folder that cannot be written is no fault.
  process.once("exit", () => {
    try {
      mkdirSync(join(folder, "cache"), { recursive: true });
      const fresh = `${cache}.${process.pid}`;
      writeFileSync(fresh, script.createCachedData());
      renameSync(fresh, cache);
    } catch {}
  });
}

const start = script.runInThisContext() as Start;
start(createRequire(import.meta.url), import.meta.url, (name) => readFileSync(join(folder, name), "utf8"));

type Start = (require: NodeJS.Require, url: string, beside: (name: string) => string) => void;
