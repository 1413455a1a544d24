import { createRequire } from "node:module";
import { getRawAsset } from "node:sea";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";

/**
 * The boot of the single executable: as boot.ts, but that the program, what V8 compiled of it when the executable was made, and what lies
 * beside it are parts of the file itself. Nothing is written.
 */
const part = (name: string): Buffer => Buffer.from(getRawAsset(name) as ArrayBuffer);

const script = new Script(part("program.cjs").toString("latin1"), {
  filename: "program.cjs",
  cachedData: part("program.cache"),
});
const url = pathToFileURL(process.execPath).href;
const start = script.runInThisContext() as Start;
start(createRequire(url), url, (name) => part(name).toString("utf8"), true);

type Start = (require: NodeJS.Require, url: string, beside: (name: string) => string, executable: boolean) => void;
