import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { markdownReport } from "../../packages/cli/src/report/markdown.ts";
import { sarifReport } from "../../packages/cli/src/report/sarif.ts";
import { Askable, diagnose, type LoadedCase } from "../../packages/core/src/diagnose/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";
import { MOST_BYTES, reportHtml } from "../../packages/web/src/report/report.ts";
import { bundledCases } from "../cases/bundled.ts";
import { folderOf, hairpin } from "../check/surface.ts";
import { bundle, filesOf } from "../web/browser.ts";

const root = resolve(import.meta.dirname, "../..");
const { path: folder, remove } = folderOf({});
afterAll(remove);

interface Sarif {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly Rule[] } };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly partialFingerprints: Readonly<Record<string, string>>;
        readonly locations: readonly {
          readonly physicalLocation: {
            readonly artifactLocation: { readonly uri: string; readonly uriBaseId: string };
            readonly region?: { readonly startLine: number };
          };
        }[];
      }[];
    },
  ];
}
interface Rule {
  readonly id: string;
  readonly shortDescription: { readonly text: string };
  readonly fullDescription: { readonly text: string };
  readonly help: { readonly text: string; readonly markdown: string };
  readonly helpUri: string;
}

const sarifOf = async (...args: readonly string[]): Promise<Sarif["runs"][0]> =>
  (JSON.parse((await hairpin("diagnose", ...args, "--sarif")).out) as Sarif).runs[0];

describe.each(bundledCases())("reports of $name", ({ askable, path }) => {
  const diagnosis = diagnose(askable, {});
  const quote = (file: string, line: number) => askable.quote(file, line);

  test("Markdown has a diagram, and folds what is not needed at first", () => {
    for (const lang of ["en", "zh"] as const) {
      const said = markdownReport(diagnosis, quote, lang);
      const [, diagram = ""] = /```mermaid\n(sequenceDiagram\n[\s\S]*?)```/.exec(said) ?? [];
      expect(diagram).toMatch(/participant p0 as /);
      for (const line of diagram.trimEnd().split("\n").slice(1))
        expect(line).toMatch(/^ {2}(?:participant p\d+ as \S.*|p\d+--?>>p\d+: \S.*|Note over p\d+: \S.*)$/);
      expect(diagram.includes("✕")).toBe(diagnosis.judgement.verdict !== "reachable");
      expect(said.match(/<details>/g)?.length).toBe(said.match(/<\/details>/g)?.length);
      expect(said).toContain("<details>");
    }
  });

  test("SARIF teaches each rule, marks each finding and lies in the repository", async () => {
    const { tool, results } = await sarifOf(path);
    for (const rule of tool.driver.rules) {
      for (const said of [rule.shortDescription.text, rule.fullDescription.text, rule.help.text, rule.help.markdown])
        expect(said.length).toBeGreaterThan(10);
      expect(() => new URL(rule.helpUri)).not.toThrow();
    }
    for (const { ruleId, ruleIndex, partialFingerprints, locations } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(partialFingerprints["hairpinFinding/v1"]).toMatch(/^[0-9a-f]{32}$/);
      for (const { physicalLocation } of locations) {
        expect(physicalLocation.artifactLocation.uri).toMatch(new RegExp(`^${relative(root, path)}/`));
        expect(physicalLocation.artifactLocation.uriBaseId).toBe("%SRCROOT%");
        expect(physicalLocation.region?.startLine).toBeGreaterThan(0);
      }
    }
    expect(new Set(results.map((r) => r.partialFingerprints["hairpinFinding/v1"])).size).toBe(results.length);
  });
});

describe("SARIF", () => {
  const [{ askable, path }] = bundledCases() as [ReturnType<typeof bundledCases>[number]];
  test("names the page of the site where that is known", () => {
    const said = sarifReport(diagnose(askable, {}), (uri) => ({ uri, whole: true }), "https://docs.example/hairpin");
    const { rules } = (JSON.parse(said) as Sarif).runs[0].tool.driver;
    expect(rules[0]?.helpUri).toBe(`https://docs.example/hairpin/causes/${rules[0]?.id}.html`);
  });

  test("points at a bundle where the line lies in one, and keeps its prints", async () => {
    mkdirSync(join(folder, ".git"));
    const packed = join(folder, "snapshots");
    mkdirSync(packed);
    writeFileSync(join(packed, "node.tar.gz"), bundle(filesOf(path)));
    const inBundle = await sarifOf(join(packed, "node.tar.gz"));
    const { physicalLocation } = inBundle.results[0]!.locations[0]!;
    expect(physicalLocation).toEqual({ artifactLocation: { uri: "snapshots/node.tar.gz", uriBaseId: "%SRCROOT%" } });
    const inFolder = await sarifOf(path);
    expect(inBundle.results.map((r) => r.partialFingerprints)).toEqual(
      inFolder.results.map((r) => r.partialFingerprints),
    );
  });
});

describe("whatever stands in a dump", () => {
  const long = "x".repeat(5_000);
  const hostile = `a;b #c "d" \`\`\` <script> %% ${long}`;
  const rules = Array.from(
    { length: 3_000 },
    (_, i) => `-A OUTPUT -d 10.9.${i >> 8}.${i & 255}/32 -m comment --comment "${long.slice(0, 300)}" -j LOG`,
  );
  const inputs = [
    {
      path: `nodes/${hostile.replaceAll("/", "_").slice(0, 200)}/iptables-save.txt`,
      text: `*filter\n:OUTPUT ACCEPT [0:0]\n${rules.join("\n")}\n-A OUTPUT -d 192.0.2.9/32 -j DROP\nCOMMIT\n`,
    },
    { path: "ip-addr.txt", text: "2: eth0: <BROADCAST,UP> mtu 1500\n    inet 10.0.0.5/24 scope global eth0\n" },
  ];
  const loaded: LoadedCase = { inputs, reading: readCase(inputs), notes: [] };
  const askable = new Askable(loaded, []);
  const diagnosis = diagnose(askable, { from: "10.0.0.5", to: "192.0.2.9:80" });
  const quote = (file: string, line: number) => askable.quote(file, line);

  test("ends no fence and no statement of a diagram", () => {
    const [, diagram = ""] = /```mermaid\n([\s\S]*?)\n```/.exec(markdownReport(diagnosis, quote, "en")) ?? [];
    for (const line of diagram.split("\n").slice(1))
      expect(line).toMatch(/^ {2}(?:participant p\d+ as |p\d+--?>>p\d+: |Note over p\d+: )(?:[^;#<>"`%]|#\d+;)*$/);
  });

  test("keeps the HTML below its cap, in bytes, style and script and all", () => {
    const assets = { css: "p{}".repeat(5_000), cssHash: "c", js: "0;".repeat(5_000), jsHash: "j" };
    for (const lang of ["en", "zh"] as const)
      expect(Buffer.byteLength(reportHtml({ diagnosis, quote, missing: [] }, lang, assets))).toBeLessThanOrEqual(
        MOST_BYTES,
      );
  });
});
