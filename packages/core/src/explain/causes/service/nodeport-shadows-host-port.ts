import { text } from "../../../messages/index.ts";
import { PROXY_CHAIN } from "../../../model/index.ts";
import { type Cause, stackOf, stepsOf } from "../../cause.ts";

/** A NodePort takes what was meant for a process of the node. Guard: nobody of the node listens there, nothing is shadowed. */
export const nodeportShadowsHostPort: Cause = {
  codes: ["NODEPORT_SHADOWS_HOST_PORT"],
  detect: ({ branch, question, world }) => {
    const taken = stepsOf(branch.request, "rule").find(
      (s) => s.effect === "matched" && s.chain === PROXY_CHAIN["node-ports"] && s.packet.protocol === question.protocol,
    );
    const stack = taken === undefined ? undefined : stackOf(world, taken.stack);
    const own = stack?.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === question.to));
    const listener = stack?.listeners.items.find(
      (l) =>
        l.protocol === question.protocol &&
        l.port === question.port &&
        // kube-proxy itself held the port open before 1.27.
        !/kube-proxy|hyperkube/.test(l.process ?? ""),
    );
    if (taken === undefined || stack === undefined || own !== true || listener === undefined) return [];
    return [
      {
        code: "NODEPORT_SHADOWS_HOST_PORT",
        summary: text("cause.nodeport_shadows_host_port", {
          stack: stack.name,
          port: question.port,
          process: listener.process ?? "?",
        }),
        stack: stack.name,
        evidence: [listener.origin, taken.origin],
        root: true,
      },
    ];
  },
};
