import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const script = resolve(fileURLToPath(import.meta.url), "../../../packages/collect/src/collect.sh");
const top = mkdtempSync(join(tmpdir(), "k-collect-part-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const has = (tool: string) => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;

/** The folder that somebody else may write to, as /tmp; tools are left out so that it is quick. */
const collect = (shell: readonly string[], cwd: string, before: string, ...args: string[]) =>
  spawnSync("sh", ["-c", `${before}; exec "$@"`, "sh", ...shell, script, "--no-pods", ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, TMPDIR: top, HAIRPIN_SECONDS: "5" },
    timeout: 60_000,
  });

describe.each([["dash"], ["busybox sh"], ["bash --posix"]])("collect.sh under %s", (shell) => {
  const words = shell.split(" ");
  test.skipIf(!has(words[0]!))("no link that somebody planted is followed", () => {
    const folder = mkdtempSync(join(top, "wd-"));
    const victim = join(folder, "victim");
    writeFileSync(victim, "root only\n");
    // The name that the part file had, with the number that this process will have; and the bundle's own name.
    const plant = "for l in out.tar.gz out.tar.gz.part.$$ .hairpin.$$; do ln -s victim $l; done";
    const run = collect(words, folder, plant, "-o", "out.tar.gz");
    expect(run.status, run.stderr).toBe(0);
    expect(readFileSync(victim, "utf8")).toBe("root only\n");
    expect(lstatSync(join(folder, "out.tar.gz")).isFile()).toBe(true);
    expect(lstatSync(join(folder, "out.tar.gz")).mode & 0o777).toBe(0o600);
    expect(
      readdirSync(folder).filter((f) => f.startsWith(".hairpin.") && lstatSync(join(folder, f)).isDirectory()),
    ).toEqual([]);
  });

  test.skipIf(!has(words[0]!))("nothing is put into a folder that has the bundle's name", () => {
    const folder = mkdtempSync(join(top, "wd-"));
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync("elsewhere", join(folder, "out.tar.gz"));
    expect(collect(words, folder, ":", "-o", "out.tar.gz").status).not.toBe(0);
    expect(readdirSync(join(folder, "elsewhere"))).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(["elsewhere", "out.tar.gz"]);
    expect(existsSync(join(folder, "out.tar.gz"))).toBe(true);
  });
});
