import type { BridgeVlan, Extent } from "../../model/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { invocationOf } from "../iproute2/invocation.ts";
import { Complaints, eachEntry, isPartial, type LogicalLine, originOf, wordsIn } from "../iproute2/lines.ts";
import { rangeOf } from "../iproute2/rule/rule-words.ts";
import { listReading } from "../list-reading.ts";
import type { Source } from "../source.ts";

export function vlansReading(
  vlans: readonly BridgeVlan[],
  cut: boolean,
  requested: boolean,
  diagnostics: readonly Diagnostic[],
): Reading {
  const extent: Extent = cut ? "partial" : "whole";
  return listReading({ kind: "bridge-vlans", vlans, extent }, { vlans: vlans.length }, requested, diagnostics);
}

/** `1 PVID Egress Untagged`, `10-20`, `1000 65556` of tunnelshow. */
function vlanOf(words: readonly string[]): Omit<BridgeVlan, "device" | "origin"> | undefined {
  const range = rangeOf(words[0] ?? "", 4095);
  if (range === undefined) return undefined;
  const rest = words.slice(1).join(" ");
  const tunnel = /^\d{1,8}(-\d{1,8})?$/.exec(rest);
  if (tunnel === null && !/^(PVID)?\s?(Egress [Uu]ntagged)?$/.test(rest)) return undefined;
  return {
    from: range.from,
    to: range.to,
    pvid: rest.includes("PVID"),
    untagged: /Egress [Uu]ntagged/.test(rest),
    ...(tunnel === null ? {} : { tunnelId: Number.parseInt(rest, 10) }),
  };
}

/** Reads `bridge vlan` of old (tabs, blank lines between ports) and new versions; the port stands in its first row. */
export function readVlans(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "bridge-vlan");
  const command = invocationOf(context.command ?? []);
  const partial = isPartial(context) || (command !== undefined && command.rest.length > 1);
  let device: string | undefined = context.device?.value;
  const vlans: BridgeVlan[] = [];
  const take = (line: LogicalLine): void => {
    let words = wordsIn(line).map((w) => w.text);
    if (words[0] === "port" && /^vlan/.test(words[1] ?? "")) return;
    if (!/^\s/.test(line.text)) {
      device = words[0];
      words = words.slice(1);
      if (words.length === 0 || (words.length === 1 && words[0] === "None")) return;
    }
    if (/^(state|mcast_router|mcast_n_groups|neigh_suppress)$/.test(words[0] ?? "")) return;
    const vlan = vlanOf(words);
    if (vlan === undefined || device === undefined) complaints.notUnderstood(line, "not a line of `bridge vlan`");
    else vlans.push({ device, ...vlan, origin: originOf(source, line) });
  };
  const elided = eachEntry(source, take);
  const headed = source.lines.some((l) => /^port\s+vlan/.test(l.slice(0, 40)));
  return vlansReading(vlans, partial || elided || complaints.lost, command !== undefined || headed, complaints.list);
}
