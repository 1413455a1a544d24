import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../packages/cli/src/case/limits.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Failure } from "../../packages/cli/src/exit-status.ts";
import { folderOf } from "../check/surface.ts";
import { tarOf } from "../check/tar.ts";
import { zipOf } from "./zip.ts";

const RULES = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
const made: (() => void)[] = [];
afterEach(() => {
  for (const remove of made.splice(0)) remove();
});
const file = (name: string, bytes: Buffer): string => {
  const { path, remove } = folderOf({ [name]: bytes });
  made.push(remove);
  return join(path, name);
};
const failureOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
  throw new Error("it did not fail");
};
const dumpsOf = (path: string) => loadCase([path]).reading.dumps.map((d) => [d.file, d.node.value, d.dialect.id]);

describe("archives as they come", () => {
  test("a zip, packed and stored", () => {
    for (const method of [0, 8] as const) {
      const zip = zipOf({ name: "top/nodes/a/ip-rule.txt", content: RULES, method });
      expect(dumpsOf(file("b.zip", zip))).toEqual([["nodes/a/ip-rule.txt", "a", "ip-rule"]]);
    }
  });
  test("xz and zstd", () => {
    const tar = tarOf({ name: "nodes/a/ip-rule.txt", content: RULES });
    for (const [tool, name] of [
      ["xz", "b.tar.xz"],
      ["zstd", "b.tar.zst"],
    ] as const) {
      const packed = execFileSync(tool, ["-c"], { input: tar });
      expect(dumpsOf(file(name, packed))).toEqual([["nodes/a/ip-rule.txt", "a", "ip-rule"]]);
    }
  });
  test("archives in an archive, and in a folder", () => {
    const inner = gzipSync(tarOf({ name: "nodes/a/ip-rule.txt", content: RULES }));
    const outer = tarOf({ name: "x/inner.tar.gz", content: inner }, { name: "x/nodes/b/ip-rule.txt", content: RULES });
    const nodes = dumpsOf(file("b.tar", outer)).map((d) => d[1]);
    expect([...nodes].sort()).toEqual(["a", "b"]);
    const folder = folderOf({ "x/inner.tar.gz": inner });
    made.push(folder.remove);
    expect(dumpsOf(folder.path).map((d) => d[1])).toEqual(["a"]);
  });
});

describe("hostile archives are refused with a clear error, and nothing is written", () => {
  test("paths that lead out of a zip", () => {
    for (const name of ["../../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "C:\\evil.txt"])
      expect(failureOf(() => loadCase([file("b.zip", zipOf({ name, content: RULES }))]))).toMatch(/leads out of it/);
  });
  test("links in a zip are not followed, encrypted files not read", () => {
    const zip = zipOf(
      { name: "ip-rule.txt", content: RULES },
      { name: "link", content: "/etc/passwd", mode: 0o120777 },
      { name: "locked", content: "x", flags: 1 },
    );
    const loaded = loadCase([file("b.zip", zip)]);
    expect(loaded.inputs.map((i) => i.path)).toEqual(["ip-rule.txt"]);
    expect(loaded.notes.join("\n")).toMatch(/link: a symbolic link[\s\S]*locked: encrypted/);
  });
  test("files of a zip that lie upon each other", () => {
    const zip = zipOf({ name: "a.txt", content: RULES }, { name: "b.txt", content: RULES, shares: true });
    expect(failureOf(() => loadCase([file("b.zip", zip)]))).toMatch(/upon each other/);
  });
  test("a zip that is cut, or lies about what it holds", () => {
    const zip = zipOf({ name: "ip-rule.txt", content: RULES });
    for (let length = 4; length < zip.length; length += 7)
      expect(failureOf(() => loadCase([file("b.zip", zip.subarray(0, length))]))).toMatch(
        /zip archive|nothing to read/,
      );
    const lies = zipOf({ name: "ip-rule.txt", content: RULES, packed: 1 << 30 });
    expect(failureOf(() => loadCase([file("b.zip", lies)]))).toMatch(/outside of it/);
  });
  test("bombs meet the bound: deflate, gzip, xz, and one inside the other", () => {
    const zeros = Buffer.alloc(20 << 20);
    const limits = { ...LIMITS, totalBytes: 1 << 20, unpackedInMemory: 1 << 20, unpackedOnDisk: 4 << 20 };
    const bomb = zipOf({ name: "x.txt", content: RULES, raw: deflateRawSync(zeros), length: zeros.length });
    expect(failureOf(() => loadCase([file("b.zip", bomb)], limits))).toMatch(/more than 1 MiB|larger than/);
    const xz = execFileSync("xz", ["-c"], { input: zeros, maxBuffer: 1 << 26 });
    expect(failureOf(() => loadCase([file("b.tar.xz", xz)], limits))).toMatch(/more than 1 MiB/);
    const tar = gzipSync(tarOf({ name: "x.txt", content: zeros }));
    const nested = tarOf({ name: "a.tar.gz", content: tar }, { name: "b.tar.gz", content: tar });
    expect(failureOf(() => loadCase([file("b.tar", nested)], limits))).toMatch(/more than \d MiB/);
  });
  const packed = (tool: "xz" | "zstd" | "gzip", bytes: Buffer): Buffer =>
    tool === "gzip" ? gzipSync(bytes) : execFileSync(tool, ["-c"], { input: bytes, maxBuffer: 1 << 26 });
  const FORMS = [
    ["b.tar.gz", (tar: Buffer) => packed("gzip", tar)],
    ["b.tar.xz", (tar: Buffer) => packed("xz", tar)],
    ["b.tar.zst", (tar: Buffer) => packed("zstd", tar)],
    ["an archive in a tar", (tar: Buffer) => tarOf({ name: "inner.tar.xz", content: packed("xz", tar) })],
    [
      "an archive in a zip",
      (tar: Buffer) =>
        zipOf({
          name: "inner.tar.zst",
          content: "",
          raw: deflateRawSync(packed("zstd", tar)),
          length: packed("zstd", tar).length,
        }),
    ],
  ] as const;
  const nameOf = (form: string): string => (form.startsWith("b.") ? form : form.endsWith("zip") ? "b.zip" : "b.tar");

  test.each(FORMS)("%s: a path that leads out, a header that lies, links and devices", (form, pack) => {
    const load = (tar: Buffer) => loadCase([file(nameOf(form), pack(tar))]);
    const rule = { name: "nodes/a/ip-rule.txt", content: RULES };
    // Inside of another archive it is left out, and that is said.
    const said = (tar: Buffer): string => {
      try {
        return load(tar).notes.join("\n");
      } catch (error) {
        if (error instanceof Failure) return error.message;
        throw error;
      }
    };
    expect(said(tarOf({ name: "../../evil.txt", content: RULES }, rule))).toMatch(/leads out of it/);
    expect(said(tarOf(rule, { name: "x", content: RULES, size: 0o77777777777 }))).toMatch(/cut short at byte/);
    const links = tarOf(
      rule,
      { name: "link", type: "2", link: "/etc/passwd" },
      { name: "hard", type: "1", link: "../x" },
      { name: "dev", type: "3" },
    );
    const loaded = load(links);
    expect(loaded.inputs.map((i) => i.text)).toEqual([RULES]);
    expect(loaded.notes.join("\n")).toMatch(/link[\s\S]*hard[\s\S]*dev/);
  });

  test.each(FORMS)("%s: a bomb meets the bound", (form, pack) => {
    const limits = { ...LIMITS, totalBytes: 1 << 20, unpackedInMemory: 1 << 20, unpackedOnDisk: 4 << 20 };
    const bomb = pack(tarOf({ name: "x.txt", content: Buffer.alloc(20 << 20) }));
    expect(bomb.length).toBeLessThan(1 << 20);
    expect(failureOf(() => loadCase([file(nameOf(form), bomb)], limits))).toMatch(/more than \d MiB|larger than/);
  });

  test("what is unpacked onto the disk is gone again, whether it was read or refused", () => {
    const { path: scratch, remove } = folderOf({});
    made.push(remove);
    const before = process.env.TMPDIR;
    process.env.TMPDIR = scratch;
    try {
      const limits = { ...LIMITS, unpackedInMemory: 1 << 16, unpackedOnDisk: 4 << 20 };
      const rule = { name: "nodes/a/ip-rule.txt", content: RULES };
      for (const [form, pack] of FORMS.slice(0, 3)) {
        expect(
          loadCase([file(form, pack(tarOf(rule, { name: "log", content: Buffer.alloc(1 << 20, 65) })))], limits).inputs
            .length,
        ).toBeGreaterThan(0);
        expect(
          failureOf(() =>
            loadCase([file(form, pack(tarOf(rule, { name: "log", content: Buffer.alloc(20 << 20) })))], limits),
          ),
        ).toMatch(/more than \d MiB/);
        expect(execFileSync("ls", ["-A", scratch], { encoding: "utf8" })).not.toMatch(/unpacked/);
      }
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });

  test("archives in archives without end", () => {
    let bytes = tarOf({ name: "ip-rule.txt", content: RULES });
    for (let i = 0; i < 10; i++) bytes = tarOf({ name: "inner.tar", content: bytes });
    const path = file("b.tar", tarOf({ name: "inner.tar", content: bytes }, { name: "ip-rule.txt", content: RULES }));
    expect(loadCase([path]).notes.join("\n")).toMatch(/more than 4 deep, not opened/);
  });
  test("an xz header that asks for a window of gigabytes", () => {
    const xz = execFileSync("xz", ["-c", "--lzma2=dict=1536MiB"], { input: Buffer.from(RULES), maxBuffer: 1 << 26 });
    expect(failureOf(() => loadCase([file("b.tar.xz", xz)]))).toMatch(/window of 1536 MiB; that is refused/);
  });
  test("an encrypted bundle says so", () => {
    const age = Buffer.from("age-encryption.org/v1\n-> X25519 abc\n");
    expect(failureOf(() => loadCase([file("support.zip.age", age)]))).toMatch(/encrypted \(age\)/);
  });
  test("a list longer than the bound", () => {
    const many = tarOf(...Array.from({ length: 30 }, (_, i) => ({ name: `${i}.txt`, content: "" })));
    expect(failureOf(() => loadCase([file("b.tar", many)], { ...LIMITS, entries: 20 }))).toMatch(/more than 20 files/);
  });
  test("nothing is left behind", () => {
    const { path, remove } = folderOf({});
    made.push(remove);
    writeFileSync(join(path, "b.zip"), zipOf({ name: "made.txt", content: RULES }));
    loadCase([join(path, "b.zip")]);
    expect(execFileSync("ls", [path], { encoding: "utf8" }).trim()).toBe("b.zip");
  });
});
