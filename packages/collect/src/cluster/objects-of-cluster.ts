import { lastWords } from "../gathered.ts";
import { wantedOf } from "../objects.ts";
import { inParallel } from "../run.ts";
import type { Kubectl } from "./kubectl.ts";

/** What is asked of the cluster itself. Pods as a table: their objects hold environments and command lines. */
const OBJECTS: readonly (readonly [string, readonly string[]])[] = [
  ["kubernetes/services.yaml", ["get", "services", "-A", "-o", "yaml"]],
  ["kubernetes/endpointslices.yaml", ["get", "endpointslices", "-A", "-o", "yaml"]],
  ["kubernetes/nodes.yaml", ["get", "nodes", "-o", "yaml"]],
  ["kubernetes/networkpolicies.yaml", ["get", "networkpolicies", "-A", "-o", "yaml"]],
  ["kubernetes/kubectl-get-pods-A-o-wide.txt", ["get", "pods", "-A", "-o", "wide"]],
  ["kubernetes/kube-proxy.yaml", ["get", "configmap", "kube-proxy", "-n", "kube-system", "-o", "yaml"]],
];

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export async function clusterObjects(onLine: (line: string) => void, kubectl: Kubectl): Promise<readonly TextFile[]> {
  const files = await inParallel(OBJECTS, OBJECTS.length, async ([path, args]): Promise<readonly TextFile[]> => {
    const { status, out, err } = await kubectl(args, { seconds: 60 });
    if (status !== 0) onLine(`kubectl ${args.join(" ")}: ${lastWords(err)}`);
    if (status !== 0 || out.length === 0) return [];
    const text = out.toString("utf8");
    const taken = path.endsWith(".yaml") ? wantedOf(text) : text;
    if (taken === undefined) onLine(`kubectl ${args.join(" ")}: not understood, and left out`);
    return taken === undefined ? [] : [{ path, text: taken }];
  });
  return files.flat();
}
