import { causesIn, undecidedAlike } from "@hairpin/core/sweep/index.ts";
import { madeClass, madeSweep, manyServices } from "@hairpin/testing/made-sweep.ts";
import { describe, expect, test } from "vitest";
import { columns } from "../../packages/cli/src/report/layout.ts";
import { styleFor } from "../../packages/cli/src/report/style.ts";
import { sweepMarkdown } from "../../packages/cli/src/report/sweep/sweep-reports.ts";
import { sweepText } from "../../packages/cli/src/report/sweep/sweep-text.ts";

const plain = styleFor({ isTTY: false }, {});
const coloured = styleFor({ isTTY: true }, {});
const bare = (line: string): string => line.replace(/\u001b\[[0-9;]*m/g, "");

describe("a sweep on a terminal", () => {
  const found = manyServices(300);
  test.each(["en", "zh"] as const)("is one screen of 80 columns and 24 lines (%s)", (lang) => {
    for (const style of [plain, coloured]) {
      const lines = sweepText(found, { style, lang, verbose: false, paths: ["cluster.tar.gz"], width: 80 }).split("\n");
      expect(lines.length - 1).toBeLessThanOrEqual(24);
      expect(lines.filter((l) => columns(bare(l)) > 80)).toEqual([]);
    }
  });

  test("a larger one has room for more causes", () => {
    const code = (n: number): string => `CAUSE_${"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n]}`;
    const classes = Array.from({ length: 20 }, (_, n) =>
      madeClass(n, { from: "pod", service: `a/b${n}`, flows: 3, verdict: "unreachable", code: code(n) }),
    );
    const told = (height: number): readonly string[] =>
      sweepText(madeSweep(classes), {
        style: plain,
        lang: "en",
        verbose: false,
        paths: ["x"],
        width: 80,
        height,
      }).split("\n");
    const causes = (height: number): number => told(height).filter((l) => /^ +\d+ {2}[A-Z_]+ at /.test(l)).length;
    expect([told(50).length - 1 <= 50, causes(50)]).toEqual([true, 16]);
    expect([causes(24), causes(10)]).toEqual([3, 3]);
  });

  test("the same cause at many places is told once, and by itself with -v", () => {
    const classes = Array.from({ length: 4 }, (_, n) =>
      madeClass(n, { from: "pod", service: `a/b${n}`, flows: 3 + n, verdict: "unreachable", code: "NO_ENDPOINTS" }),
    );
    const told = (verbose: boolean, few = classes): readonly string[] =>
      sweepText(madeSweep(few), { style: plain, lang: "en", verbose, paths: ["x"] })
        .split("\n")
        .filter((l) => l.includes("NO_ENDPOINTS at "))
        .map((l) => l.trim());
    expect(told(false)).toEqual(["1  NO_ENDPOINTS at svc/a/b3 and 3 more: 18 flows from everybody to 4 targets"]);
    expect(told(true)).toHaveLength(4);
    expect(told(false, classes.slice(0, 2))).toHaveLength(2);
  });

  test("the fix that heals most can be copied, and no figure of the matrix is cut", () => {
    const patch = `kubectl -n payments patch service checkout-frontend -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'`;
    const service = "payments-of-the-north/checkout-frontend-internal-canary-v2";
    const kinds = ["pod", "endpoint", "node", "external"] as const;
    const classes = [
      ...kinds.map((from, i) => ({
        ...madeClass(1, { from, service, flows: 1_234, verdict: "unreachable", code: "RULE_DROP", commands: [patch] }),
        id: `1.${i}`,
      })),
      madeClass(2, { from: "pod", service: "a/all", flows: 3, verdict: "undetermined", fact: "x" }),
      ...[3, 4, 5, 6].map((n) =>
        madeClass(n, { from: "pod", service: `a/b${n}`, flows: 3, verdict: "unreachable", code: `C${n}` }),
      ),
    ];
    const swept = { ...madeSweep(classes), flows: 1_000_000 };
    const lines = sweepText(swept, { style: plain, lang: "en", verbose: false, paths: ["x"], width: 80 }).split("\n");
    const at = lines.findIndex((l) => l.startsWith("The fix that heals most, 4936 flows:"));
    const told = lines.slice(at + 1, at + 3).map((l) => l.replace(/ \\$/, "").trim());
    expect(told.join(" ")).toBe(patch);
    const row = lines.find((l) => l.includes("payments-of") && l.includes("1234/1234"));
    expect(row?.match(/1234\/1234/g)).toHaveLength(4);
    expect(row).toContain("…");
    expect([lines.length - 1 <= 24, lines.filter((l) => columns(l) > 80)]).toEqual([true, []]);
  });

  test("of a single cause nothing is cut", () => {
    const commands = [`kubectl -n payments patch service checkout -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'`];
    const summary =
      "the request is dropped on a node that has no endpoint of the Service, whose traffic policy is Local";
    const one = madeClass(1, {
      from: "pod",
      service: "a/b",
      flows: 3,
      verdict: "unreachable",
      code: "C",
      commands,
      summary,
    });
    const out = sweepText(madeSweep([one]), { style: plain, lang: "en", verbose: false, paths: ["x"], width: 80 });
    const words = out.replace(/ \\\n/g, " ").replace(/\s+/g, " ");
    expect([words.includes(commands[0]!), words.includes(summary)]).toEqual([true, true]);
    expect(out.split("\n").filter((l) => columns(l) > 80)).toEqual([]);
  });

  test("-v, and no terminal: nothing is cut", () => {
    const whole = { style: plain, lang: "en", paths: ["cluster.tar.gz"] } as const;
    const all = sweepText(found, { ...whole, verbose: true, width: 80 });
    expect(all.match(/Worked example/g)?.length).toBe(causesIn(found.classes).length);
    expect(sweepText(found, { ...whole, verbose: false })).not.toContain("…");
  });

  test("what is broken for everybody stands before what is broken for some, however many", () => {
    const { classes } = madeSweep([
      madeClass(1, {
        from: "pod",
        service: "a/some",
        flows: 500,
        verdict: "unreachable",
        code: "RULE_DROP",
        commands: ["iptables -F"],
      }),
      { ...madeClass(1, { from: "node", service: "a/some", flows: 5, verdict: "reachable" }), id: "1.1" },
      madeClass(2, { from: "pod", service: "a/all", flows: 3, verdict: "unreachable", code: "NO_ENDPOINTS" }),
      madeClass(3, { from: "node", service: "a/all", flows: 2, verdict: "unreachable", code: "NO_ENDPOINTS" }),
    ]);
    expect(causesIn(classes).map((c) => [c.code, c.everybody, c.flows])).toEqual([
      ["NO_ENDPOINTS", true, 5],
      ["RULE_DROP", false, 500],
    ]);
    const out = sweepText(madeSweep(classes), { style: plain, lang: "en", verbose: false, paths: ["x y;z"] });
    expect(out).toContain("The fix that heals most, 500 flows: iptables -F");
    expect(out).toContain("5 flows from everybody to 1 target");
    expect(out).toContain("hairpin diagnose 'x y;z' --from");
  });

  test("a socket that nobody showed on any node is one line, and each flow counts once", () => {
    const open = (number: number, node: string) => ({
      ...madeClass(number, { from: "pod", service: "a/b", flows: 4, verdict: "undetermined" }),
      facts: [{ fact: `${node}/listen/tcp/10250`, command: "ss -lntp" }],
    });
    const both = { ...open(3, "node-1"), facts: [...open(3, "node-1").facts, ...open(3, "node-2").facts] };
    const classes = [open(1, "node-1"), open(2, "node-2"), both];
    expect(undecidedAlike(classes)).toEqual([
      { fact: "*/listen/tcp/10250", nodes: 2, command: "ss -lntp", classes: 3, flows: 12 },
    ]);
    expect(undecidedAlike([open(1, "node-1")]).map((f) => [f.fact, f.nodes])).toEqual([["node-1/listen/tcp/10250", 1]]);
    const out = sweepText(madeSweep(classes), { style: plain, lang: "en", verbose: false, paths: ["x"] });
    expect(out).toContain("*/listen/tcp/10250 of 2: 12 flows");
  });

  test("machines that nobody dumped are one line, and one command reads them", () => {
    const open = (number: number, fact: string, command: string) => ({
      ...madeClass(number, { from: "pod", service: "a/b", flows: 4, verdict: "undetermined" }),
      facts: [{ fact, command }],
    });
    const unshown = [1, 2].map((n) => open(n, `node-${n}/unshown`, `hairpin collect --ssh node-${n}`));
    const others = [
      open(3, "node-1/connections", "conntrack -L -p udp"),
      open(4, "node-2/connections", "conntrack -L -p udp"),
      open(5, "endpoint/10.0.0.1", "kubectl get pods"),
    ];
    expect(undecidedAlike([...unshown, ...others]).map((f) => [f.fact, f.nodes, f.command, f.flows])).toEqual([
      ["*/connections", 2, "conntrack -L -p udp", 8],
      ["*/unshown", 2, "hairpin collect --kubectl", 8],
      ["endpoint/10.0.0.1", 1, "kubectl get pods", 4],
    ]);
    expect(undecidedAlike(unshown.slice(1))[0]!.command).toBe("hairpin collect --ssh node-2");
  });

  test("what is open though no fact is has its example", () => {
    const open = madeClass(1, { from: "pod", service: "a/b", flows: 4, verdict: "undetermined" });
    for (const width of [undefined, 100]) {
      const out = sweepText(madeSweep([open]), { style: plain, lang: "en", verbose: false, paths: ["x"], width });
      expect(out).toMatch(/no fact by itself decides 4 flows:?\s+hairpin diagnose x --from pod\/shop\/web-1/);
    }
    expect(sweepMarkdown(madeSweep([open]), ["x"], "en")).toContain("no fact by itself decides 4 flows: `hairpin");
  });

  test("what works sometimes and has no cause has a sentence", () => {
    const classes = [madeClass(1, { from: "pod", service: "a/b", flows: 4, verdict: "intermittent" })];
    const out = sweepText(madeSweep(classes), { style: plain, lang: "en", verbose: false, paths: ["x"] });
    expect(out).toContain("NO_CAUSE_INTERMITTENT at node/node-1: 4 flows from everybody");
    expect(out).toContain("No cause is known by name");
  });
});
