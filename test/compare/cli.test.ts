import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hairpin } from "../check/surface.ts";

const CLUSTER = "docs/examples/diff/cluster";
const LOCAL = "docs/examples/diff/local";
const scratch = mkdtempSync(join(tmpdir(), "hairpin-diff-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("hairpin diff", () => {
  it("prints what docs/diff.md shows", async () => {
    const { out, status } = await hairpin("diff", CLUSTER, LOCAL);
    const page = readFileSync("docs/diff.md", "utf8");
    const shown = /\$ hairpin diff docs\S+ docs\S+\n([\s\S]*?)\n…\n/.exec(page)?.[1];
    expect(shown).toBeDefined();
    expect(out.startsWith(shown!)).toBe(true);
    expect(status).toBe(1);
  });

  it("has nothing to say of a case and itself", async () => {
    const { out, status } = await hairpin("diff", CLUSTER, CLUSTER);
    expect(out).toContain("A and B mean the same");
    expect(status).toBe(0);
  });

  it("prints JSON with both walks and the lines to blame", async () => {
    const { out } = await hairpin("diff", CLUSTER, LOCAL, "--json");
    const json = JSON.parse(out) as {
      schema: string;
      same: boolean;
      differences: {
        a: { ends: { clientSees: string }[] };
        b: { ends: { clientSees: string }[] };
        elements: { b: { text: string }[] }[];
      }[];
    };
    expect(json.schema).toBe("hairpin/diff/1");
    expect(json.same).toBe(false);
    const [first] = json.differences;
    expect(first!.a.ends.every((e) => e.clientSees === "connected")).toBe(true);
    expect(first!.b.ends.map((e) => e.clientSees)).toEqual(["timeout"]);
    expect(first!.elements.flatMap((e) => e.b.map((l) => l.text)).join("\n")).toContain("-j DROP");
  });

  it("compares before and after within one case", async () => {
    const dir = join(scratch, "moments");
    mkdirSync(join(dir, "before/nodes/n1"), { recursive: true });
    mkdirSync(join(dir, "after/nodes/n1"), { recursive: true });
    cpSync(CLUSTER, join(dir, "before/nodes/n1"), { recursive: true });
    const rules = readFileSync(join(CLUSTER, "iptables-save.txt"), "utf8");
    writeFileSync(join(dir, "after/nodes/n1/iptables-save.txt"), rules.replace(":FORWARD ACCEPT", ":FORWARD DROP"));
    const { out, status } = await hairpin("diff", dir);
    expect(out).toContain("filter FORWARD, changed");
    expect(status).toBe(1);
  });

  it("refuses what it cannot compare", async () => {
    expect((await hairpin("diff", CLUSTER)).status).toBe(64);
    expect((await hairpin("diff", CLUSTER, LOCAL, CLUSTER)).status).toBe(64);
    expect((await hairpin("diff", CLUSTER, LOCAL, "--node-a", "nobody")).status).toBe(64);
    expect((await hairpin("diff", CLUSTER, join(scratch, "nowhere"))).status).toBe(66);
  });

  it("says in Chinese what it says in English", async () => {
    const { out } = await hairpin("diff", CLUSTER, LOCAL, "--lang", "zh");
    expect(out).toContain("含义上有 2 处差异");
  });
});
