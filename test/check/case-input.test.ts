import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../packages/cli/src/case/limits.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Failure } from "../../packages/cli/src/exit-status.ts";
import { folderOf, hairpin } from "./surface.ts";
import { type Entry, tarOf } from "./tar.ts";

const RULES = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
const made: (() => void)[] = [];
afterEach(() => {
  for (const remove of made.splice(0)) remove();
});
const folder = (files: Readonly<Record<string, string | Buffer>>): string => {
  const { path, remove } = folderOf(files);
  made.push(remove);
  return path;
};
const bundle = (name: string, ...entries: readonly Entry[]): string => {
  const packed = name.endsWith("gz") ? gzipSync(tarOf(...entries)) : tarOf(...entries);
  return join(folder({ [name]: packed }), name);
};
const dumpsOf = (...paths: string[]) => loadCase(paths).reading.dumps.map((d) => [d.file, d.node.value, d.dialect.id]);
const failureOf = (action: () => unknown): Failure => {
  try {
    action();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("it did not fail");
};

describe("what a case can be", () => {
  test("a folder", () => {
    expect(dumpsOf(folder({ "nodes/a/ip-rule.txt": RULES, "nodes/b/ip-rule.txt": RULES }))).toEqual([
      ["nodes/a/ip-rule.txt", "a", "ip-rule"],
      ["nodes/b/ip-rule.txt", "b", "ip-rule"],
    ]);
  });
  test.each(["b.tar.gz", "b.tgz", "b.tar"])("a bundle %s, its single top folder taken off", (name) => {
    const entries = [
      { name: "case/", type: "5" },
      { name: "case/nodes/a/ip-rule.txt", content: RULES },
    ];
    expect(dumpsOf(bundle(name, ...entries))).toEqual([["nodes/a/ip-rule.txt", "a", "ip-rule"]]);
  });
  test("a bundle made by tar(1), with long names", () => {
    const deep = `nodes/a/${"d".repeat(80)}/${"e".repeat(80)}`;
    const top = folder({ [`x/${deep}/ip-rule.txt`]: RULES });
    for (const format of ["gnu", "ustar", "pax"]) {
      execFileSync("tar", ["-czf", join(top, `${format}.tgz`), `--format=${format}`, "-C", join(top, "x"), "."]);
      expect(dumpsOf(join(top, `${format}.tgz`))).toEqual([[`${deep}/ip-rule.txt`, "a", "ip-rule"]]);
    }
  });
  test("a transcript", () => {
    expect(dumpsOf(join(folder({ "t.md": `[root@n1 ~]# ip rule\n${RULES}` }), "t.md"))).toEqual([
      ["t.md", "n1", "ip-rule"],
    ]);
  });
  test("a gzipped transcript", () => {
    expect(dumpsOf(join(folder({ "t.txt.gz": gzipSync(RULES) }), "t.txt.gz"))).toEqual([["t.txt", "node", "ip-rule"]]);
  });
  test("loose files together, called as they were given", () => {
    const top = folder({ "nodes/a/x.txt": RULES, "nodes/b/x.txt": RULES });
    const dumps = dumpsOf(join(top, "nodes/a/x.txt"), join(top, "nodes/b/x.txt"));
    expect(dumps.map((d) => d[1])).toEqual(["a", "b"]);
  });
  test("case.yaml at its top is not a dump", () => {
    const loaded = loadCase([
      folder({ "case.yaml": "question: { from: node/a, to: 10.0.0.1:80 }\n", "ip-rule.txt": RULES }),
    ]);
    expect(loaded.caseFile?.question?.to).toBe("10.0.0.1:80");
    expect(loaded.reading.dumps).toHaveLength(1);
  });
  test("a capture is known by its first bytes, other binaries are noted", () => {
    const pcap = Buffer.concat([Buffer.from("d4c3b2a1", "hex"), Buffer.alloc(40)]);
    const loaded = loadCase([
      folder({
        "nodes/a/tcpdump.eth0.pcap": pcap,
        "nodes/a/core.bin": Buffer.alloc(500),
        "x.zip": Buffer.from("PK\u0003\u0004rest"),
      }),
    ]);
    expect(loaded.reading.dumps.map((d) => d.dialect.id)).toEqual(["pcap"]);
    expect([...loaded.notes].sort()).toEqual([
      "nodes/a/core.bin: not text, not read",
      "x.zip: not opened: the bundle is no zip archive, or damaged: it has no end; get it again, what is missing cannot be known",
    ]);
  });
  test("text in UTF-16 and with odd bytes", () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(RULES, "utf16le")]);
    const latin = Buffer.concat([Buffer.from(RULES), Buffer.from([0xe9, 0x20, 0x80, 0x0a])]);
    expect(dumpsOf(folder({ "a/ip-rule.txt": utf16 })).length).toBe(1);
    expect(dumpsOf(folder({ "a/notes.txt": latin })).length).toBe(1);
  });
});

describe("hostile folders", () => {
  test("no link is followed", () => {
    const outside = folder({ "secret.txt": RULES });
    const top = folder({ "ip-rule.txt": RULES });
    symlinkSync(join(outside, "secret.txt"), join(top, "a.txt"));
    symlinkSync(outside, join(top, "dir"));
    symlinkSync("/etc/passwd", join(top, "passwd"));
    symlinkSync(".", join(top, "loop"));
    const loaded = loadCase([top]);
    expect(loaded.inputs.map((i) => i.path)).toEqual(["ip-rule.txt"]);
    expect(loaded.notes).toEqual(["a.txt", "dir", "loop", "passwd"].map((n) => `${n}: a symbolic link, not followed`));
  });
  test("pipes and sockets do not hang", () => {
    const top = folder({ "ip-rule.txt": RULES });
    execFileSync("mkfifo", [join(top, "pipe")]);
    expect(loadCase([top]).notes).toEqual(["pipe: not a regular file, not read"]);
  });
  test("too many files, too deep, too large", () => {
    const many = folder(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}.txt`, RULES])));
    expect(failureOf(() => loadCase([many], { ...LIMITS, files: 10 })).message).toMatch(/more than 10/);
    const deep = folder({ [`${"d/".repeat(12)}x.txt`]: RULES });
    expect(failureOf(() => loadCase([deep], { ...LIMITS, depth: 10 })).message).toMatch(/10 folders deep/);
    const large = folder({ "x.txt": RULES.repeat(100) });
    expect(failureOf(() => loadCase([large], { ...LIMITS, fileBytes: 1000 })).message).toMatch(/x\.txt is larger/);
    expect(failureOf(() => loadCase([many], { ...LIMITS, totalBytes: 100 })).message).toMatch(/in all/);
  });
  test("an empty folder, and one that may not be read", () => {
    const empty = folder({});
    mkdirSync(join(empty, "nothing"));
    expect(failureOf(() => loadCase([empty])).status).toBe(66);
    expect(failureOf(() => loadCase([join(empty, "absent")])).message).toMatch(/no such file/);
  });
});

describe("hostile bundles", () => {
  test.each([
    "../../etc/evil.txt",
    "/etc/evil.txt",
    "a/../../evil.txt",
    "a/b/..",
    "C:\\evil.txt",
    "a\\..\\..\\evil.txt",
  ])("the path %s is refused", async (name) => {
    const path = bundle("b.tar", { name, content: RULES });
    const failure = failureOf(() => loadCase([path]));
    expect(failure.status).toBe(65);
    expect(failure.message).toMatch(/leads out of it/);
    expect((await hairpin("check", path)).status).toBe(65);
  });
  test("a long name that escapes", () => {
    const path = bundle(
      "b.tar",
      { name: "././@LongLink", type: "L", content: `../${"x".repeat(200)}\0` },
      { name: "short", content: RULES },
    );
    expect(failureOf(() => loadCase([path])).message).toMatch(/leads out/);
  });
  test("a pax path that escapes", () => {
    const record = "22 path=../../evil.txt\n".replace(/^22/, String("22 path=../../evil.txt\n".length));
    const path = bundle("b.tar", { name: "pax", type: "x", content: record }, { name: "short", content: RULES });
    expect(failureOf(() => loadCase([path])).message).toMatch(/leads out/);
  });
  test("links and devices are skipped and noted", () => {
    const path = bundle(
      "b.tar",
      { name: "ip-rule.txt", content: RULES },
      { name: "link", type: "2", link: "/etc/passwd" },
      { name: "hard", type: "1", link: "ip-rule.txt" },
      { name: "dev", type: "3" },
    );
    const loaded = loadCase([path]);
    expect(loaded.inputs.map((i) => i.path)).toEqual(["ip-rule.txt"]);
    expect(loaded.notes).toHaveLength(3);
  });
  test("a header that lies about its size", () => {
    expect(
      failureOf(() => loadCase([bundle("b.tar", { name: "x", content: RULES, size: 0o77777777777 })])).message,
    ).toMatch(/cut short at byte/);
  });
  test("a gzip bomb meets the bound", () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const path = join(folder({ "b.tar.gz": bomb }), "b.tar.gz");
    const failure = failureOf(() => loadCase([path], { ...LIMITS, totalBytes: 1024 * 1024 }));
    expect(failure.message).toMatch(/unpacks to more than 1 MiB/);
  });
  test("too many entries", () => {
    const entries = Array.from({ length: 12 }, (_, i) => ({ name: `${i}.txt`, content: RULES }));
    expect(failureOf(() => loadCase([bundle("b.tar", ...entries)], { ...LIMITS, files: 10 })).message).toMatch(
      /more than 10 files/,
    );
  });
  test.each([0, 1, 100, 511, 512, 600, 1000])(
    "cut off after %i bytes it is an error or an empty case, never a crash",
    (length) => {
      const whole = tarOf({ name: "ip-rule.txt", content: RULES.repeat(20) });
      const path = join(folder({ "b.tar": whole.subarray(0, length) }), "b.tar");
      expect([65, 66]).toContain(failureOf(() => loadCase([path])).status);
    },
  );
  test("noise is refused", () => {
    const noise = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256));
    expect(failureOf(() => loadCase([join(folder({ "b.tar": noise }), "b.tar")])).status).toBe(65);
    const broken = gzipSync(RULES);
    broken[12] = 255;
    expect(failureOf(() => loadCase([join(folder({ "b.tgz": broken.subarray(0, 30) }), "b.tgz")])).status).toBe(65);
  });
  test("nothing is written while a bundle is read", () => {
    const top = folder({});
    writeFileSync(join(top, "b.tar"), tarOf({ name: "made.txt", content: RULES }));
    loadCase([join(top, "b.tar")]);
    expect(execFileSync("ls", [top], { encoding: "utf8" }).trim()).toBe("b.tar");
  });
});
