import { type Gathered, lastWords } from "./gathered.ts";
import { wantedOf } from "./objects.ts";
import { OBJECT_NAME, type PrivilegedContainer, privilegedContainers } from "./privileged-pods.ts";
import { inParallel, run } from "./run.ts";
import { collectScript } from "./script.ts";
import type { Progress } from "./ssh.ts";

const WIDTH = 4;
const SECONDS = 1200;
/** Any image with a shell will do: the script runs in the node's own file system. */
export const DEBUG_IMAGE = "busybox";

const BEGIN = "-----BEGIN HAIRPIN BUNDLE-----";
const END = "-----END HAIRPIN BUNDLE-----";

/** What stands between the markers; kubectl prints remarks around it. */
export function unmarked(text: string): Buffer | undefined {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END, begin);
  if (begin < 0 || end < 0) return undefined;
  const body = text.slice(begin + BEGIN.length, end);
  // Without base64(1) the script prints hexadecimal, each line after an `x`.
  return /^\s*x/.test(body) ? Buffer.from(body.replace(/[^0-9a-f]/g, ""), "hex") : Buffer.from(body, "base64");
}

/** `globals`: which cluster, as kubectl's own options say it (`--context`, `--kubeconfig`). */
export async function nodeNames(globals: readonly string[] = []): Promise<readonly string[]> {
  const args = ["get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"];
  const { status, out, err } = await run("kubectl", [...globals, ...args], { seconds: 60 });
  if (status !== 0) throw new Error(`kubectl get nodes: ${lastWords(err)}`);
  const names = out
    .toString("utf8")
    .split(/\s+/)
    .filter((n) => n !== "");
  const odd = names.find((n) => !OBJECT_NAME.test(n));
  if (odd !== undefined) throw new Error(`kubectl get nodes: ${JSON.stringify(odd.slice(0, 80))} is no node's name`);
  return names;
}

interface Options extends Progress {
  readonly image: string;
  readonly pods: boolean;
  readonly globals?: readonly string[];
}

/** A few are enough: those of one kind on a node are alike. */
const TRIED = 3;

/**
 * Through a privileged pod that is there and sees the node's processes; else through `kubectl debug node/…`; where that is
 * not allowed, through a privileged pod in the node's network, which cannot enter the namespaces of pods.
 */
export const collectByKubectl = (nodes: readonly string[], options: Options): Promise<readonly Gathered[]> =>
  inParallel(nodes, WIDTH, async (node): Promise<Gathered> => {
    const there = await privilegedContainers(node, options.globals);
    const seeing = there.filter((c) => c.hostPid).slice(0, TRIED);
    for (const container of seeing) {
      const enter = ["nsenter", "-t", "1", "-m", "-u", "-i", "-n", "--", "sh", "-s", "--", "--base64"];
      const bundle = await byExec(node, container, enter, options);
      if (bundle !== undefined) return { from: node, ok: true, bundle };
    }
    const debugged = await byDebug(node, options);
    if (debugged.ok) return debugged;
    for (const container of there.filter((c) => !c.hostPid).slice(0, TRIED)) {
      const bundle = await byExec(node, container, ["sh", "-s", "--", "--base64"], { ...options, pods: false });
      if (bundle === undefined) continue;
      if (options.pods) options.onLine(node, `${debugged.why}; without the namespaces of pods`);
      return { from: node, ok: true, bundle };
    }
    return debugged;
  });

/** Undefined where it has no shell, no nsenter, or may not be entered. */
async function byExec(
  node: string,
  { namespace, pod, container }: PrivilegedContainer,
  command: readonly string[],
  options: Options,
): Promise<Buffer | undefined> {
  const args = ["exec", "-i", "-n", namespace, pod, "-c", container, "--", ...command];
  options.onLine(node, `through pod ${namespace}/${pod}`);
  const { out } = await run("kubectl", [...(options.globals ?? []), ...args, ...(options.pods ? [] : ["--no-pods"])], {
    input: collectScript(),
    onLine: (line) => options.onLine(node, line),
    seconds: SECONDS,
  });
  return unmarked(out.toString("latin1"));
}

/** Its pod has the node's file system at /host, and is removed afterwards. */
async function byDebug(node: string, options: Options): Promise<Gathered> {
  const args = ["debug", `node/${node}`, "-i", "--profile=sysadmin", `--image=${options.image}`, "--"];
  const command = ["chroot", "/host", "sh", "-s", "--", "--base64", ...(options.pods ? [] : ["--no-pods"])];
  const { status, out, err } = await run("kubectl", [...(options.globals ?? []), ...args, ...command], {
    input: collectScript(),
    onLine: (line) => options.onLine(node, line),
    seconds: SECONDS,
  });
  const text = out.toString("latin1");
  const pod = /Creating debugging pod (node-debugger-[a-z0-9.-]{1,200}) with/.exec(
    `${text.slice(0, 4000)}\n${err}`,
  )?.[1];
  if (pod !== undefined)
    await run("kubectl", [...(options.globals ?? []), "delete", "pod", pod, "--wait=false", "--ignore-not-found"], {
      seconds: 60,
      clearsUp: true,
    });
  const bundle = unmarked(text);
  if (bundle === undefined)
    return { from: node, ok: false, why: `kubectl debug ended with ${status}: ${lastWords(err)}` };
  return { from: node, ok: true, bundle };
}

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

export async function clusterObjects(
  onLine: (line: string) => void,
  globals: readonly string[] = [],
): Promise<readonly TextFile[]> {
  const files = await inParallel(OBJECTS, 3, async ([path, args]): Promise<readonly TextFile[]> => {
    const { status, out, err } = await run("kubectl", [...globals, ...args], { seconds: 120 });
    if (status !== 0) onLine(`kubectl ${args.join(" ")}: ${lastWords(err)}`);
    if (status !== 0 || out.length === 0) return [];
    const text = out.toString("utf8");
    const taken = path.endsWith(".yaml") ? wantedOf(text) : text;
    if (taken === undefined) onLine(`kubectl ${args.join(" ")}: not understood, and left out`);
    return taken === undefined ? [] : [{ path, text: taken }];
  });
  return files.flat();
}
