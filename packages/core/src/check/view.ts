import {
  type Device,
  type Extent,
  type IpSet,
  type IptablesTable,
  linesOf,
  type Origin,
  type Route,
  type RoutingRule,
  type SysctlEntry,
  type VirtualService,
} from "../model/index.ts";
import type { Family } from "../net/index.ts";
import type { Dump } from "../parse/case/dump.ts";
import type { Facts } from "../parse/facts.ts";

/** A fact together with the dump it comes from. */
export type DumpedFact<K extends Facts["kind"]> = Extract<Facts, { kind: K }> & { readonly dump: Dump };

/** All that was read of one network namespace at one moment, dump by dump: nothing is merged, so that dumps can be compared. */
export interface StackView {
  readonly node: string;
  readonly stack: string;
  /** The node's own namespace, not a pod's. */
  readonly own: boolean;
  readonly dumps: readonly Dump[];
}

export function viewsOf(dumps: readonly Dump[]): readonly StackView[] {
  const groups = new Map<string, Dump[]>();
  for (const dump of dumps) {
    if (dump.cluster) continue;
    const key = JSON.stringify([dump.node.value, dump.stack?.value ?? null, dump.context.moment?.value ?? null]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [dump]);
    else group.push(dump);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    const node = first!.node.value;
    return { node, stack: first!.stack?.value ?? node, own: first!.stack === undefined, dumps: group };
  });
}

export function facts<K extends Facts["kind"]>(view: StackView, kind: K): readonly DumpedFact<K>[] {
  return view.dumps.flatMap((dump) =>
    dump.reading.facts.flatMap((f) => (f.kind === kind ? [{ ...(f as Extract<Facts, { kind: K }>), dump }] : [])),
  );
}

export const tablesOf = (view: StackView): readonly IptablesTable[] => facts(view, "iptables").flatMap((f) => f.tables);
export const devicesOf = (view: StackView): readonly Device[] => facts(view, "devices").flatMap((f) => f.devices);
export const routesOf = (view: StackView): readonly Route[] => facts(view, "routes").flatMap((f) => f.routes);
export const rulesOf = (view: StackView): readonly RoutingRule[] =>
  facts(view, "routing-rules").flatMap((f) => f.rules);
export const servicesOf = (view: StackView): readonly VirtualService[] =>
  facts(view, "ipvs").flatMap((f) => f.services);
export const setsOf = (view: StackView): readonly IpSet[] => facts(view, "ipset").flatMap((f) => f.sets);
export const sysctlsOf = (view: StackView): readonly SysctlEntry[] => facts(view, "sysctls").flatMap((f) => f.entries);

const WHOLE: Extent = "whole";

/** Device lists that lack nothing: what they do not name is not there. */
export const wholeDeviceLists = (view: StackView): readonly DumpedFact<"devices">[] =>
  facts(view, "devices").filter((f) => f.extent === WHOLE && f.devices.length > 0);

/** Lists that show every address of a family. */
export const wholeAddressLists = (view: StackView, family: Family): readonly DumpedFact<"devices">[] =>
  wholeDeviceLists(view).filter((f) => f.shows.includes(family === 4 ? "ipv4" : "ipv6"));

/** The first line of a dump. */
export const startOf = (dump: Dump): Origin => ({ kind: "read", file: dump.file, line: dump.lines[0] });

type CommandKind = "iptables-commands" | "ipset-commands" | "ipvs-commands" | "ip-commands" | "sysctl-commands";

/** Whether somebody typed a change between two lines of one text: then what differs before and after does not contradict. */
export function changedBetween(view: StackView, kind: CommandKind, a: Origin, b: Origin): boolean {
  const [one] = linesOf(a);
  const [two] = linesOf(b);
  if (one === undefined || two === undefined || one.file !== two.file) return false;
  const [from, to] = [Math.min(one.line, two.line), Math.max(one.line, two.line)];
  return facts(view, kind).some((f) =>
    f.commands.some(({ origin }) => linesOf(origin).some((l) => l.file === one.file && l.line >= from && l.line <= to)),
  );
}
