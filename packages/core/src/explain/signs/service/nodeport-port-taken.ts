import { text } from "../../../messages/index.ts";
import { shell } from "../../../model/shell.ts";
import { protocolName } from "../../../net/index.ts";
import type { Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/** kube-proxy could not open the port: some connection has it as its own source port. */
export const nodeportPortTaken: Sign = {
  codes: ["NODEPORT_PORT_TAKEN"],
  detect: ({ question, observations, world }) => {
    const query = new Set([
      question.port,
      ...world.kubernetes.services
        .flatMap((s) => s.ports)
        .filter((p) => p.nodePort === question.port)
        .flatMap((p) => (p.nodePort === undefined ? [] : [p.nodePort])),
    ]);
    const line = observations.serviceLines.find(
      ({ event }) =>
        event?.what === "port-taken" && query.has(event.port) && event.protocol === protocolName(question.protocol),
    );
    if (line === undefined) return [];
    const { port } = question;
    return [
      suspect({
        code: "NODEPORT_PORT_TAKEN",
        stack: line.place.node,
        summary: text("cause.nodeport_port_taken", { port, node: line.place.node }),
        evidence: [line.origin],
        step: "kube-proxy",
        check: { text: text("check.port-owner", { port }), command: shell`ss -anp '( sport = :${port} )'` },
      }),
    ];
  },
};
