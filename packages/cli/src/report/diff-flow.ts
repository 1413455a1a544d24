import type { Example, Flow } from "@hairpin/core/compare/index.ts";
import { shell } from "@hairpin/core/model/shell.ts";
import { formatAddress, PROTO, protocolName } from "@hairpin/core/net/index.ts";
import type { QuestionSpec } from "@hairpin/core/trace/index.ts";

export { endText, flowText } from "@hairpin/core/compare/texts.ts";

/** The command that walks it alone. */
export function traceCommand(title: string, spec: QuestionSpec): string {
  const options: readonly (readonly [string, string | number | undefined])[] = [
    ["from", spec.from],
    ["to", spec.to],
    ["proto", spec.proto === "tcp" ? undefined : spec.proto],
    ["node", spec.node],
    ["in", spec.in],
    ["sport", spec.sport],
  ];
  const words = options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, shell`${value}`]));
  return `${shell`hairpin trace ${title}`} ${words.join(" ")}`;
}

export const flowJson = (flow: Flow, example?: Example): unknown => ({
  from: typeof flow.from === "object" ? formatAddress(flow.from.address) : flow.from,
  to: `${typeof flow.to === "object" ? formatAddress(flow.to.address) : flow.to}${flow.protocol === PROTO.icmp ? "" : `:${flow.port}`}`,
  proto: protocolName(flow.protocol),
  ...(flow.sport !== undefined && { sport: flow.sport }),
  ...(flow.in !== undefined && { in: flow.in }),
  ...(example !== undefined && { a: example.a, b: example.b }),
});
