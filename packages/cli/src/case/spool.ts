import { closeSync, constants, fstatSync, mkdtempSync, openSync, readSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { gunzipSync, constants as zlib } from "node:zlib";
import { EXIT, Failure } from "../exit-status.ts";
import type { Extent } from "./capture-file.ts";
import { inMiB } from "./limits.ts";
import { Progress } from "./progress.ts";

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

/** The beginning of a packed file, unpacked. */
export function unpackedHead(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const head = Buffer.alloc(65_536);
    const got = readSync(fd, head, 0, head.length, 0);
    return gunzipSync(head.subarray(0, got), { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: 1 << 27 });
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

/** Unpacks into a file that has no name and is gone with the process. No more than `most`, nor half of what the disk has left. */
export function unpackToFile(path: string, shown: string, most: number): Extent {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-unpacked-"));
  const fd = openSync(join(folder, "file"), constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  const disk = statfsSync(folder);
  const room = Math.min(most, Math.floor((disk.bavail * disk.bsize) / 2));
  rmSync(folder, { recursive: true, force: true });
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
  if (code !== 1) {
    closeSync(fd);
    const why = WHY[code] ?? `it unpacks to more than ${inMiB(room)}`;
    throw new Failure(EXIT.badData, `${shown} could not be unpacked: ${why}`);
  }
  return { fd, from: 0, length: fstatSync(fd).size };
}
