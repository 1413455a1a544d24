import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Line } from "./faults.ts";
import type { Probe } from "./probes.ts";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const up = join(here, "cluster/up");

/** A folder with the six programs of a release. Without it there is no cluster. */
export const KUBE_BIN = process.env.KUBE_BIN ?? "";
export const folder = process.env.CLUSTER_DIR ?? "/var/tmp/hairpin-cluster";
export const NODES = ["node-a", "node-b", "node-c"];
const env = {
  ...process.env,
  LANG: "C",
  CLUSTER_DIR: folder,
  DIR: folder,
  PATH: `${KUBE_BIN}:${process.env.PATH}`,
  KUBECONFIG: join(folder, "run/admin.conf"),
};

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** `started` is given the process, to be interrupted. */
export function run(
  words: readonly string[],
  {
    input = "",
    started,
    more = {},
  }: {
    readonly input?: string;
    readonly started?: (kill: (s: NodeJS.Signals) => void) => void;
    readonly more?: Readonly<Record<string, string>>;
  } = {},
): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(words[0]!, words.slice(1), { env: { ...env, ...more }, stdio: ["pipe", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("close", (status) => done({ status, out, err }));
    started?.((signal) => child.kill(signal));
  });
}

async function must(words: readonly string[]): Promise<string> {
  const { status, out, err } = await run(words);
  if (status !== 0) throw new Error(`${words.join(" ")}: ${status}: ${err}${out}`);
  return out;
}

const inControlPlane = ["ip", "netns", "exec", "hpc-cp"];
const outside = ["ip", "netns", "exec", "hpc-ext"];

export const bringUp = async (mode: string): Promise<void> => {
  await run([up, "down"]);
  // In a session of its own: who ends the tests does not end half a cluster.
  await must(["setsid", "--wait", up, "up", mode]);
  await must(["setsid", "--wait", up, "shop"]);
};
export const takeDown = (): Promise<Ended> => run([up, "down"]);
export const kubectl = (...args: readonly string[]): Promise<string> => must([...inControlPlane, "kubectl", ...args]);
export const inNode = (node: string, shell: string): Promise<string> => must([up, "in", node, "sh", "-c", shell]);

/** Lines of a fault. */
export async function does(lines: readonly Line[]): Promise<void> {
  for (const [where, shell] of lines) {
    const [, node, process] = /^pod\/([^/]+)\/(.*)$/.exec(where) ?? [];
    if (where === "host") await must(["sh", "-c", shell]);
    else if (where === "kubectl") await must([...inControlPlane, "sh", "-c", `kubectl ${shell}`]);
    else if (node !== undefined) await inNode(node, `nsenter -t $(pgrep -f '${process}' | head -n 1) -n ${shell}`);
    else await inNode(where, shell);
  }
}

export const questionOf = (
  { from, addr, to, proto, node }: Probe,
  addresses: ReadonlyMap<string, string>,
): string[] => [
  from === "ext" ? "192.0.2.10" : from,
  to ?? withAddresses(addr, addresses),
  ...(proto === undefined ? [] : ["--proto", proto]),
  ...(node === undefined ? [] : ["--node", node]),
];
const withAddresses = (text: string, addresses: ReadonlyMap<string, string>): string =>
  text.replace(/\{(.*?)\}/g, (_, name: string) => addresses.get(name) ?? name);

/** What `npm run build` made, or a copy of it that stands still while work goes on. */
const program = process.env.HAIRPIN_CLUSTER_PROGRAM ?? join(root, "packages/cli/dist/hairpin.cjs");
const hairpin = [process.execPath, program, "live"];

/** What `hairpin live` says, as a person would ask it: with nothing but kubectl. */
export const live = (
  args: readonly string[],
  how: Pick<NonNullable<Parameters<typeof run>[1]>, "started" | "more"> = {},
): Promise<Ended> => run([...inControlPlane, ...hairpin, ...args], how);

const FROM_HERE = ["OUTPUT", "-p", "tcp", "--dport", "6443", "-j", "REJECT", "--reject-with", "tcp-reset"];

/** The same from outside, where the way to the API server ends after so many milliseconds and stays so until all is over. */
export async function liveCutOff(args: readonly string[], after: number): Promise<Ended> {
  let cut: Promise<unknown> = Promise.resolve();
  const timer = setTimeout(() => {
    cut = must([...outside, "iptables", "-w", "-I", ...FROM_HERE]);
  }, after);
  try {
    return await run([...outside, ...hairpin, ...args]);
  } finally {
    clearTimeout(timer);
    await cut;
    await run([...outside, "iptables", "-w", "-D", ...FROM_HERE]);
  }
}

/** What the cluster does: every outcome and how often it was seen. */
export async function tried(
  probe: Probe,
  addresses: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, number>> {
  const { from, addr, proto = "tcp", n = 2 } = probe;
  const program = from.startsWith("pod/") ? "/bin/probe" : join(folder, "probe");
  const shell = `for i in $(seq ${n}); do ${program} ${proto} ${withAddresses(addr, addresses)} & done; wait`;
  const [kind, namespace = "", name = ""] = from.split("/");
  const words =
    kind === "pod"
      ? [...inControlPlane, "kubectl", "exec", "-n", namespace, name, "--", "sh", "-c", shell]
      : [up, "in", kind === "node" ? namespace : "ext", "sh", "-c", shell];
  const { out, err } = await run(words);
  const seen = new Map<string, number>();
  for (const line of out.trim().split("\n")) {
    const outcome = line.replace(/:\d+$/, "").replace(/^(ok \S+) /, "$1 sees ");
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  }
  if (out.trim() === "") throw new Error(`${probe.id}: ${err}`);
  return seen;
}

export function behaviour(seen: ReadonlyMap<string, number>): "reachable" | "intermittent" | "unreachable" {
  const worked = [...seen.keys()].map((outcome) => /^(?:ok|connected)/.test(outcome));
  return worked.every(Boolean) ? "reachable" : worked.some(Boolean) ? "intermittent" : "unreachable";
}

/** Pods of the shop by name. */
export async function addressesOf(): Promise<ReadonlyMap<string, string>> {
  const text = await kubectl(
    "get",
    "pods",
    "-n",
    "shop",
    "-o",
    'jsonpath={range .items[*]}{.metadata.name}={.status.podIP}{"\\n"}{end}',
  );
  return new Map(
    text
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
}
