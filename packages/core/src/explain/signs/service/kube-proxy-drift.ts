import { expectedWorld } from "../../../assemble/index.ts";
import { text } from "../../../messages/index.ts";
import { judge, trace } from "../../../trace/index.ts";
import type { Drift, Look, Sign } from "../../sign.ts";
import { crosses, fails, observedToFail, suspect } from "../claim.ts";
import { serviceOf } from "./service-of.ts";

/** `shop/web:http` is of `shop/web`. */
const isOf = ({ service }: Drift, name: string): boolean =>
  service === name || service?.startsWith(`${name}:`) === true;

/** With every node as kube-proxy should have programmed it, the flow works; undefined: that cannot be walked. */
function worksAsExpected({ world, question, exploration }: Look): boolean | undefined {
  const expected = expectedWorld(world);
  if ("id" in expected) return undefined;
  const walked = judge(trace(expected, question, { fixed: exploration.fixed, record: false }));
  return walked.verdict === "reachable";
}

/**
 * What a node on the way has for the Service is not what kube-proxy should have programmed from the objects: kube-proxy is behind, or somebody else
 * wrote there. Claimed where the walk fails and would not with what was expected; where it delivers all the same, only suspected, and only if the flow
 * was seen to fail.
 */
export const kubeProxyDrift: Sign = {
  codes: ["KUBE_PROXY_DRIFT"],
  detect: (look) => {
    const lost = fails(look);
    const asked = lost || observedToFail(look) ? serviceOf(look) : undefined;
    if (asked === undefined || look.drift === undefined) return [];
    const name = `${asked.service.namespace}/${asked.service.name}`;
    const drifts = look.drift((node) => crosses(look.exploration, node)).filter((d) => isOf(d, name));
    const works = drifts.length > 0 && lost ? worksAsExpected(look) : undefined;
    if (works === false) return [];
    return drifts.slice(0, 3).map((d) =>
      suspect({
        code: "KUBE_PROXY_DRIFT",
        stack: d.node,
        ...(works === true && { certainty: "inferred", root: true }),
        summary: text("cause.kube_proxy_drift", { stack: d.node, what: d.text }),
        evidence: [...d.actual, ...d.expected],
        step: "service",
        check: {
          text: text("check.proxy-log", { stack: d.node }),
          command: "kubectl -n kube-system logs -l k8s-app=kube-proxy --tail=50",
        },
      }),
    );
  },
};
