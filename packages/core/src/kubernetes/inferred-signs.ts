import {
  type Chain,
  chainNamed,
  chainsCalled,
  commentsOf,
  endpointOfRule,
  type IptablesTable,
  isClusterIpRule,
  isClusterIpSet,
  isForwardConntrackRule,
  isKubeName,
  type Match,
  PROXY_CHAIN,
  type ProxyChain,
  proxyChain,
  type Rule,
  rulesSaying,
} from "../model/index.ts";
import { isLoopback } from "../net/index.ts";
import {
  EXTERNAL_SERVICES,
  FIREWALL,
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
    inTable(tables, table, (t) => chainNamed(t, name));

const inTable = <T>(tables: Tables, name: string, find: (table: IptablesTable) => T | undefined): T | undefined => {
  const table = tables.find((t) => t.name === name);
  return table === undefined ? undefined : find(table);
};

const jumpsTo =
  (chain: string) =>
  ({ target }: Rule): boolean =>
    target.kind === "jump" && target.chain === chain;

type Roles = readonly (ProxyChain | undefined)[];

const natChain =
  (has: (rule: Rule) => boolean, ...roles: Roles) =>
  (tables: Tables): Chain | undefined =>
    inTable(tables, "nat", (table) => {
      for (const chain of chainsCalled(table, (name) => roles.includes(proxyChain(name))))
        if (chain.rules.some(has)) return chain;
      return undefined;
    });

const leadsTo =
  (role: ProxyChain) =>
  ({ target }: Rule): boolean =>
    target.kind === "jump" && proxyChain(target.chain) === role;
const toEndpoint = leadsTo("endpoint");
const isCommented = (rule: Rule): boolean => toEndpoint(rule) && commentsOf(rule).length > 0;
const toXlb = leadsTo("local-before-1.24");
/** A chain of a Service's port that leads to its endpoints, or to those of the node. */
export const isPerPort = (chain: string): boolean => PER_PORT.includes(proxyChain(chain));
const PER_PORT: Roles = ["service", "local"];
/** A cluster IP marks outsiders: before the jump, or in the chain it leads to. */
const marksOutsiders = (r: Rule): boolean => jumpsTo(MARK_MASQ)(r) && isClusterIpRule(r);
const oneConntrackRule: Sign = {
  since: 23,
  place: chainIn("filter", FORWARD),
  shows: isForwardConntrackRule,
};

const IPTABLES: readonly Sign[] = [
  { since: 20, place: chainIn("filter", "FORWARD"), shows: jumpsTo(EXTERNAL_SERVICES) },
  { since: 21, place: chainIn("filter", "INPUT"), shows: jumpsTo(NODEPORTS) },
  { until: 21, place: chainIn("nat", SERVICES), shows: marksOutsiders },
  { since: 22, place: natChain(marksOutsiders, ...PER_PORT), shows: marksOutsiders },
  oneConntrackRule,
  { until: 23, place: natChain(toXlb, "node-ports", "services", "source-ranges"), shows: toXlb },
  {
    since: 24,
    place: natChain(isCommented, "service"),
    shows: (r) => toEndpoint(r) && endpointOfRule(r) !== undefined,
  },
  { until: 24, place: natChain(jumpsTo(MARK_DROP), "local", "source-ranges"), shows: jumpsTo(MARK_DROP) },
  { since: 25, place: chainIn("filter", "INPUT"), shows: jumpsTo(PROXY_FIREWALL) },
];

/** Only IPv6 shows 1.26: there localhost never takes NodePorts, from then on by a rule. */
const LOOPBACK: Sign = {
  since: 26,
  place: natChain((r) => jumpsTo(NODEPORTS)(r) && r.matches.some((m) => m.kind === "addrtype"), "services"),
  shows: (r) => jumpsTo(NODEPORTS)(r) && r.destination?.negated === true,
};

const fromLoopback = ({ source }: Rule): boolean =>
  source !== undefined && !source.negated && isLoopback(source.value.address);

const IPVS: readonly Sign[] = [
  { since: 21, place: chainIn("filter", "INPUT"), shows: jumpsTo(PROXY_CHAIN["node-port"]) },
  oneConntrackRule,
  { until: 24, place: chainIn("nat", SERVICES), shows: jumpsTo(FIREWALL) },
  { since: 25, place: chainIn("filter", "INPUT"), shows: jumpsTo(PROXY_FIREWALL) },
  {
    since: 26,
    place: chainIn("nat", SERVICES),
    shows: (r) => r.target.kind === "return" && r.matches.length === 0 && fromLoopback(r),
  },
  { since: 29, place: chainIn("filter", "OUTPUT"), shows: jumpsTo(PROXY_CHAIN["ipvs-out-filter"]) },
];

export const asksClusterIps = (m: Match): boolean => m.kind === "set" && isClusterIpSet(m.name);
const usesSets = ({ matches }: Rule): boolean => matches.some((m) => m.kind === "set" && isKubeName(m.name));

/** Rules that ask sets are of the IPVS mode. */
export const isIpvs = (tables: Tables): boolean =>
  inTable(tables, "nat", (table) => {
    for (const { chain, rule } of rulesSaying(table, "--match-set"))
      if (isKubeName(chain.name) && usesSets(rule)) return true;
    return false;
  }) === true;

export function signsOf(tables: Tables): readonly Sign[] {
  if (isIpvs(tables)) return IPVS;
  return tables.some((t) => t.family === 6) ? [...IPTABLES, LOOPBACK] : IPTABLES;
}
