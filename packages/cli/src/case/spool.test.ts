import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Failure } from "../exit-status.ts";
import { piecesToDisk } from "./spool.ts";

describe("what is unpacked onto the disk", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("is not called missing where the folder for it is", () => {
    const folder = join(import.meta.dirname, "no-such-folder");
    expect(existsSync(folder)).toBe(false);
    vi.stubEnv("TMPDIR", folder);
    const unpack = () => piecesToDisk([new Uint8Array(4)], "bundle.tar.gz", 100);
    expect(unpack).toThrow(Failure);
    expect(unpack).toThrow(/^bundle\.tar\.gz needs room .*no-such-folder/);
    vi.unstubAllEnvs();
    expect(unpack().length).toBe(4);
  });
});
