import type { Dialect } from "../dialect.ts";
import { isTool, notReadYet } from "./not-read-yet.ts";

const kubectl = isTool("kubectl", "oc", "k", "microk8s.kubectl", "calicoctl", "k3s");

export const dialects: readonly Dialect[] = [
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
