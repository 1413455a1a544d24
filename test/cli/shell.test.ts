import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";

const have = (tool: string): boolean => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;

/** What bash offers after these words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await hairpin("completion", "bash");
  const script = `${out}
COMP_WORDS=(hairpin "$@"); COMP_CWORD=$#
_hairpin
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const run = spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
  expect(run.stderr).toBe("");
  return run.stdout.split("\n").filter((l) => l !== "");
}

describe("completion", () => {
  test("bash offers commands, options and the words an option takes", async () => {
    expect(await offered("dia")).toEqual(["diagnose"]);
    expect(await offered("diagnose", "--fr")).toEqual(["--from"]);
    expect(await offered("diagnose", "x", "--proto", "")).toEqual(["tcp", "udp", "sctp", "icmp"]);
    expect(await offered("trace", "--via", "no")).toEqual(["nodeport"]);
    expect(await offered("help", "tr")).toEqual(["trace"]);
  });

  test.skipIf(!have("zsh"))("zsh reads its script", async () => {
    const { out } = await hairpin("completion", "zsh");
    expect(spawnSync("zsh", ["-n"], { input: out, encoding: "utf8" }).stderr).toBe("");
  });

  test.skipIf(!have("fish"))("fish reads its script", async () => {
    const { out } = await hairpin("completion", "fish");
    const file = join(mkdtempSync(join(tmpdir(), "hairpin-fish-")), "hairpin.fish");
    writeFileSync(file, out);
    expect(spawnSync("fish", ["--no-execute", file], { encoding: "utf8" }).stderr).toBe("");
    rmSync(dirname(file), { recursive: true });
  });

  test("every command is in every script", async () => {
    const { out: help } = await hairpin("--help");
    const names = [...help.matchAll(/^ {2}([a-z]+) /gm)].map((m) => m[1] ?? "").filter((n) => n !== "help");
    expect(names).toContain("diagnose");
    for (const shell of ["bash", "zsh", "fish"]) {
      const { out } = await hairpin("completion", shell);
      expect(names.filter((n) => !out.includes(n))).toEqual([]);
    }
  });

  test("another shell is refused with those there are", async () => {
    const { status, err } = await hairpin("completion", "tcsh");
    expect(status).toBe(64);
    expect(err).toMatch(/bash, zsh, fish/);
  });
});

describe("the manual page", () => {
  test("names every option of every command", async () => {
    const { out } = await hairpin("man");
    for (const option of ["from", "to", "assume", "try", "batch", "ssh", "backend"])
      expect(out).toContain(`\\-\\-${option}`);
    expect(out).toContain(".SH EXIT STATUS");
  });

  test.skipIf(!have("groff"))("is sound roff", async () => {
    const { out } = await hairpin("man");
    const run = spawnSync("groff", ["-man", "-Tutf8", "-ww", "-z"], { input: out, encoding: "utf8" });
    expect(run.stderr).toBe("");
  });
});

describe("did you mean", () => {
  test("a mistyped command or option is answered with the right one", async () => {
    expect((await hairpin("diagnos")).err).toContain("diagnose");
    const { err, status } = await hairpin("diagnose", "x", "--fro", "y");
    expect(err).toContain("--from");
    expect(status).toBe(64);
  });
});
