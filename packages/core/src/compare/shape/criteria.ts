import type { AddrtypeMatch, ConntrackMatch, MaskedAddress, Match, Negatable, Rule } from "../../model/index.ts";
import { applyMask, formatAddress, isUnspecified, type PortRange } from "../../net/index.ts";

/** Matches whose answer depends on what was asked before: their place among the others, and how often they are asked, counts. */
const STATEFUL: ReadonlySet<Match["kind"]> = new Set<Match["kind"]>([
  "statistic",
  "limit",
  "hashlimit",
  "connlimit",
  "recent",
  "other",
  "unknown",
]);

export const isStateful = (match: Match): boolean => STATEFUL.has(match.kind);

const not = (one: { readonly negated: boolean }): string => (one.negated ? "!" : "");
const network = ({ address, mask }: MaskedAddress): string =>
  `${formatAddress(applyMask(address, mask))}/${formatAddress(mask)}`;
const range = ({ from, to }: PortRange): string => `${from}-${to}`;
const isAny = ({ value, negated }: Negatable<MaskedAddress>): boolean => !negated && isUnspecified(value.mask);

/** Keys in one order, so that equal records give equal text. */
function plain(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v !== null && typeof v === "object" && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );
}

function ports(
  match: { readonly sport?: Negatable<PortRange>; readonly dport?: Negatable<PortRange> },
  into: string[],
): void {
  if (match.sport !== undefined) into.push(`${not(match.sport)}sport ${range(match.sport.value)}`);
  if (match.dport !== undefined) into.push(`${not(match.dport)}dport ${range(match.dport.value)}`);
}

/** `-m state` is `-m conntrack --ctstate` by an older name; the order of states and types says nothing. */
function sorted(match: ConntrackMatch | AddrtypeMatch): unknown {
  return Object.fromEntries(
    Object.entries(match).map(([key, value]) =>
      value !== null && typeof value === "object" && Array.isArray(value.value)
        ? [key, { ...value, value: [...value.value].sort() }]
        : [key, value],
    ),
  );
}

function addMatch(match: Match, nameList: (name: string) => string, into: string[]): void {
  switch (match.kind) {
    case "comment":
      return;
    case "tcp":
      ports(match, into);
      if (match.flags !== undefined)
        into.push(`${not(match.flags)}flags ${match.flags.value.mask}/${match.flags.value.set}`);
      if (match.option !== undefined) into.push(`${not(match.option)}option ${match.option.value}`);
      return;
    case "udp":
      ports(match, into);
      return;
    case "multiport": {
      const list = [...match.ports].map(range).sort();
      const side = match.direction === "source" ? "sport" : match.direction === "destination" ? "dport" : "port";
      into.push(`${not(match)}${side} ${list.join(",")}`);
      return;
    }
    case "mark":
      if (match.mask !== 0 || match.negated) into.push(`${not(match)}mark ${match.value}/${match.mask}`);
      return;
    case "state":
      into.push(`${not(match)}ctstate ${[...match.states].sort().join(",")}`);
      return;
    case "conntrack": {
      const { kind: _, states, ...rest } = match;
      if (states !== undefined) into.push(`${not(states)}ctstate ${[...states.value].sort().join(",")}`);
      if (Object.keys(rest).length > 0) into.push(`conntrack ${plain(sorted({ kind: "conntrack", ...rest }))}`);
      return;
    }
    case "addrtype":
      into.push(plain(sorted(match)));
      return;
    case "set": {
      const { noUpdateCounters: _, noUpdateSubcounters: __, negated, ...rest } = match;
      into.push(`${negated ? "!" : ""}${plain(rest)}`);
      return;
    }
    case "statistic":
      into.push(
        match.mode === "random" ? `${not(match)}random ${match.probability}` : `${not(match)}nth ${plain(match)}`,
      );
      return;
    case "recent":
      into.push(plain({ ...match, name: nameList(match.name) }));
      return;
    default:
      into.push(plain(match));
  }
}

/**
 * What a rule asks of a packet, one text a criterion, equal where the kernel asks the same: without comments and counters,
 * and in one order. `nameList` names the lists of `-m recent`, which kube-proxy calls by chains.
 */
export function criteriaOf(rule: Rule, nameList: (name: string) => string = (name) => name): readonly string[] {
  const out: string[] = [];
  const { source, destination, inInterface, outInterface, protocol, fragment } = rule;
  if (protocol !== undefined && (protocol.value !== 0 || protocol.negated))
    out.push(`${not(protocol)}proto ${protocol.value}`);
  if (source !== undefined && !isAny(source)) out.push(`${not(source)}src ${network(source.value)}`);
  if (destination !== undefined && !isAny(destination))
    out.push(`${not(destination)}dst ${network(destination.value)}`);
  if (inInterface !== undefined && (inInterface.value !== "+" || inInterface.negated))
    out.push(`${not(inInterface)}in ${inInterface.value}`);
  if (outInterface !== undefined && (outInterface.value !== "+" || outInterface.negated))
    out.push(`${not(outInterface)}out ${outInterface.value}`);
  if (fragment !== undefined) out.push(`${not(fragment)}fragment`);
  const stateful: string[] = [];
  for (const match of rule.matches) addMatch(match, nameList, isStateful(match) ? stateful : out);
  if (out.length > 1) out.sort();
  if (rule.lossy === true) out.push("lossy");
  return stateful.length === 0 ? out : [...out, ...stateful];
}
