import { closeSync, openSync, readdirSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createGzip } from "node:zlib";
import { ethernet, segment } from "@hairpin/testing/frames.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../packages/cli/src/case/limits.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { connectionsOf } from "../../packages/core/src/evidence/index.ts";
import { ipv4Of } from "../../packages/core/src/net/index.ts";
import { readCase } from "../../packages/core/src/parse/case/read-case.ts";
import type { CaseReading } from "../../packages/core/src/parse/index.ts";
import { folderOf } from "../check/surface.ts";
import { tarOf } from "../check/tar.ts";
import { ASKED, busyCapture, RULES, STRANGERS } from "./busy.ts";

/** Bytes in use after what is not is thrown away. */
const held = (() => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
})();

const QUESTION = { from: "10.244.0.5", to: "10.96.0.50:80" };

const packetsOf = (reading: CaseReading) =>
  reading.dumps.flatMap((d) => d.reading.facts.flatMap((f) => (f.kind === "packets" ? f.packets : [])));
const notesOf = (reading: CaseReading) =>
  reading.dumps.flatMap((d) => d.reading.diagnostics.map((x) => `${x.code}: ${x.message}`));

const capture = (pieces: () => Iterable<Uint8Array>, path = "any.pcap") => ({ path, binary: "pcap", pieces });
const rules = { path: "iptables-save.txt", text: RULES };

describe("a large capture and a question", () => {
  test("keeps the asked connection in all its forms, from the very end, in bounded memory", () => {
    const before = held();
    let most = 0;
    function* watched(): Generator<Uint8Array> {
      let n = 0;
      for (const piece of busyCapture(50, [...STRANGERS, ...ASKED])) {
        if (n++ % 10 === 0) most = Math.max(most, held() - before);
        yield piece;
      }
    }
    const reading = readCase([rules, capture(watched)], undefined, QUESTION);
    const packets = packetsOf(reading);
    expect(packets).toHaveLength(ASKED.length);
    const first = packets[0]!.origin.line;
    expect(packets.map((p) => p.origin.line - first)).toEqual(ASKED.map((_, i) => i));
    expect(notesOf(reading)).toEqual([
      expect.stringMatching(
        /^pcap-filtered: 11 of 6\d{4} packets can be of the asked connection and are kept; 6\d{4} are/,
      ),
    ]);
    expect(most).toBeLessThan(40e6);
  });
  test("without a question the bounds hold and are said", () => {
    const reading = readCase([rules, capture(() => busyCapture(50, ASKED))]);
    expect(packetsOf(reading).length).toBeLessThanOrEqual(200_000);
    expect(notesOf(reading)).toEqual([expect.stringMatching(/^pcap-long: too many to keep: 1\d{4} packets/)]);
  });
  test("a connection late in the file shows that it came about all the same", () => {
    const flow = { src: "10.3.0.1", sport: 7, dst: "10.3.0.2", dport: 80 };
    const back = { src: "10.3.0.2", sport: 80, dst: "10.3.0.1", dport: 7 };
    const last = [
      ethernet(segment({ ...flow, flags: 2, seq: 100 })),
      ethernet(segment({ ...back, flags: 18, seq: 200, ack: 101 })),
      ...Array.from({ length: 9 }, () => ethernet(segment({ ...flow, flags: 16, seq: 101, ack: 201 }))),
    ];
    const packets = packetsOf(readCase([capture(() => busyCapture(45, last))]));
    const own = packets.filter((p) => p.ip?.dst === ipv4Of(0x0a030002) || p.ip?.src === ipv4Of(0x0a030002));
    expect(own.map((p) => p.ip?.tcp?.flags)).toEqual([2, 18, 16, 16, 16, 16]);
    expect(connectionsOf(own).map((c) => c.outcome)).toEqual(["established"]);
  });
  test("a question whose destination nobody shows leaves it to the bounds", () => {
    const reading = readCase([rules, capture(() => busyCapture(20, ASKED))], undefined, { to: "svc/default/web:80" });
    expect(notesOf(reading)).toEqual([]);
    expect(packetsOf(reading).length).toBeGreaterThan(20_000);
  });
  test("a small capture is kept whole", () => {
    const reading = readCase([capture(() => busyCapture(2, ASKED))], undefined, QUESTION);
    expect(packetsOf(reading).length).toBeGreaterThan(2000);
    expect(notesOf(reading)).toEqual([]);
  });
  test("what one capture shows of the connection finds it in another", () => {
    const [, , asClient, , , beyond] = ASKED;
    const reading = readCase(
      [capture(() => busyCapture(20, [asClient!]), "a.pcap"), capture(() => busyCapture(20, [beyond!]), "b.pcap")],
      undefined,
      QUESTION,
    );
    expect(packetsOf(reading).map((p) => p.origin.file)).toEqual(["a.pcap", "b.pcap"]);
  });
  test("other clients of the same destination are kept as far as there is room, the asked one always", () => {
    const one = ethernet(segment({ src: "10.9.9.9", sport: 1, dst: "10.96.0.50", dport: 80, flags: 2, seq: 7 }));
    const others = Array.from({ length: 22_000 }, (_, i) => {
      const frame = one.slice();
      new DataView(frame.buffer).setUint32(14 + 24, i);
      return frame;
    });
    const reading = readCase([rules, capture(() => busyCapture(1, [...others, ...ASKED]))], undefined, QUESTION);
    const packets = packetsOf(reading);
    expect(packets).toHaveLength(20_000 + ASKED.length);
    expect(notesOf(reading).at(-1)).toMatch(/^pcap-long: too many to keep: 2000 packets .*other clients/);
  });
  test("a flow that is recognised in its middle is kept from its beginning", () => {
    const data = { flags: 24, seq: 1_000_500, ack: 2_000_600, payload: 9 };
    const early = { src: "172.31.9.9", sport: 1, dst: "172.31.8.8", dport: 2 };
    const last = [
      ethernet(segment({ ...early, flags: 16, seq: 1_000_500, ack: 2_000_600 })),
      ethernet(segment({ ...early, ...data })),
      ethernet(segment({ src: "10.244.0.5", sport: 4, dst: "10.96.0.50", dport: 80, ...data })),
    ];
    const reading = readCase([capture(() => busyCapture(20, last))], undefined, QUESTION);
    expect(packetsOf(reading)).toHaveLength(3);
  });
});

/** A capture file of some megabytes on disk, or a bundle with it, packed or not. */
async function write(path: string, pieces: Iterable<Uint8Array>, packed: boolean): Promise<void> {
  const fd = openSync(path, "w");
  if (!packed) for (const piece of pieces) writeSync(fd, piece);
  else {
    const gzip = createGzip({ level: 1 });
    gzip.on("data", (piece: Buffer) => writeSync(fd, piece));
    for (const piece of pieces) if (!gzip.write(Buffer.from(piece))) await new Promise((r) => gzip.once("drain", r));
    await new Promise<void>((done) => gzip.end().once("end", done));
  }
  closeSync(fd);
}

function* tarred(pieces: () => Iterable<Uint8Array>): Generator<Uint8Array> {
  let size = 0;
  for (const piece of pieces()) size += piece.length;
  yield tarOf({ name: "case/iptables-save.txt", content: RULES }).subarray(0, -1024);
  yield tarOf({ name: "case/any.pcap", size }).subarray(0, 512);
  yield* pieces();
  yield new Uint8Array(((512 - (size % 512)) % 512) + 1024);
}

describe("on disk", () => {
  const folder = folderOf({});
  afterEach(() => vi.restoreAllMocks());
  const limits = { ...LIMITS, unpackedInMemory: 1 << 20, fileBytes: 4 << 20, totalBytes: 8 << 20 };
  const pieces = () => busyCapture(20, ASKED);
  test.each([
    ["a capture", "any.pcap", pieces, false],
    ["a packed capture", "any.pcap.gz", pieces, true],
    ["a bundle", "bundle.tar", () => tarred(pieces), false],
    ["a packed bundle", "bundle.tar.gz", () => tarred(pieces), true],
  ])("%s larger than any bound on texts is read", async (_, name, content, packed) => {
    const path = join(folder.path, name);
    await write(path, content(), packed);
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const before = readdirSync(tmpdir()).filter((f) => f.startsWith("hairpin-unpacked-"));
    const { reading, inputs } = loadCase([path], limits, QUESTION);
    expect(packetsOf(reading)).toHaveLength(ASKED.length);
    expect(inputs.map((i) => i.bytes)).toEqual(inputs.map(() => undefined));
    expect(readdirSync(tmpdir()).filter((f) => f.startsWith("hairpin-unpacked-"))).toEqual(before);
    expect(said.mock.calls.every(([text]) => /any\.pcap|bundle/.test(String(text)))).toBe(true);
  });
  test("a packed capture in a folder is read, and damage is said", async () => {
    const inside = folderOf({ "iptables-save.txt": RULES });
    await write(join(inside.path, "any.pcap.gz"), pieces(), true);
    expect(packetsOf(loadCase([inside.path], limits, QUESTION).reading)).toHaveLength(ASKED.length);
    inside.remove();
    const cut = folderOf({ "bundle.tar.gz": Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]) });
    expect(() => loadCase([join(cut.path, "bundle.tar.gz")], limits)).toThrow(/could not be unpacked/);
    cut.remove();
  });
  test("what is neither archive nor capture may not unpack to more than fits", async () => {
    const path = join(folder.path, "zeros.gz");
    await write(
      path,
      Array.from({ length: 20 }, () => new Uint8Array(1 << 20)),
      true,
    );
    expect(() => loadCase([path], limits)).toThrow(/unpacks to more than 8 MiB/);
    folder.remove();
  });
});
