import type {
  KubernetesNetworkPolicy,
  LabelRequirement,
  LabelSelector,
  PolicyPeer,
  PolicyPort,
  PolicyRule,
} from "../../../model/index.ts";
import { Mapping, mapIn, mapsIn, numberIn, textIn, textsIn } from "../yaml/value.ts";
import { input, labelsIn, nameOf, type ObjectContext } from "./context.ts";

const OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

export function readNetworkPolicy(object: Mapping, context: ObjectContext): KubernetesNetworkPolicy {
  const spec = mapIn(object, "spec");
  const stated = textsIn(spec, "policyTypes").filter((t) => t === "Ingress" || t === "Egress");
  const egress = spec?.get("egress") !== undefined && spec.get("egress") !== null;
  return {
    namespace: textIn(object, "metadata", "namespace") ?? context.namespace,
    name: nameOf(object),
    pods: selectorOf(mapIn(spec, "podSelector")),
    // Unset: Ingress always, Egress if there is such a section.
    types: stated.length > 0 ? stated : egress ? ["Ingress", "Egress"] : ["Ingress"],
    ingress: mapsIn(spec, "ingress").map((r) => readRule(r, "from", context)),
    egress: mapsIn(spec, "egress").map((r) => readRule(r, "to", context)),
    origin: context.originOf(object),
  };
}

const readRule = (rule: Mapping, side: "from" | "to", context: ObjectContext): PolicyRule => ({
  peers: mapsIn(rule, side).map((p): PolicyPeer => {
    const block = mapIn(p, "ipBlock");
    const except = textsIn(block, "except");
    return input({
      cidr: textIn(block, "cidr"),
      except: except.length > 0 ? except : undefined,
      pods: p.get("podSelector") instanceof Mapping ? selectorOf(mapIn(p, "podSelector")) : undefined,
      namespaces: p.get("namespaceSelector") instanceof Mapping ? selectorOf(mapIn(p, "namespaceSelector")) : undefined,
    });
  }),
  ports: mapsIn(rule, "ports").map((p): PolicyPort => {
    const port = p.get("port");
    return {
      protocol: context.protocol(textIn(p, "protocol"), p.lineOf("protocol") ?? p.line),
      ...input({
        port: typeof port === "number" || typeof port === "string" ? port : undefined,
        endPort: numberIn(p, "endPort"),
      }),
    };
  }),
  origin: context.origin(rule.line),
});

const selectorOf = (selector: Mapping | undefined): LabelSelector => ({
  labels: labelsIn(selector?.get("matchLabels")) ?? {},
  expressions: mapsIn(selector, "matchExpressions").map(
    (e): LabelRequirement => ({
      key: textIn(e, "key") ?? "",
      operator: OPERATORS.find((o) => o === textIn(e, "operator")) ?? "unknown",
      values: textsIn(e, "values"),
    }),
  ),
});
