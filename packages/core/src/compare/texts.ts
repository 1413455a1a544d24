import { decisionText, placeText, type Text, text } from "../messages/index.ts";
import { formatAddress, protocolName } from "../net/index.ts";
import type { QuestionSpec } from "../trace/index.ts";
import type { End } from "./ends.ts";
import type { Flow } from "./flows/flow.ts";

/** `a pod of the node (10.244.1.5) to 10.96.0.10:53 udp`. */
export function flowText(flow: Flow, spec: QuestionSpec): Text {
  const where = flow.in === undefined ? "" : ` (${flow.in})`;
  const to = `${typeof flow.to === "object" || flow.to === "loopback" ? spec.to : (spec.to ?? "")} ${protocolName(flow.protocol)}${where}`;
  return text("diff.heading", { from: whoText(flow, spec), to });
}

function whoText(flow: Flow, spec: QuestionSpec): Text | string {
  if (flow.from === "external") return text("diff.external");
  if (flow.from === "node") return text("diff.node");
  if (flow.from === "pod") return text("diff.pod-at", { address: spec.from ?? "" });
  return formatAddress(flow.from.address);
}

export function endText(end: End): Text {
  const to = `${formatAddress(end.to.address)}${end.to.port === null ? "" : `:${end.to.port}`}`;
  const { clientSees } = end;
  if (clientSees === "connected") return text("diff.end-connected", { to });
  return text("diff.end-lost", {
    sees: clientSees === null ? "?" : text(`sees.${clientSees}`),
    disposition: text(`report.${end.disposition}`),
    stack: end.stack,
    step: placeText(end.step),
    drop:
      end.why !== null
        ? text("diff.end-why", { why: decisionText(end.why) })
        : end.drop === null
          ? ""
          : text("diff.end-why", { why: end.drop }),
  });
}
