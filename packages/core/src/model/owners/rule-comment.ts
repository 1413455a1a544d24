import { type Address, parseAddress } from "../../net/index.ts";
import type { Rule } from "../netfilter/index.ts";

/** What is written beside a rule. */
export const commentsOf = (rule: Pick<Rule, "matches"> | undefined): readonly string[] =>
  rule?.matches.flatMap((m) => (m.kind === "comment" ? [m.text] : [])) ?? [];

/** What kube-proxy writes beside its rules: `ns/name:port cluster IP`, `ns/name:port`, `ns/name:port has no endpoints`. */
export interface ServiceComment {
  readonly namespace: string;
  readonly name: string;
  /** The port's name; empty where it has none. */
  readonly port: string;
  /** What follows: `cluster IP`, `loadbalancer IP`, `has no endpoints` … */
  readonly rest: string;
}

const SERVICE = /^"?([a-z0-9][a-z0-9.-]{0,252})\/([a-z0-9][a-z0-9.-]{0,252})(?::([\w.-]{0,63}))?(?: (.{0,200}?))?"?$/s;

/** The Service that a rule of kube-proxy is about. */
export function serviceOfRule(rule: Pick<Rule, "matches">): ServiceComment | undefined {
  for (const text of commentsOf(rule)) {
    const found = SERVICE.exec(text);
    if (found !== null) return { namespace: found[1]!, name: found[2]!, port: found[3] ?? "", rest: found[4] ?? "" };
  }
  return undefined;
}

/** `ns/name`, or `ns/name:port` where the port has a name. */
export const serviceName = ({ namespace, name, port }: ServiceComment): string =>
  `${namespace}/${name}${port === "" ? "" : `:${port}`}`;

/** Whether a rule is about this Service: `ns/name`. */
export const isAboutService = (rule: Pick<Rule, "matches">, service: string): boolean =>
  commentsOf(rule).some((text) => text.startsWith(service) && /^(?::|\s|$)/.test(text.slice(service.length)));

/** Whom the chain of an endpoint leads to. */
export interface ProxyEndpoint {
  readonly address: Address;
  readonly port: number;
}

/** `ns/name:port -> 10.244.0.5:53`, beside the rule that calls an endpoint's chain. */
export function endpointOfRule(rule: Pick<Rule, "matches">): ProxyEndpoint | undefined {
  const found = commentsOf(rule)
    .map((text) => / -> \[?([0-9a-fA-F.:]{2,45}?)\]?:(\d{1,5})"?$/.exec(text))
    .find((m) => m !== null);
  const address = found === undefined ? undefined : parseAddress(found[1]!);
  return address === undefined ? undefined : { address, port: Number(found![2]) };
}

export const isClusterIpRule = (rule: Pick<Rule, "matches">): boolean =>
  commentsOf(rule).some((text) => text.endsWith(" cluster IP"));

/** The rule of KUBE-FORWARD that lets the rest of a connection pass, of which there is one since 1.23. */
export const isForwardConntrackRule = (rule: Pick<Rule, "matches">): boolean =>
  commentsOf(rule).some((text) => text === FORWARD_CONNTRACK);
export const FORWARD_CONNTRACK = "kubernetes forwarding conntrack rule";

/** Why kube-proxy refuses what a rule takes. */
export function refusalOf(rule: Pick<Rule, "matches"> | undefined): "no-endpoints" | "no-local-endpoints" | undefined {
  const text = commentsOf(rule).join(" ");
  if (text.includes("has no local endpoints")) return "no-local-endpoints";
  return text.includes("has no endpoints") ? "no-endpoints" : undefined;
}

/** `Policy shop/knp.default.allow-web ingress`: what Calico writes beside the rules of a policy. */
export const calicoPolicies = (
  rule: Rule,
): readonly { readonly policy: string; readonly way: "Ingress" | "Egress" }[] =>
  commentsOf(rule).flatMap((text) => {
    const match = /^Policy (\S{1,520}) (ingress|egress)\b/.exec(text);
    if (match === null) return [];
    return [{ policy: calicoName(match[1]!), way: match[2] === "ingress" ? "Ingress" : "Egress" } as const];
  });

/** Calico calls a NetworkPolicy of Kubernetes `knp.default.NAME`, after its namespace; its own keep their names. */
function calicoName(text: string): string {
  const name = text.replace(/(^|\/)knp\.default\./, "$1");
  return name.replace(/^default\/(?=[^/]+\/)/, "");
}

/** `run through nw policy NAME` on the jumps of a pod's chain of kube-router, and the pod in the rule that rejects what is left. */
export function kubeRouterComments(rules: readonly Rule[]): {
  readonly pod?: { readonly namespace: string; readonly name: string };
  readonly policies: readonly string[];
} {
  const texts = rules.flatMap(commentsOf);
  const pod = texts.map((t) => /POD name:\s*(\S{1,253}) namespace:\s*(\S{1,253})/.exec(t)).find((m) => m !== null);
  return {
    ...(pod !== undefined && { pod: { namespace: pod[2]!, name: pod[1]! } }),
    policies: texts.flatMap((t) => /run through nw policy (\S{1,253})/.exec(t)?.[1] ?? []),
  };
}
