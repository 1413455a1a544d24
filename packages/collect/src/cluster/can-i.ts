import { inParallel } from "../run.ts";
import type { Kubectl } from "./kubectl.ts";

/** What reading a cluster takes: its objects, and beyond them its nodes; these by pods of our own, or by agents that are there. */
export interface Right {
  readonly verb: string;
  readonly resource: string;
  /** Absent: in all namespaces. */
  readonly namespace?: string;
  readonly of: "objects" | "nodes" | "agents";
}

const objects = (verb: string, resource: string, namespace?: string): Right => ({
  verb,
  resource,
  of: "objects",
  ...(namespace === undefined ? {} : { namespace }),
});

function wordsOf(words: string): Pick<Right, "verb" | "resource"> {
  const [verb = "", resource = ""] = words.split(" ");
  return { verb, resource };
}

/** `agents`: the namespaces in which there are some. */
export const rightsNeeded = (namespace: string, agents: readonly string[] = []): readonly Right[] => [
  objects("list", "services"),
  objects("list", "endpointslices.discovery.k8s.io"),
  objects("list", "nodes"),
  objects("list", "pods"),
  objects("list", "networkpolicies.networking.k8s.io"),
  objects("get", "configmaps/kube-proxy", "kube-system"),
  ...["create pods", "get pods", "watch pods", "delete pods", "create pods/exec"].map(
    (words): Right => ({ ...wordsOf(words), namespace, of: "nodes" }),
  ),
  ...agents.flatMap((where) =>
    ["get pods", "create pods/portforward"].map(
      (words): Right => ({ ...wordsOf(words), namespace: where, of: "agents" }),
    ),
  ),
];

/** As the cluster answers; undefined where it does not. */
export const mayI = (kubectl: Kubectl, rights: readonly Right[]): Promise<readonly (boolean | undefined)[]> =>
  inParallel(rights, 4, async ({ verb, resource, namespace }) => {
    const [name = "", sub] = resource === "configmaps/kube-proxy" ? [resource] : resource.split("/");
    const where = namespace === undefined ? ["-A"] : ["-n", namespace];
    const args = ["auth", "can-i", verb, name, ...(sub === undefined ? [] : [`--subresource=${sub}`]), ...where];
    const { out } = await kubectl(args, { seconds: 20 });
    const answer = out.toString("utf8").trim();
    return answer === "yes" ? true : answer.startsWith("no") ? false : undefined;
  });
