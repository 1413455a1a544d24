import type { Chain, IptablesTable, Origin, Rule } from "../model/index.ts";
import { EXTERNAL_SERVICES, FORWARD, MARK_MASQ, NODEPORTS, PROXY_FIREWALL, SERVICES } from "./iptables/names.ts";
import { isSince, type KubernetesVersion, NEWEST_MODELLED, OLDEST_MODELLED } from "./version.ts";

/** Releases whose kube-proxy writes such rules in iptables mode. */
export interface ToldVersion {
  /** Of this minor release or a later one. */
  readonly since: number;
  /** Of this minor release or an earlier one. */
  readonly until: number;
  /** What says so; absent where nothing narrows that side. */
  readonly sinceOrigin?: Origin;
  readonly untilOrigin?: Origin;
}

/**
 * Something that releases from `since` on write on every node. What is old and still there proves nothing: kube-proxy leaves jumps and
 * chains of older releases behind when it is upgraded.
 */
interface Sign {
  readonly since: number;
  /** Where it would stand; its absence counts only if that was shown whole. */
  readonly place: (tables: readonly IptablesTable[]) => Chain | undefined;
  readonly shows: (rule: Rule, chain: Chain) => boolean;
}

const chainIn =
  (table: string, name: string) =>
  (tables: readonly IptablesTable[]): Chain | undefined =>
    tables.find((t) => t.name === table)?.chains.find((c) => c.name === name);

const jumpsTo =
  (chain: string) =>
  ({ target }: Rule): boolean =>
    target.kind === "jump" && target.chain === chain;
const says =
  (pattern: RegExp) =>
  ({ matches }: Rule): boolean =>
    matches.some((m) => m.kind === "comment" && pattern.test(m.text));

/** A Service's chain that balances: the first that has a rule for an endpoint with a comment. */
const balancing = (tables: readonly IptablesTable[]): Chain | undefined =>
  tables
    .find((t) => t.name === "nat")
    ?.chains.find((c) => /^KUBE-SVC-/.test(c.name) && c.rules.some((r) => toEndpoint(r) && r.matches.some(isComment)));
const toEndpoint = ({ target }: Rule): boolean => target.kind === "jump" && target.chain.startsWith("KUBE-SEP-");
const isComment = (m: Rule["matches"][number]): boolean => m.kind === "comment";

/** Where cluster IPs mark outsiders: before the jump, or in the chain it leads to. Either is written anew at every sync. */
const marking = (tables: readonly IptablesTable[]): Chain | undefined =>
  tables
    .find((t) => t.name === "nat")
    ?.chains.find((c) => /^KUBE-(?:SERVICES$|SV[CL]-)/.test(c.name) && c.rules.some(marksOutsiders));
const marksOutsiders = (r: Rule): boolean => jumpsTo(MARK_MASQ)(r) && says(/ cluster IP$/)(r);

const SIGNS: readonly Sign[] = [
  { since: 20, place: chainIn("filter", "FORWARD"), shows: jumpsTo(EXTERNAL_SERVICES) },
  { since: 21, place: chainIn("filter", "INPUT"), shows: jumpsTo(NODEPORTS) },
  { since: 22, place: marking, shows: (r, c) => c.name !== SERVICES && marksOutsiders(r) },
  { since: 23, place: chainIn("filter", FORWARD), shows: says(/^kubernetes forwarding conntrack rule$/) },
  { since: 24, place: balancing, shows: (r) => toEndpoint(r) && says(/ -> \S+$/)(r) },
  { since: 25, place: chainIn("filter", "INPUT"), shows: jumpsTo(PROXY_FIREWALL) },
];

/** Only IPv6 shows 1.26: there localhost never takes NodePorts, from then on by a rule. */
const LOOPBACK_SIGN: Sign = {
  since: 26,
  place: chainIn("nat", SERVICES),
  shows: (r) =>
    jumpsTo(NODEPORTS)(r) && r.destination?.negated === true && typeof r.destination.value.address === "object",
};
const CAPTURES_ALL = (r: Rule): boolean => jumpsTo(NODEPORTS)(r) && r.matches.some((m) => m.kind === "addrtype");

export function toldVersion(tables: readonly IptablesTable[]): ToldVersion | undefined {
  if (chainIn("nat", SERVICES)(tables) === undefined) return undefined;
  const six = tables.some((t) => t.family === 6) && chainIn("nat", SERVICES)(tables)!.rules.some(CAPTURES_ALL);
  let told: ToldVersion = { since: OLDEST_MODELLED.minor, until: NEWEST_MODELLED.minor };
  for (const { since, place, shows } of six ? [...SIGNS, LOOPBACK_SIGN] : SIGNS) {
    const chain = place(tables);
    if (chain === undefined) continue;
    const rule = chain.rules.find((r) => shows(r, chain));
    if (rule !== undefined) {
      if (since > told.since) told = { ...told, since, sinceOrigin: rule.origin };
    } else if (chain.extent === "whole" && since - 1 < told.until)
      told = { ...told, until: since - 1, untilOrigin: chain.origin };
  }
  return told;
}

export const fitsTold = (version: KubernetesVersion, told: ToldVersion): boolean =>
  isSince(version, told.since) && version.minor <= told.until;
