import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { ByteSource } from "@hairpin/case/bundle/source.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { inMiB } from "./limits.ts";
import { onDisk } from "./on-disk.ts";
import { Progress } from "./progress.ts";
import { reason } from "./reason.ts";

/** What zlib cannot do by itself piece by piece and at once: it runs beside, and the reading waits for it. */
const UNPACK = `
const { workerData: { path, fd, most, state } } = require("node:worker_threads");
const { createReadStream, writeSync } = require("node:fs");
const { createGunzip } = require("node:zlib");
const status = new Int32Array(state);
const end = (code) => { if (Atomics.compareExchange(status, 0, 0, code) === 0) Atomics.notify(status, 0); };
const packed = createReadStream(path, { highWaterMark: 1 << 20 });
const plain = createGunzip({ chunkSize: 1 << 18 });
let size = 0;
packed.on("error", () => end(3));
plain.on("error", () => end(3));
plain.on("data", (piece) => {
  size += piece.length;
  if (size > most) { packed.destroy(); plain.destroy(); end(2); return; }
  try { for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at); } catch { packed.destroy(); end(4); }
});
plain.on("end", () => end(1));
packed.pipe(plain);
`;

const WHY: Readonly<Record<number, string>> = { 3: "it is damaged", 4: "the disk is full" };

/** A file that has no name and is gone with the process, and what may be written to it: not more than half of what is free. */
function unnamedFile(shown: string, most: number): { readonly fd: number; readonly room: number } {
  const top = tmpdir();
  try {
    const folder = mkdtempSync(join(top, "hairpin-unpacked-"));
    const fd = openSync(join(folder, "file"), constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    const disk = statfsSync(folder);
    rmSync(folder, { recursive: true, force: true });
    return { fd, room: Math.min(most, Math.floor((disk.bavail * disk.bsize) / 2)) };
  } catch (error) {
    // The bundle is there: it is the folder that is not, or cannot be written (a container's root).
    throw new Failure(
      EXIT.cannotWrite,
      text("error.nowhere-to-unpack", { name: shown, folder: top, why: reason(error) }),
    );
  }
}

export const tooMuch = (shown: string, most: number): Failure =>
  new Failure(EXIT.badData, text("error.unpacks-too-large", { name: shown, most: inMiB(most) }));

/** Unpacks a gzip file onto the disk. */
export function gunzipToDisk(path: string, shown: string, most: number): ByteSource {
  const { fd, room } = unnamedFile(shown, most);
  const state = new SharedArrayBuffer(4);
  const status = new Int32Array(state);
  const worker = new Worker(UNPACK, { eval: true, workerData: { path, fd, most: room, state } });
  worker.unref();
  const progress = new Progress(`unpacking ${shown}`);
  while (Atomics.load(status, 0) === 0) {
    Atomics.wait(status, 0, 0, 100);
    progress.at(fstatSync(fd).size, undefined);
  }
  progress.end();
  const code = Atomics.load(status, 0);
  void worker.terminate();
  if (code === 1) return onDisk(fd, fstatSync(fd).size);
  closeSync(fd);
  const why = WHY[code];
  throw why === undefined
    ? tooMuch(shown, room)
    : new Failure(EXIT.badData, text("error.not-unpacked", { name: shown, why }));
}

/** Writes pieces to the disk. */
export function piecesToDisk(pieces: Iterable<Uint8Array>, shown: string, most: number): ByteSource {
  const { fd, room } = unnamedFile(shown, most);
  let size = 0;
  try {
    for (const piece of pieces) {
      size += piece.length;
      if (size > room) throw tooMuch(shown, room);
      for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
    }
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return onDisk(fd, size);
}
