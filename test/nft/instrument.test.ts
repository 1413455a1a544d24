import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";

const cases = resolve(import.meta.dirname, "../../cases");

interface Json {
  readonly nodes: readonly {
    readonly node: string;
    readonly add: readonly string[];
    readonly remove: readonly string[];
    readonly show: readonly string[];
  }[];
}

function canRun(): boolean {
  try {
    execFileSync("unshare", ["-n", "nft", "list", "ruleset"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A case of two nodes whose rules are native nftables'. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hairpin-instrument-nft-"));
  cpSync(join(cases, "nft-mark-overwritten"), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const asked = async (...options: string[]): Promise<Json> =>
  JSON.parse((await hairpin("instrument", folder, "--json", ...options)).out) as Json;

describe("instrument on nodes of native nftables", () => {
  test.each(["log", "trace", "nft"])("lays nft's own rules, in tables of their own: %s", async (method) => {
    const { nodes } = await asked("--method", method);
    const laid = nodes.filter((n) => n.add.length > 0);
    expect(laid.length).toBeGreaterThan(0);
    for (const { add, remove, show } of laid) {
      expect([...add, ...remove].join("\n")).not.toMatch(/iptables|flush/);
      expect(remove.every((c) => /^nft delete table ip6? hairpin_\w+$/.test(c))).toBe(true);
      expect(add.filter((c) => c.includes("add rule")).every((c) => c.includes("limit rate 10/second"))).toBe(true);
      expect(show[0]).toMatch(method === "log" ? /dmesg/ : /^nft monitor trace$/);
    }
  });

  test.skipIf(!canRun())("nft takes them, and nothing stays", async () => {
    for (const method of ["log", "trace"]) {
      for (const { add, remove } of (await asked("--method", method)).nodes) {
        const script = [...add, ...remove, "nft list ruleset"].join("\n");
        expect(execFileSync("unshare", ["-n", "sh", "-ec", script], { encoding: "utf8" }).trim()).toBe("");
      }
    }
  });
});
