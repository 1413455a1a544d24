import type { Dialect } from "../dialect.ts";
import { isTool, notReadYet, when } from "./not-read-yet.ts";

const DESCRIBE =
  /^(?:Namespace|Labels|Annotations|Selector|Type|IP Family Policy|IP Families|IPs?|LoadBalancer Ingress|Port|TargetPort|NodePort|Endpoints|Session Affinity|External Traffic Policy|Internal Traffic Policy|HealthCheck NodePort|Events|Subsets|Roles|CreationTimestamp|Taints|Unschedulable|Lease|Conditions|Addresses|Capacity|Allocatable|System Info|PodCIDRs?|Non-terminated Pods|Allocated resources|Priority|Node|Start Time|Status|Containers|Controlled By|QoS Class|Volumes|Tolerations|Node-Selectors):(?:\s{1,60}\S.{0,400})?\s*$/;

const kubectl = isTool("kubectl", "oc", "k", "microk8s.kubectl", "calicoctl", "k3s");

export const dialects: readonly Dialect[] = [
  notReadYet({
    id: "kubectl-describe",
    title: "kubectl describe",
    what: "a description of a Kubernetes object",
    printedBy: (words) => kubectl(words) && words.includes("describe"),
    claim: (line) =>
      DESCRIBE.test(line) ? "maybe" : /^Name:\s{10,}\S/.test(line) ? "head" : when(/^\s+\S/.test(line), "maybe"),
  }),
  notReadYet({
    id: "kubectl-logs",
    title: "kubectl apply, edit and others",
    what: "what kubectl printed",
    printedBy: (words) =>
      kubectl(words) && !words.some((w) => w === "get" || w === "describe" || w === "exec" || w === "logs"),
    claim: (line) =>
      /^\S{1,120} \S{0,120}(?:created|configured|unchanged|deleted|edited|patched|labeled|scaled|exposed|restarted)\s*$/.test(
        line,
      )
        ? "line"
        : "maybe",
  }),
];
