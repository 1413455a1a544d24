import type { Dialect } from "../dialect.ts";
import { claimFlannelEnv, claimObjects, claimTable, fillsObjects } from "./claim.ts";
import { claimDescription, readDescriptions } from "./describe/read.ts";
import { readFlannelEnv } from "./flannel-env.ts";
import { namespaceOf, readObjects } from "./read.ts";
import { readTable } from "./table/read.ts";

const tool = (words: readonly string[]): string => (words[0] ?? "").slice((words[0] ?? "").lastIndexOf("/") + 1);
const KUBECTL = new Set(["kubectl", "oc", "k", "microk8s.kubectl", "calicoctl", "k3s"]);
const SHOWERS = new Set(["cat", "less", "more", "head", "tail", "grep", "egrep", "zcat", "zgrep"]);
const asks = (words: readonly string[]): boolean => KUBECTL.has(tool(words));
const asText = (words: readonly string[]): boolean =>
  words.some((w) => /^(?:-o=?|--output=?)?(?:yaml|json|wide-yaml)$/.test(w) || /^-o(?:yaml|json)/.test(w));
const shows = (words: readonly string[], path: RegExp): boolean =>
  SHOWERS.has(tool(words)) && words.slice(1).some((w) => path.test(w));

export const dialects: readonly Dialect[] = [
  {
    id: "kubernetes",
    title: "Kubernetes objects (YAML, JSON)",
    printedBy: (words) => (asks(words) && asText(words)) || shows(words, /\.ya?ml$/),
    claim: claimObjects,
    fills: fillsObjects,
    read: readObjects,
  },
  {
    id: "kubectl-get",
    title: "kubectl get",
    printedBy: (words) => asks(words) && words.includes("get") && !asText(words),
    claim: claimTable,
    read: (source, context) => readTable(source, namespaceOf(context)),
  },
  {
    id: "kubectl-describe",
    title: "kubectl describe",
    printedBy: (words) => asks(words) && words.includes("describe"),
    claim: claimDescription,
    read: (source, context) => readDescriptions(source, namespaceOf(context)),
  },
  {
    id: "flannel-env",
    title: "/run/flannel/subnet.env",
    printedBy: (words) => shows(words, /subnet\.env$|\/docker_opts\.env$/),
    claim: claimFlannelEnv,
    read: (source, context) => readFlannelEnv(source, context.node?.value),
  },
];
