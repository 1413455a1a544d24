import { observationsOf } from "../assemble/index.ts";
import type { CaseFile } from "../model/index.ts";
import type { CaseReading, Dump } from "../parse/case/dump.ts";
import type { CaseInput } from "../parse/case/input.ts";
import type { Learnt } from "../parse/dialect.ts";
import { checkBundles } from "./bundles.ts";
import { nodesWithAllRules } from "./collected.ts";
import { contradictionsOf } from "./contradictions/index.ts";
import { datapathsOf } from "./datapaths.ts";
import { differencesOf } from "./differences/index.ts";
import { LineTexts } from "./line-texts.ts";
import { missingOf } from "./missing.ts";
import { observedOf } from "./observed.ts";
import type { CheckReport, Contradiction, DumpLine, Evidence, StateDifference } from "./report.ts";

/** What was read of a case, what was not understood, what contradicts itself, and what is missing for a full answer. */
export function check(
  reading: CaseReading,
  inputs: readonly CaseInput[],
  node?: string,
  caseFile?: CaseFile,
): CheckReport {
  const dumps = node === undefined ? reading.dumps : reading.dumps.filter((d) => d.node.value === node && !d.cluster);
  const files = new Set(dumps.map((d) => d.file));
  const texts = new LineTexts(inputs);
  const diagnostics = [
    ...(node === undefined ? reading.diagnostics : []),
    ...dumps.flatMap((d) => d.reading.diagnostics),
  ];
  const contradictions = contradictionsOf(dumps).map(
    ({ origins, ...rest }): Contradiction => ({ ...rest, evidence: texts.evidence(...origins) }),
  );
  const otherDatapaths = datapathsOf(reading.dumps, caseFile).filter((d) => node === undefined || d.node === node);
  const replaced = new Set(otherDatapaths.filter((d) => d.services === "all").map((d) => d.node));
  return {
    bundles: checkBundles(inputs, reading.dumps),
    otherDatapaths,
    dumps: dumps.map(lineOf),
    notUnderstood: diagnostics.filter((d) => d.severity !== "note"),
    notes: diagnostics.filter((d) => d.severity === "note"),
    passedOver: reading.passedOver.filter((p) => node === undefined || files.has(p.file)),
    contradictions,
    differences: differencesOf(reading.dumps, inputs, caseFile)
      // What another datapath does instead, kube-proxy was not to do.
      .filter((d) => (node === undefined || d.node === node) && !replaced.has(d.node))
      .flatMap((d) =>
        d.drafts.map((draft): StateDifference => {
          const { code, text, service, endpoint, expected, actual } = draft;
          return {
            code,
            text,
            node: d.node,
            ...(service !== undefined && { service }),
            ...(endpoint !== undefined && { endpoint }),
            ...(d.likely !== undefined && { likelyRelease: d.likely }),
            evidence: unique([...texts.evidence(...expected), ...texts.evidence(...actual)]),
          };
        }),
      ),
    missing: missingOf(dumps, nodesWithAllRules(inputs)),
    seen: observedOf(observationsOf(dumps), texts),
    placeholders: reading.placeholders.map((p) => ({
      name: p.name,
      value: p.value ?? null,
      evidence: texts.evidence(...p.origins),
    })),
  };
}

const unique = (all: readonly Evidence[]): readonly Evidence[] => [
  ...new Map(all.map((e) => [`${e.file}:${e.line}`, e])).values(),
];

/** The names of a case's nodes, in the order they were met. */
export const nodesOf = (reading: CaseReading): readonly string[] => [
  ...new Set(reading.dumps.filter((d) => !d.cluster).map((d) => d.node.value)),
];

function lineOf(dump: Dump): DumpLine {
  const unread = dump.reading.facts.find((f) => f.kind === "not-read-yet");
  return {
    node: dump.cluster ? null : dump.node.value,
    stack: dump.cluster ? null : (dump.stack?.value ?? dump.node.value),
    dialect: dump.dialect.id,
    title: dump.dialect.title,
    file: dump.file,
    lines: dump.lines,
    partial:
      dump.context.partial !== undefined ||
      dump.reading.facts.some((f) => "extent" in f && f.extent === "partial") ||
      partialTables(dump),
    counts: dump.reading.counts,
    derived: derivedOf(dump),
    ...(unread === undefined ? {} : { notReadYet: unread.what }),
  };
}

const partialTables = (dump: Dump): boolean =>
  dump.reading.facts.some((f) => f.kind === "iptables" && f.tables.some((t) => t.extent === "partial"));

/** What was not in the dump itself and who said it. The command above a dump is plain to see; the rest is worth a word. */
function derivedOf(dump: Dump): readonly string[] {
  const { context } = dump;
  const say = (what: string, learnt: Learnt<unknown> | undefined): string[] =>
    learnt === undefined || learnt.by === "default" ? [] : [`${what} ${String(learnt.value)} (${learnt.by})`];
  return [
    ...say("node", context.node),
    ...say("stack", context.stack),
    ...say("table", context.iptablesTable),
    ...say("back end", context.iptablesBackend),
    ...say("IPv", context.family).map((s) => s.replace("IPv ", "IPv")),
    ...say("route table", context.routeTable),
    ...say("captured on", context.captureDevice),
    ...say("device", context.device),
    ...say("moment", context.moment),
    ...say("partial:", context.partial),
  ];
}
