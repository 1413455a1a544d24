import type { IptablesTable, Stack } from "../model/index.ts";
import type { Dump, Facts } from "../parse/index.ts";
import { emptyTable } from "../parse/iptables/command/apply.ts";
import { showsState } from "./dumped.ts";
import { applyChange } from "./patch/apply.ts";
import type { Change } from "./patch/change.ts";

/** Commands that somebody typed in a transcript, as changes. */
function changesIn(dump: Dump): readonly Change[] {
  return dump.reading.facts.flatMap((fact): readonly Change[] => {
    switch (fact.kind) {
      case "iptables-commands":
        return fact.commands.map((command) => ({ kind: "iptables", command }));
      case "ipset-commands":
        return fact.commands.map((command) => ({ kind: "ipset", command }));
      case "ipvs-commands":
        return fact.commands.map((command) => ({ kind: "ipvs", command }));
      case "sysctl-commands":
        return fact.commands.map((command) => ({ kind: "sysctl", command }));
      case "ip-commands":
        return fact.commands.map((command) => ({ kind: "ip", command }));
      default:
        return [];
    }
  });
}

/**
 * Applies the commands of a transcript to the state they were typed on, by a rule that would rather leave one out than take a
 * cure for the disease:
 *
 * - LOG, NFLOG and TRACE rules decide nothing; they are applied if a log or capture follows them in the same text and no later
 *   listing shows the table with or without them.
 * - Any other command is applied only if it sets the scene: nothing of that stack stands before it in the text, something
 *   follows, and no dump shows what it changes. A script that is all there is of a stack sets the scene too.
 */
export function applyTyped(stack: Stack, dumps: readonly Dump[]): Stack {
  let current = stack;
  for (const block of dumps) {
    for (const change of changesIn(block)) {
      if (!isOfTheScene(change, block, dumps)) continue;
      const result = applyChange(withPartialTable(current, change), change);
      if (result.ok) current = result.stack;
    }
  }
  return current;
}

const isTyped = (dump: Dump): boolean => changesIn(dump).length > 0;
const OBSERVES: ReadonlySet<string> = new Set(["kernel-log", "tcpdump", "nft-trace"]);

function isOfTheScene(change: Change, block: Dump, dumps: readonly Dump[]): boolean {
  const text = dumps.filter((d) => d.file === block.file && !isTyped(d));
  const before = text.filter((d) => d.lines[0] < block.lines[0]);
  const after = text.filter((d) => d.lines[0] > block.lines[1]);
  const shown = dumps.filter((d) => d.reading.facts.some((f) => shows(f, change)));
  if (isDiagnostic(change)) {
    const explains = after.some((d) => OBSERVES.has(d.dialect.id));
    return explains && !shown.some((d) => after.includes(d) || d.file !== block.file);
  }
  if (shown.length > 0) return false;
  return text.length === 0 ? !dumps.some(showsState) : before.length === 0;
}

const DIAGNOSTIC: ReadonlySet<string> = new Set(["log", "nflog", "ulog", "trace"]);

function isDiagnostic(change: Change): boolean {
  if (change.kind !== "iptables") return false;
  const { operation } = change.command;
  return "rule" in operation && DIAGNOSTIC.has(operation.rule.target.kind);
}

/** Whether a fact lists what a change is about. */
function shows(fact: Facts, change: Change): boolean {
  switch (change.kind) {
    case "iptables": {
      const { table, family } = change.command;
      return fact.kind === "iptables" && fact.tables.some((t) => t.name === table && t.family === family);
    }
    case "ipset":
    case "ipvs":
      return fact.kind === change.kind;
    case "sysctl":
      return fact.kind === "sysctls" && fact.entries.some((e) => e.key === change.command.key);
    case "ip":
      return (
        fact.kind ===
        (change.command.kind === "rule"
          ? "routing-rules"
          : change.command.kind.startsWith("route")
            ? "routes"
            : "devices")
      );
    default:
      return false;
  }
}

/** Typed rules show a part of a table: what else stands in it nobody said. */
function withPartialTable(stack: Stack, change: Change): Stack {
  if (change.kind !== "iptables") return stack;
  const { table, family, origin } = change.command;
  if (stack.netfilter.tables.some((t) => t.name === table && t.family === family)) return stack;
  const empty = emptyTable(change.command, origin);
  const partial: IptablesTable = {
    ...empty,
    chains: empty.chains.map((c) => ({ ...c, rules: c.rules, extent: "partial" })),
    extent: "partial",
  };
  return { ...stack, netfilter: { ...stack.netfilter, tables: [...stack.netfilter.tables, partial] } };
}
