/** Where an agent listens, in its own pod and at 127.0.0.1 alone: what leads there is the API server and the kubelet (`kubectl port-forward`). */
export const AGENT_PORT = 9437;
/** Where it tells its numbers, to everybody who reaches the pod. */
export const METRICS_PORT = 9438;

/** Of which pods the namespaces are read as well. */
export interface AgentQuestion {
  /** `UID=NAMESPACE/NAME` */
  readonly pods: readonly string[];
  /** Every pod's, `pods` being the names that are known. */
  readonly all: boolean;
}

const PATH = "/v1/dump";
const POD = /^[0-9a-f-]{8,64}=[a-z0-9][a-z0-9.-]{0,252}\/[a-z0-9][a-z0-9.-]{0,252}$/;
const MOST_PODS = 1000;

export function questionPath({ pods, all }: AgentQuestion): string {
  const words = new URLSearchParams({ all: all ? "yes" : "no" });
  for (const pod of pods) words.append("pod", pod);
  return `${PATH}?${words}`;
}

/** Undefined for whatever is not a question: no word of it would reach the script that reads the node. */
export function questionOf(path: string): AgentQuestion | undefined {
  const at = path.indexOf("?");
  if (at < 0 || path.slice(0, at) !== PATH) return undefined;
  const words = new URLSearchParams(path.slice(at + 1));
  const pods = words.getAll("pod");
  const known = [...words.keys()].every((key) => key === "pod" || key === "all");
  if (!known || pods.length > MOST_PODS || !pods.every((pod) => POD.test(pod))) return undefined;
  return { pods, all: words.get("all") === "yes" };
}
