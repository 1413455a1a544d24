import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadedCase } from "@hairpin/case/index.ts";
import {
  type ClusterAccess,
  clusterObjects,
  type Kubectl,
  OBJECT_NAME,
  type TextFile,
} from "@hairpin/collect/index.ts";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { filesOfAll } from "./gathered-files.ts";

export interface OfCluster {
  readonly kubectl: Kubectl;
  readonly access: ClusterAccess;
  /** Nodes that are read as well: these, or all. */
  readonly nodes?: readonly string[] | true;
  readonly complain: (line: string) => void;
}

/** The cluster as a case, in memory: its objects, and what its nodes show where that was asked for. */
export async function caseOfCluster({ kubectl, access, nodes, complain }: OfCluster): Promise<LoadedCase> {
  const objects = await clusterObjects(complain, kubectl);
  if (objects.length === 0) throw new Failure(EXIT.unavailable, text("error.kubectl-nothing"));
  const shown = nodes === undefined ? [] : await nodesOf(nodes, access, complain);
  return loadedCase({ inputs: [...objects, ...shown], notes: [] });
}

async function nodesOf(
  nodes: readonly string[] | true,
  access: ClusterAccess,
  complain: (line: string) => void,
): Promise<readonly TextFile[]> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-kubectl-"));
  try {
    await access.survey();
    const names = nodes === true ? access.nodes : nodes;
    const odd = names.find((n) => !OBJECT_NAME.test(n));
    if (odd !== undefined) throw new Failure(EXIT.usage, text("error.no-node-name", { name: JSON.stringify(odd) }));
    const gathered = await access.collect(names.map((node) => ({ node, pods: "all" })));
    for (const g of gathered) if (!g.ok) complain(`${g.from}: ${g.why}`);
    return filesOfAll(gathered, folder);
  } finally {
    await access.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
