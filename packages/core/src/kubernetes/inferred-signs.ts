import type { Chain, IptablesTable, Match, Rule } from "../model/index.ts";
import { isLoopback } from "../net/index.ts";
import {
  EXTERNAL_SERVICES,
  FORWARD,
  MARK_DROP,
  MARK_MASQ,
  NODEPORTS,
  PROXY_FIREWALL,
  SERVICES,
} from "./iptables/names.ts";

type Tables = readonly IptablesTable[];

/**
 * Something by which rules tell the release that wrote them. `since`: releases from it on write it on every node, so that its absence tells
 * too, where its place was shown whole. `until`: releases up to it write it; of the jumps and chains that an upgrade leaves behind nothing
 * can be concluded, so these are only rules in chains that are written anew at every sync.
 */
export interface Sign {
  readonly since?: number;
  readonly until?: number;
  readonly place: (tables: Tables) => Chain | undefined;
  readonly shows: (rule: Rule, chain: Chain) => boolean;
}

export const chainIn =
  (table: string, name: string) =>
  (tables: Tables): Chain | undefined =>
    tables.find((t) => t.name === table)?.chains.find((c) => c.name === name);

const jumpsTo =
  (chain: string) =>
  ({ target }: Rule): boolean =>
    target.kind === "jump" && target.chain === chain;
const says =
  (pattern: RegExp) =>
  ({ matches }: Rule): boolean =>
    matches.some((m) => m.kind === "comment" && pattern.test(m.text));

const natChain =
  (pattern: RegExp, has: (rule: Rule) => boolean) =>
  (tables: Tables): Chain | undefined =>
    tables.find((t) => t.name === "nat")?.chains.find((c) => pattern.test(c.name) && c.rules.some(has));

const toEndpoint = ({ target }: Rule): boolean => target.kind === "jump" && target.chain.startsWith("KUBE-SEP-");
const isCommented = (rule: Rule): boolean => toEndpoint(rule) && rule.matches.some((m) => m.kind === "comment");
const toXlb = ({ target }: Rule): boolean => target.kind === "jump" && target.chain.startsWith("KUBE-XLB-");
/** A cluster IP marks outsiders: before the jump, or in the chain it leads to. */
const marksOutsiders = (r: Rule): boolean => jumpsTo(MARK_MASQ)(r) && says(/ cluster IP$/)(r);
const oneConntrackRule: Sign = {
  since: 23,
  place: chainIn("filter", FORWARD),
  shows: says(/^kubernetes forwarding conntrack rule$/),
};

const IPTABLES: readonly Sign[] = [
  { since: 20, place: chainIn("filter", "FORWARD"), shows: jumpsTo(EXTERNAL_SERVICES) },
  { since: 21, place: chainIn("filter", "INPUT"), shows: jumpsTo(NODEPORTS) },
  { until: 21, place: chainIn("nat", SERVICES), shows: marksOutsiders },
  { since: 22, place: natChain(/^KUBE-SV[CL]-/, marksOutsiders), shows: marksOutsiders },
  oneConntrackRule,
  { until: 23, place: natChain(/^KUBE-(?:NODEPORTS$|SERVICES$|FW-)/, toXlb), shows: toXlb },
  {
    since: 24,
    place: natChain(/^KUBE-SVC-/, isCommented),
    shows: (r) => toEndpoint(r) && says(/ -> \S+$/)(r),
  },
  { until: 24, place: natChain(/^KUBE-(?:SVL|FW)-/, jumpsTo(MARK_DROP)), shows: jumpsTo(MARK_DROP) },
  { since: 25, place: chainIn("filter", "INPUT"), shows: jumpsTo(PROXY_FIREWALL) },
];

/** Only IPv6 shows 1.26: there localhost never takes NodePorts, from then on by a rule. */
const LOOPBACK: Sign = {
  since: 26,
  place: natChain(/^KUBE-SERVICES$/, (r) => jumpsTo(NODEPORTS)(r) && r.matches.some((m) => m.kind === "addrtype")),
  shows: (r) => jumpsTo(NODEPORTS)(r) && r.destination?.negated === true,
};

const fromLoopback = ({ source }: Rule): boolean =>
  source !== undefined && !source.negated && isLoopback(source.value.address);

const IPVS: readonly Sign[] = [
  { since: 21, place: chainIn("filter", "INPUT"), shows: jumpsTo("KUBE-NODE-PORT") },
  oneConntrackRule,
  { until: 24, place: chainIn("nat", SERVICES), shows: jumpsTo("KUBE-FIREWALL") },
  { since: 25, place: chainIn("filter", "INPUT"), shows: jumpsTo(PROXY_FIREWALL) },
  {
    since: 26,
    place: chainIn("nat", SERVICES),
    shows: (r) => r.target.kind === "return" && r.matches.length === 0 && fromLoopback(r),
  },
  { since: 29, place: chainIn("filter", "OUTPUT"), shows: jumpsTo("KUBE-IPVS-OUT-FILTER") },
];

export const isClusterIpSet = (m: Match): boolean => m.kind === "set" && /^KUBE-(?:6-)?CLUSTER-IP$/.test(m.name);
const usesSets = ({ matches }: Rule): boolean => matches.some((m) => m.kind === "set" && m.name.startsWith("KUBE-"));

/** Rules that ask sets are of the IPVS mode. */
export const isIpvs = (tables: Tables): boolean => natChain(/^KUBE-/, usesSets)(tables) !== undefined;

export function signsOf(tables: Tables): readonly Sign[] {
  if (isIpvs(tables)) return IPVS;
  return tables.some((t) => t.family === 6) ? [...IPTABLES, LOOPBACK] : IPTABLES;
}
