import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { BadBundle } from "../../packages/case/src/bundle/bad-bundle.ts";
import { collected } from "../../packages/case/src/bundle/unpack/collected.ts";
import { type Packing, UNPACKERS } from "../../packages/case/src/bundle/unpack/packing.ts";

/** Text that repeats near and far, noise, and a run: what packers treat differently. */
function sample(size: number): Buffer {
  let seed = 7;
  const next = (): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed >>> 8;
  };
  const lines: string[] = [];
  for (let length = 0; length < size; ) {
    const line = `-A KUBE-SEP-${(next() % 5000).toString(36)} -s 10.${next() % 256}.${next() % 256}.1/32 -j DNAT\n`;
    lines.push(line);
    length += line.length;
  }
  const noise = Buffer.from(Array.from({ length: 70_000 }, () => next() & 255));
  return Buffer.concat([Buffer.from(lines.join("")), noise, Buffer.alloc(300_000, 65), Buffer.from(lines.join(""))]);
}

const SAMPLE = sample(250_000);
const tool = (name: string, args: readonly string[], input: Buffer): Buffer =>
  execFileSync(name, args, { input, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "pipe"] });
const has = (name: string): boolean => {
  try {
    tool(name, ["--version"], Buffer.alloc(0));
    return true;
  } catch {
    return false;
  }
};

function unpacked(packing: Packing, bytes: Buffer, piece = 10_007): Uint8Array {
  function* pieces(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  return collected(UNPACKERS[packing](pieces()), 1 << 28, () => new Error("too much"));
}

const FORMS: readonly (readonly [Packing, string, (bytes: Buffer) => Buffer])[] = [
  ...["-0", "-6", "-9e", "-Ccrc32", "-Cnone", "--lzma2=lc=0,lp=2,pb=0"].map(
    (level) => ["xz", level, (b: Buffer) => tool("xz", ["-c", level], b)] as const,
  ),
  ["xz", "blocks", (b) => tool("xz", ["-c", "--block-size=200000"], b)],
  [
    "xz",
    "two streams",
    (b) => Buffer.concat([tool("xz", ["-c"], b.subarray(0, 9000)), tool("xz", ["-c"], b.subarray(9000))]),
  ],
  ...["-1", "-3", "-19", "--fast=9"].map(
    (level) => ["zstd", level, (b: Buffer) => tool("zstd", ["-qc", level], b)] as const,
  ),
  [
    "zstd",
    "two frames",
    (b) => Buffer.concat([tool("zstd", ["-qc"], b.subarray(0, 9000)), tool("zstd", ["-qc"], b.subarray(9000))]),
  ],
  ...([1, 6, 9, 0] as const).map((level) => ["gzip", `-${level}`, (b: Buffer) => gzipSync(b, { level })] as const),
];

describe("packed bytes come out as they went in", () => {
  const available = FORMS.filter(([packing]) => packing === "gzip" || has(packing));
  test.each(available.map(([packing, how, pack]) => [packing, how, pack] as const))("%s %s", (packing, _, pack) => {
    expect(Buffer.from(unpacked(packing, pack(SAMPLE))).equals(SAMPLE)).toBe(true);
    expect(unpacked(packing, pack(Buffer.alloc(0)), 1).length).toBe(0);
    expect(Buffer.from(unpacked(packing, pack(Buffer.from("x")), 1)).toString()).toBe("x");
  });

  test.each(available.filter(([, how]) => /^-[36]$|blocks/.test(how)))(
    "%s %s, damaged or cut: an error, never a crash",
    (packing, _, pack) => {
      const small = sample(20_000).subarray(0, 60_000);
      const packed = pack(small);
      for (let i = 0; i < packed.length; i += 1499) {
        const cut = packed.subarray(0, i);
        if (i > 0) expect(() => unpacked(packing, cut)).toThrow(BadBundle);
        const wrong = Buffer.from(packed);
        wrong[i] = wrong[i]! ^ 0x5a;
        try {
          unpacked(packing, wrong);
        } catch (error) {
          expect(error).toBeInstanceOf(BadBundle);
        }
      }
    },
  );
});
