import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { cpio } from "./cpio.ts";
import { wantedModules } from "./modules.ts";

const archive = cpio([
  { path: "usr/bin/tool", kind: "file", data: Buffer.from("x"), executable: true },
  { path: "bin", kind: "link", target: "usr/bin" },
]);

describe("the initramfs", () => {
  test("is a newc archive with folders before what is in them", () => {
    const names = [...archive.toString("latin1").matchAll(/070701[0-9a-f]{104}([^\0]+)\0/g)].map((m) => m[1]);
    expect(names).toEqual(["usr", "usr/bin", "usr/bin/tool", "bin", "TRAILER!!!"]);
    expect(archive.length % 4).toBe(0);
  });

  const has = spawnSync("cpio", ["--version"]).status === 0;
  test.skipIf(!has)("is read by cpio(1)", () => {
    const listed = spawnSync("cpio", ["-itv"], { input: archive, encoding: "utf8" }).stdout;
    expect(listed).toMatch(/-rwxr-xr-x .* usr\/bin\/tool/);
    expect(listed).toMatch(/bin -> usr\/bin/);
  });
});

test("modules come with what they depend on, and others stay out", () => {
  const dep =
    "kernel/net/ip_vs_rr.ko: kernel/net/ip_vs.ko kernel/lib/libcrc32c.ko\nkernel/net/ip_vs.ko: kernel/lib/odd.ko\nkernel/lib/odd.ko:\nkernel/fs/ext4.ko: kernel/fs/jbd2.ko\n";
  expect([...wantedModules(dep)].sort()).toEqual([
    "kernel/lib/libcrc32c.ko",
    "kernel/lib/odd.ko",
    "kernel/net/ip_vs.ko",
    "kernel/net/ip_vs_rr.ko",
  ]);
});
