import { describe, expect, it } from "vitest";
import type { IptablesTable } from "../../../model/index.ts";
import { sourceOf } from "../../source.ts";
import { printTable } from "../rule/print.ts";
import { readSave } from "../save/save.ts";
import { applyCommand } from "./apply.ts";
import { parseCommand } from "./commands.ts";

const START = `*filter
:INPUT ACCEPT [5:300]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:X - [0:0]
[7:420] -A INPUT -i a -p tcp -m tcp --dport 80 -j ACCEPT
-A INPUT -i b -j X
-A INPUT -i c -j DROP
COMMIT
`;
const start = (): readonly IptablesTable[] =>
  readSave(sourceOf("dump", START), {}).document.parts.flatMap((p) => (p.kind === "table" ? [p.table] : []));

/** The rules after some commands, or the code of the first error. */
function after(...lines: readonly string[]): string {
  let tables = start();
  for (const line of lines) {
    const facts = parseCommand(line).facts;
    for (const fact of facts) {
      if (fact.kind !== "iptables-commands") continue;
      for (const command of fact.commands) {
        const applied = applyCommand(tables, command);
        if ("error" in applied) return applied.error.code;
        tables = applied.tables;
      }
    }
  }
  return tables.map((t) => printTable(t, { counters: false })).join("\n");
}
const rules = (...lines: readonly string[]) =>
  after(...lines)
    .split("\n")
    .filter((l) => l.startsWith("-A"));

const A = "-A INPUT -i a -p tcp -m tcp --dport 80 -j ACCEPT";
const B = "-A INPUT -i b -j X";
const C = "-A INPUT -i c -j DROP";

describe("commands on tables", () => {
  it("append, insert, delete, replace", () => {
    expect(rules("iptables -A INPUT -i d")).toEqual([A, B, C, "-A INPUT -i d"]);
    expect(rules("iptables -I INPUT -i d")).toEqual(["-A INPUT -i d", A, B, C]);
    expect(rules("iptables -I INPUT 4 -i d")).toEqual([A, B, C, "-A INPUT -i d"]);
    expect(rules("iptables -D INPUT 2")).toEqual([A, C]);
    expect(rules("iptables -R INPUT 2 -i d")).toEqual([A, "-A INPUT -i d", C]);
  });
  it("finds a rule whatever its counters and the order in which it is typed", () => {
    expect(rules("iptables -D INPUT -j ACCEPT -p tcp --dport 80 -i a")).toEqual([B, C]);
    expect(after("iptables -C INPUT -p 6 --dport 80 -i a -j ACCEPT")).toContain(A);
    expect(after("iptables -C INPUT -i zz")).toBe("no-such-rule");
    expect(after("iptables -D INPUT -i zz")).toBe("no-such-rule");
  });
  it("chains", () => {
    expect(after("iptables -N Y", "iptables -A Y -j DROP", "iptables -E Y Z")).toContain(":Z -\n");
    expect(rules("iptables -E X Z")[1]).toBe("-A INPUT -i b -j Z");
    expect(after("iptables -N X")).toBe("chain-exists");
    expect(after("iptables -X X")).toBe("chain-in-use");
    expect(after("iptables -D INPUT 2", "iptables -X X")).not.toContain(":X ");
    expect(after("iptables -D INPUT 2", "iptables -A X -i q", "iptables -X X")).toBe("chain-not-empty");
    expect(after("iptables -X INPUT")).toBe("built-in-chain");
    expect(after("iptables -D INPUT 2", "iptables -X")).not.toContain(":X ");
    expect(after("iptables -X")).toBe("chain-in-use");
    expect(after("iptables -A NOWHERE -j DROP")).toBe("no-such-chain");
    expect(after("iptables -A INPUT -j NOWHERE")).toBe("no-such-chain");
  });
  it("policies, flushing, counters", () => {
    expect(after("iptables -P FORWARD DROP")).toContain(":FORWARD DROP [0:0]");
    expect(after("iptables -P X DROP")).toBe("built-in-chain");
    expect(rules("iptables -F INPUT")).toEqual([]);
    expect(rules("iptables -F")).toEqual([]);
    expect(after("iptables -Z")).toContain(":INPUT ACCEPT [0:0]");
    expect(after("iptables -I INPUT 9 -i d")).toBe("number-too-big");
    expect(after("iptables -D INPUT 9")).toBe("number-too-big");
  });
  it("a table that nobody dumped starts empty", () => {
    const text = after("iptables -t nat -A POSTROUTING -j MASQUERADE");
    expect(text).toContain(
      "*nat\n:PREROUTING ACCEPT\n:INPUT ACCEPT\n:OUTPUT ACCEPT\n:POSTROUTING ACCEPT\n-A POSTROUTING -j MASQUERADE\nCOMMIT",
    );
  });
  it("changes nothing in place", () => {
    const tables = start();
    const before = JSON.stringify(tables);
    const fact = parseCommand("iptables -I INPUT -j DROP").facts[0]!;
    if (fact.kind === "iptables-commands") applyCommand(tables, fact.commands[0]!);
    expect(JSON.stringify(tables)).toBe(before);
  });
});
