import { describe, expect, it } from "vitest";
import type { DumpContext } from "../../dialect.ts";
import { sourceOf } from "../../source.ts";
import { printRule } from "../rule/print.ts";
import { readRules } from "./reading.ts";

const read = (text: string, context: DumpContext = {}) => {
  const { facts, diagnostics, counts } = readRules(sourceOf("paste", text), context);
  const tables = facts.flatMap((f) => (f.kind === "iptables" ? f.tables : []));
  return { tables, counts, codes: diagnostics.map((d) => d.code), diagnostics };
};
const names = (text: string) => read(text).tables.map((t) => t.name);

describe("iptables -S", () => {
  it("is whole where it names every chain", () => {
    const { tables, codes } = read(
      "-P INPUT ACCEPT\n-P FORWARD DROP\n-P OUTPUT ACCEPT\n-N X\n-A INPUT -j X\n-A X -j RETURN\n",
      {
        command: ["iptables", "-S"],
        iptablesTable: { value: "filter", by: "command" },
      },
    );
    expect(codes).toEqual([]);
    expect(tables[0]).toMatchObject({ name: "filter", extent: "whole" });
    expect(tables[0]!.chains.map((c) => [c.name, c.policy, c.extent])).toEqual([
      ["INPUT", "ACCEPT", "whole"],
      ["FORWARD", "DROP", "whole"],
      ["OUTPUT", "ACCEPT", "whole"],
      ["X", undefined, "whole"],
    ]);
  });
  it("of one chain tells nothing of the others", () => {
    const { tables } = read("-N X\n-A X -j Y\n", { command: ["iptables", "-t", "nat", "-S", "X"] });
    expect(tables[0]).toMatchObject({ name: "nat", extent: "partial" });
    expect(tables[0]!.chains[0]).toMatchObject({ name: "X", extent: "whole" });
  });
  it("takes counters of -S -v", () => {
    const { tables } = read("-P INPUT ACCEPT -c 1 2\n-A INPUT -c 3 4 -j ACCEPT\n");
    expect(tables[0]!.chains[0]!.rules[0]!.counters).toEqual({ packets: 3, bytes: 4 });
  });
});

describe("rules without their table", () => {
  it("find it by what only one table can hold", () => {
    expect(names("-A X -j MASQUERADE\n")).toEqual(["nat"]);
    expect(names("-A X -p tcp -j TPROXY --on-port 1\n")).toEqual(["mangle"]);
    expect(names("-A X -j NOTRACK\n")).toEqual(["raw"]);
    expect(names("-A X -j REJECT\n")).toEqual(["filter"]);
    expect(names("-A POSTROUTING -j X\n-A X -j ACCEPT\n")).toEqual(["nat"]);
    expect(names("-A FORWARD -i a -j ACCEPT\n")).toEqual(["filter"]);
    expect(names("-A A -j B\n-A B -j C\n-A C -p tcp -j REDIRECT --to-ports 5\n")).toEqual(["nat"]);
  });
  it("or by a well-known chain, or are taken for filter; either is said", () => {
    expect(names("-A KUBE-SERVICES -j KUBE-MARK-MASQ\n")).toEqual(["nat"]);
    const { tables, diagnostics } = read("-A X -j Y\n");
    expect(tables[0]).toMatchObject({ name: "filter", extent: "partial" });
    expect(diagnostics).toEqual([expect.objectContaining({ code: "iptables-table-assumed", severity: "note" })]);
  });
  it("of two tables come apart", () => {
    expect(names("-A A -j MASQUERADE\n-A B -j REJECT\n").sort()).toEqual(["filter", "nat"]);
    // Through grep: a chain line after rules begins the next table.
    const { tables } = read(":KUBE-X - [0:0]\n-A POSTROUTING -j KUBE-X\n:KUBE-X - [0:0]\n-A KUBE-X -j REJECT\n", {
      partial: { value: "grep", by: "command" },
    });
    expect(tables.map((t) => [t.name, t.extent, t.chains.length])).toEqual([
      ["nat", "partial", 2],
      ["filter", "partial", 1],
    ]);
  });
  it("need no chain to be shown, and a missing one is no error", () =>
    expect(read("-A X -j NOT-SHOWN\n").codes).toEqual(["iptables-table-assumed"]));
  it("keep counters, indentation, and a diff's plus", () => {
    const { tables, codes } = read(
      "[12:720] -A X -j DROP\n  -A X -i a\n+-A X -i b\n+A X -i c\n--A X -i d\n@@ -1,2 +1,2 @@\n",
    );
    expect(tables[0]!.chains[0]!.rules.map((r) => printRule(r, "X", 4))).toEqual([
      "[12:720] -A X -j DROP",
      "-A X -i a",
      "-A X -i b",
      "-A X -i c",
    ]);
    expect(codes).toEqual(["iptables-damaged-line", "iptables-removed-line", "iptables-table-assumed"]);
  });
  it("before a table are read apart from it", () => {
    const { tables } = read("-A X -j MASQUERADE\n*filter\n:INPUT DROP [0:0]\nCOMMIT\n");
    expect(tables.map((t) => [t.name, t.extent])).toEqual([
      ["nat", "partial"],
      ["filter", "whole"],
    ]);
  });
  it("show a chain that jumps to itself", () => expect(read("-A X -j X\n").codes).toContain("iptables-chain-loop"));
});
