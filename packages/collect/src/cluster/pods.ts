import { lastWords } from "../gathered.ts";
import type { Kubectl } from "./kubectl.ts";
import { OWNER_LABEL } from "./owner.ts";

/** What is asked of a Pod: names, where it runs, and whether it may see its node. Its object holds environments and command lines. */
export interface PodOnNode {
  readonly namespace: string;
  readonly name: string;
  /** As cgroups call it: a static pod's is the hash of its file. */
  readonly uid: string;
  readonly node: string;
  readonly phase: string;
  readonly hostPid: boolean;
  readonly hostNetwork: boolean;
  readonly privileged: readonly string[];
  /** Which run of Hairpin made it; empty: none. */
  readonly owner: string;
}

const field = (path: string): string => `{${path}}{"\\t"}`;
const COLUMNS =
  "{range .items[*]}" +
  field(".metadata.namespace") +
  field(".metadata.name") +
  field(".metadata.uid") +
  field(".metadata.annotations.kubernetes\\.io/config\\.hash") +
  field(".spec.nodeName") +
  field(".status.phase") +
  field(".spec.hostPID") +
  field(".spec.hostNetwork") +
  field(`.metadata.labels.${OWNER_LABEL}`) +
  '{range .spec.containers[*]}{.name}={.securityContext.privileged}{","}{end}{"\\n"}{end}';

/** What Kubernetes allows: no dash at its head. */
export const OBJECT_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;
const UID = /^[0-9a-f-]{8,64}$/;

/** All pods, or why they cannot be listed. */
export async function podsOfCluster(kubectl: Kubectl): Promise<readonly PodOnNode[] | string> {
  const { status, out, err } = await kubectl(["get", "pods", "-A", "-o", `jsonpath=${COLUMNS}`], { seconds: 60 });
  if (status !== 0) return lastWords(err);
  return out.toString("utf8").split("\n").flatMap(podOf);
}

function podOf(line: string): readonly PodOnNode[] {
  const [namespace = "", name = "", uid = "", hash = "", node = "", phase = "", ...more] = line.split("\t");
  const [hostPid, hostNetwork, owner = "", containers = ""] = more;
  if (![namespace, name].every((n) => OBJECT_NAME.test(n))) return [];
  return [
    {
      namespace,
      name,
      uid: [hash, uid].find((u) => UID.test(u)) ?? "",
      node,
      phase,
      hostPid: hostPid === "true",
      hostNetwork: hostNetwork === "true",
      privileged: containers
        .split(",")
        .map((c) => c.split("="))
        .flatMap(([c = "", privileged]) => (privileged === "true" && OBJECT_NAME.test(c) ? [c] : [])),
      owner,
    },
  ];
}

/** As deploy/agent.yaml calls it. It sees the node's processes: who could plant such a pod is root there already. */
export const isAgent = ({ name, hostPid, owner, phase }: PodOnNode): boolean =>
  /^hairpin-agent-/.test(name) && hostPid && owner === "" && phase === "Running";

/** The namespaces in which agents run. */
export async function agentNamespaces(kubectl: Kubectl): Promise<readonly string[]> {
  const pods = await podsOfCluster(kubectl);
  return typeof pods === "string" ? [] : [...new Set(pods.filter(isAgent).map((p) => p.namespace))];
}
