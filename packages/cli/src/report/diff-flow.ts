import type { End, Example, Flow } from "@hairpin/core/compare/index.ts";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { formatAddress, PROTO, protocolName } from "@hairpin/core/net/index.ts";
import type { QuestionSpec } from "@hairpin/core/trace/index.ts";

/** `a pod of the node (10.244.1.5) to 10.96.0.10:53 udp`. */
export function flowText(flow: Flow, spec: QuestionSpec): Text {
  const where = flow.in === undefined ? "" : ` (${flow.in})`;
  const to = `${typeof flow.to === "number" || flow.to === "loopback" ? spec.to : (spec.to ?? "")} ${protocolName(flow.protocol)}${where}`;
  return text("diff.heading", { from: whoText(flow, spec), to });
}

function whoText(flow: Flow, spec: QuestionSpec): Text | string {
  if (flow.from === "external") return text("diff.external");
  if (flow.from === "node") return text("diff.node");
  if (flow.from === "pod") return text("diff.pod-at", { address: spec.from ?? "" });
  return formatAddress(flow.from);
}

export function endText(end: End): Text {
  const to = `${formatAddress(end.to.address)}${end.to.port === null ? "" : `:${end.to.port}`}`;
  const { clientSees } = end;
  if (clientSees === "connected") return text("diff.end-connected", { to });
  return text("diff.end-lost", {
    sees: clientSees === null ? "?" : text(`sees.${clientSees}`),
    disposition: end.disposition,
    stack: end.stack,
    step: end.step,
    drop: end.drop === null ? "" : ` (${end.drop})`,
  });
}

/** The command that walks it alone. */
export function traceCommand(title: string, spec: QuestionSpec): string {
  const quoted = (s: string): string => (/^[\w./:@-]+$/.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`);
  const options: readonly (readonly [string, string | number | undefined])[] = [
    ["from", spec.from],
    ["to", spec.to],
    ["proto", spec.proto === "tcp" ? undefined : spec.proto],
    ["node", spec.node],
    ["in", spec.in],
    ["sport", spec.sport],
  ];
  const words = options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, quoted(String(value))]));
  return `hairpin trace ${quoted(title)} ${words.join(" ")}`;
}

export const flowJson = (flow: Flow, example?: Example): unknown => ({
  from: typeof flow.from === "number" ? formatAddress(flow.from) : flow.from,
  to: `${typeof flow.to === "number" ? formatAddress(flow.to) : flow.to}${flow.protocol === PROTO.icmp ? "" : `:${flow.port}`}`,
  proto: protocolName(flow.protocol),
  ...(flow.sport !== undefined && { sport: flow.sport }),
  ...(flow.in !== undefined && { in: flow.in }),
  ...(example !== undefined && { a: example.a, b: example.b }),
});
