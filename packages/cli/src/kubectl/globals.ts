import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";

export interface Cluster {
  readonly context?: string;
  readonly kubeconfig?: string;
}

/** Which cluster, as kubectl takes it. One argument each, so that no value can be taken for an option. */
export function kubectlGlobals({ context, kubeconfig }: Cluster): readonly string[] {
  for (const [name, value] of Object.entries({ context, kubeconfig }))
    if (value === "") throw new Failure(EXIT.usage, text("error.empty-option", { name }));
  return [
    ...(context === undefined ? [] : [`--context=${context}`]),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
  ];
}
