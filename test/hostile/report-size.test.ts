import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MOST } from "../../packages/web/src/report/fit.ts";
import { folderOf, hairpin } from "../check/surface.ts";
import { SHAPES } from "./shapes/index.ts";

const shape = (name: string, n: number) => SHAPES.find((s) => s.name === name)!.files(n);

describe("a report has a size that can be mailed", () => {
  test.each([
    [
      "rules that all match",
      shape("rules that all match", 20_000),
      /\d+ steps and \d+ branches of the walk are left out/,
    ],
    ["endpoints by chance", shape("endpoints by chance", 300), /left out/],
    ["chains that jump twice to the next", shape("chains that jump twice to the next", 24), /left out/],
    [
      "a chain whose name is longer than a report",
      {
        ...shape("routing rules", 1),
        "iptables-save.txt": `*filter\n:OUTPUT ACCEPT [0:0]\n:${"x".repeat(300_000)} - [0:0]\n-A OUTPUT -j ${"x".repeat(300_000)}\n-A ${"x".repeat(300_000)} -j DROP\nCOMMIT\n`,
      },
      /undiagnosed|left out|too large|UNREACHABLE|unreachable|Unreachable/i,
    ],
  ])(
    "%s",
    async (_, files, said) => {
      const folder = folderOf(files);
      try {
        const file = join(folder.path, "report.html");
        const { err } = await hairpin(
          "diagnose",
          folder.path,
          "--from",
          "node/node",
          "--to",
          "10.96.0.1:443",
          "--html",
          file,
        );
        expect(err).toBe("");
        const report = readFileSync(file, "utf8");
        expect(report.length).toBeLessThan(MOST + 10_000);
        expect(report).toMatch(said);
        const [, json] = /<script type="application\/json" id="diagnosis">(.*?)<\/script>/s.exec(report)!;
        expect(JSON.parse(json!).schema).toBe("hairpin/diagnosis/1");
      } finally {
        folder.remove();
      }
    },
    240_000,
  );
});

test("a ticket's text of a walk of half a million steps takes no longer than the walk", async () => {
  const folder = folderOf(shape("chains that jump twice to the next", 24));
  try {
    const before = process.cpuUsage();
    const ask = ["--from", "node/node", "--to", "10.96.0.1:443"];
    const { out } = await hairpin("diagnose", folder.path, ...ask, "--markdown");
    const { user, system } = process.cpuUsage(before);
    expect(out).toContain("sequenceDiagram");
    expect((user + system) / 1e6).toBeLessThan(20);
  } finally {
    folder.remove();
  }
}, 240_000);
