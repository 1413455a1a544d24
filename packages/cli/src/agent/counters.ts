import type { CauseCode } from "@hairpin/core/explain/index.ts";
import type { Metric } from "./prometheus.ts";

/** What the kernel counts, as the tools print it. */
export interface Counted {
  /** `nstat -az` */
  readonly nstat: string;
  /** `conntrack -S` */
  readonly conntrack: string;
  /** `/proc/net/stat/rt_cache` */
  readonly routes: string;
}

const cause = (code: CauseCode): { readonly cause: CauseCode } => ({ cause: code });

/** Drops that the kernel counts, with the cause that such a drop speaks for. What was not read is not told. */
export function counters({ nstat, conntrack, routes }: Counted, node: string): readonly Metric[] {
  const counter = (name: string, help: string, value: number | undefined, code: CauseCode): Metric => ({
    name,
    help,
    type: "counter",
    samples: value === undefined ? [] : [[{ node, ...cause(code) }, value]],
  });
  return [
    counter(
      "hairpin_rp_filter_drops_total",
      "Packets that reverse path filtering dropped.",
      numberAfter(nstat, "TcpExtIPReversePathFilter") ?? numberAfter(nstat, "IpExtIPReversePathFilter"),
      "RP_FILTER_STRICT",
    ),
    counter(
      "hairpin_martian_packets_total",
      "Packets with a source that cannot be, of all network namespaces of the machine; those of reverse path filtering are among them.",
      columnSum(routes, "in_martian_src"),
      "MARTIAN_LOCAL_SOURCE",
    ),
    counter(
      "hairpin_conntrack_invalid_total",
      "Packets that connection tracking could not place.",
      fieldSum(conntrack, "invalid"),
      "CONNTRACK_INVALID_RST",
    ),
  ];
}

function numberAfter(text: string, name: string): number | undefined {
  const [, value] = new RegExp(`^${name}\\s+(\\d+)`, "m").exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

/** A line for each processor. */
function fieldSum(text: string, field: string): number | undefined {
  const found = [...text.matchAll(new RegExp(`\\b${field}=(\\d+)`, "g"))].map((m) => Number(m[1]));
  return found.length === 0 ? undefined : found.reduce((a, b) => a + b, 0);
}

/** Columns under their names, in hexadecimal, a line for each processor. */
function columnSum(text: string, column: string): number | undefined {
  const [head = "", ...lines] = text.trim().split("\n");
  const at = head.trim().split(/\s+/).indexOf(column);
  if (at < 0) return undefined;
  return lines.reduce((sum, line) => sum + (Number.parseInt(line.trim().split(/\s+/)[at] ?? "0", 16) || 0), 0);
}
