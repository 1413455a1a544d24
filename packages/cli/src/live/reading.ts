import { type ClusterAccess, clusterObjects, type Kubectl } from "@hairpin/collect/index.ts";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { Gathering, type LiveQuestion } from "./gathering.ts";

export interface Reading {
  readonly kubectl: Kubectl;
  readonly access: ClusterAccess;
  readonly asked: LiveQuestion;
  /** Nodes too, not objects alone. */
  readonly nodes: boolean;
  readonly complain: (line: string) => void;
  readonly told: (said: Text) => void;
}

export interface Read {
  readonly gathering: Gathering;
  readonly objectsTook: string;
  readonly nodesTook: string;
}

/** The cluster as it is now, as far as one question needs it. What was made on nodes stays until `access.close()`. */
export async function readNow({ kubectl, access, asked, nodes, complain, told }: Reading): Promise<Read> {
  const clock = stopwatch();
  const [objects] = await Promise.all([clusterObjects(complain, kubectl), nodes ? access.survey() : undefined]);
  if (objects.length === 0) throw new Failure(EXIT.unavailable, text("error.kubectl-nothing"));
  const gathering = new Gathering(asked, objects, told);
  const objectsTook = clock();
  if (nodes) await gathering.widen(access);
  return { gathering, objectsTook, nodesTook: clock() };
}

/** Seconds since it was last asked. */
export function stopwatch(): () => string {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const seconds = ((now - last) / 1000).toFixed(1);
    last = now;
    return seconds;
  };
}
