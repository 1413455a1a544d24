import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadedCase } from "@hairpin/case/index.ts";
import type { TextFile } from "@hairpin/collect/index.ts";
import { check } from "@hairpin/core/check/index.ts";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { causesIn, type Sweep, sweepable } from "@hairpin/core/sweep/index.ts";
import { filesOfAll } from "../kubectl/gathered-files.ts";
import { runSweep } from "../sweep/run.ts";
import { counters } from "./counters.ts";
import type { Metric } from "./prometheus.ts";

export interface Looked {
  readonly node: string;
  readonly bundle: Buffer;
  /** Empty where the cluster did not show them: what hangs on them is not told. */
  readonly objects: readonly TextFile[];
  readonly routes: string;
  readonly maxSeconds: number;
}

/** What one look at a node says in numbers: no name or address of anything but the node is among them. */
export async function look({ node, bundle, objects, routes, maxSeconds }: Looked): Promise<readonly Metric[]> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-agent-"));
  let files: readonly TextFile[];
  try {
    files = filesOfAll([{ from: node, node, ok: true, bundle }], folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const textOf = (name: string) => files.find((f) => f.path === `nodes/${node}/${name}`)?.text ?? "";
  const counted = counters({ nstat: textOf("nstat-az.txt"), conntrack: textOf("conntrack-S.txt"), routes }, node);
  if (objects.length === 0) return counted;
  const loaded = loadedCase({ inputs: [...objects, ...files], notes: [] });
  return [...drift(loaded, node), ...(await flows(loaded, node, maxSeconds)), ...counted];
}

function drift(loaded: LoadedCase, node: string): readonly Metric[] {
  const { differences } = check(loaded.reading, loaded.inputs, node, loaded.caseFile);
  const counts = new Map<string, number>();
  for (const { code } of differences) counts.set(code, (counts.get(code) ?? 0) + 1);
  const all = [...counts.values()].reduce((a, b) => a + b, 0);
  return [
    {
      name: "hairpin_drift",
      type: "gauge",
      help: "Where the node is not as kube-proxy should have programmed it from the objects.",
      samples: [[{ node, cause: "KUBE_PROXY_DRIFT" }, all]],
    },
    {
      name: "hairpin_drift_by_code",
      type: "gauge",
      help: "The same by what is not as it should be, as hairpin check calls it.",
      samples: [...counts].sort().map(([code, count]) => [{ node, code, cause: "KUBE_PROXY_DRIFT" }, count] as const),
    },
  ];
}

async function flows(loaded: LoadedCase, node: string, maxSeconds: number): Promise<readonly Metric[]> {
  const askable = sweepable(loaded, []);
  const swept = await runSweep(
    askable,
    { from: [], to: [], node: [node], namespace: [] },
    {
      maxSeconds,
      title: node,
      lang: "en",
    },
  );
  const byCause = new Map<string, number>();
  for (const { code, flows: count } of causesIn(swept.classes)) byCause.set(code, (byCause.get(code) ?? 0) + count);
  return [
    {
      name: "hairpin_sweep_flows",
      type: "gauge",
      help: "Flows with an end on this node, by what the walk says of them.",
      samples: [...byVerdict(swept)].map(([verdict, count]) => [{ node, verdict }, count] as const),
    },
    {
      name: "hairpin_sweep_failing_flows",
      type: "gauge",
      help: "Flows with an end on this node that fail, always or at times, by their first cause.",
      samples: [...byCause].map(([cause, count]) => [{ node, cause }, count] as const),
    },
  ];
}

function byVerdict({ classes, flows: all, answered }: Sweep): ReadonlyMap<string, number> {
  const counts = new Map(["reachable", "intermittent", "unreachable", "undetermined"].map((v) => [v, 0]));
  for (const { verdict, flows: count } of classes) counts.set(verdict, (counts.get(verdict) ?? 0) + count);
  // What there was no time to ask.
  counts.set("not asked", all - answered);
  return counts;
}
