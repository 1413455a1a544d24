import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadedCase } from "@hairpin/case/index.ts";
import { clusterObjects, collectByKubectl, DEBUG_IMAGE, nodeNames, run } from "@hairpin/collect/index.ts";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { filesOfAll } from "./gathered-files.ts";

export interface OfCluster {
  readonly globals: readonly string[];
  /** Nodes that are read as well: these, or all. */
  readonly nodes?: readonly string[] | true;
  readonly complain: (line: string) => void;
}

/** The cluster as a case, in memory: its objects, and what its nodes show where that was asked for. */
export async function caseOfCluster({ globals, nodes, complain }: OfCluster): Promise<LoadedCase> {
  const objects = await clusterObjects(complain, globals);
  if (objects.length === 0) throw new Failure(EXIT.unavailable, text("error.kubectl-nothing"));
  const shown = nodes === undefined ? [] : await nodesOf(nodes, globals, complain);
  return loadedCase({ inputs: [...objects, ...shown], notes: [] });
}

async function nodesOf(nodes: readonly string[] | true, globals: readonly string[], complain: (line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-kubectl-"));
  try {
    const names = nodes === true ? await nodeNames(globals) : nodes;
    const odd = names.find((n) => !/^[a-z0-9][a-z0-9.-]{0,252}$/.test(n));
    if (odd !== undefined) throw new Failure(EXIT.usage, text("error.no-node-name", { name: JSON.stringify(odd) }));
    const gathered = await collectByKubectl(names, {
      image: DEBUG_IMAGE,
      pods: true,
      globals,
      onLine: (from, line) => complain(`${from}: ${line.replace(/^collect: /, "")}`),
    });
    for (const g of gathered) if (!g.ok) complain(`${g.from}: ${g.why}`);
    return filesOfAll(gathered, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The namespace that kubectl would take: that of the context, else `default`. */
export async function namespaceOf(globals: readonly string[]): Promise<string> {
  const args = ["config", "view", "--minify", "-o", "jsonpath={..namespace}"];
  const { status, out } = await run("kubectl", [...globals, ...args], { seconds: 30 });
  const name = out.toString("utf8").trim();
  return status === 0 && /^[a-z0-9][a-z0-9-]{0,62}$/.test(name) ? name : "default";
}
