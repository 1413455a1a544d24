import { append } from "../../../net/append.ts";
import type { Claim, Reading } from "../../dialect.ts";
import type { Source } from "../../source.ts";
import { countsOf } from "../counts.ts";
import { ObjectContext } from "../objects/context.ts";
import { Gathered } from "../objects/index.ts";
import { type Description, descriptionsOf, has } from "./fields.ts";
import { describedPod } from "./pod.ts";
import { describedService } from "./service.ts";

const FIELD =
  /^(?:Namespace|Labels|Annotations|Selector|Type|IP Family Policy|IP Families|IPs?|External IPs|LoadBalancer Ingress|LoadBalancer Source Ranges|Port|TargetPort|NodePort|Endpoints|Session Affinity|External Traffic Policy|Internal Traffic Policy|HealthCheck NodePort|Events|Subsets|Roles|CreationTimestamp|Taints|Unschedulable|Lease|Conditions|Addresses|Capacity|Allocatable|System Info|PodCIDRs?|Non-terminated Pods|Allocated resources|Priority|Node|Start Time|Status|Containers|Controlled By|QoS Class|Volumes|Tolerations|Node-Selectors|Service Account):(?:\s{1,60}\S.{0,400})?\s*$/;

export const claimDescription = (line: string): Claim => {
  if (/^Name:\s{10,}\S/.test(line)) return "head";
  return FIELD.test(line) || /^\s+\S/.test(line) ? "maybe" : "no";
};

const isService = (d: Description): boolean => has(d, "Selector") && has(d, "Type") && has(d, "Session Affinity");
const isPod = (d: Description): boolean => has(d, "Node") && has(d, "Status") && has(d, "Containers");

/** `kubectl describe` of Services and Pods; what else it describes is counted and let be. */
export function readDescriptions(source: Source, namespace?: string): Reading {
  const context = new ObjectContext(source, namespace);
  const gathered = new Gathered();
  const { objects } = gathered;
  for (const described of descriptionsOf(source)) {
    if (isService(described)) {
      const { service, endpoints } = describedService(described, context);
      objects.services.push(service);
      append(objects.endpoints, endpoints);
    } else if (isPod(described)) objects.pods.push(describedPod(described, context));
    else gathered.others++;
  }
  return { facts: [{ kind: "kubernetes", objects }], diagnostics: context.diagnostics, counts: countsOf(gathered) };
}
