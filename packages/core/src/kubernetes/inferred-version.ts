import type { IptablesTable, Origin } from "../model/index.ts";
import { chainIn, signsOf } from "./inferred-signs.ts";
import { SERVICES } from "./iptables/names.ts";
import { isSince, type KubernetesVersion, NEWEST_MODELLED, OLDEST_MODELLED } from "./version.ts";

/** Releases whose kube-proxy writes such rules. */
export interface InferredVersion {
  /** Of this minor release or a later one; the oldest that is modelled: or of an earlier one. */
  readonly since: number;
  /** Of this minor release or an earlier one. */
  readonly until: number;
  /** What says so; absent where nothing narrows that side. */
  readonly sinceOrigin?: Origin;
  readonly untilOrigin?: Origin;
}

/** By the rules of one family and back end. Where they contradict each other (`since` after `until`), two releases have written. */
export function inferredVersion(tables: readonly IptablesTable[]): InferredVersion | undefined {
  if (chainIn("nat", SERVICES)(tables) === undefined) return undefined;
  let known: InferredVersion = { since: OLDEST_MODELLED.minor, until: NEWEST_MODELLED.minor };
  const atMost = (until: number, untilOrigin: Origin): void => {
    if (until < known.until) known = { ...known, until, untilOrigin };
  };
  for (const { since, until, place, shows } of signsOf(tables)) {
    const chain = place(tables);
    const rule = chain?.rules.find((r) => shows(r, chain));
    if (rule !== undefined) {
      if (since !== undefined && since > known.since) known = { ...known, since, sinceOrigin: rule.origin };
      if (until !== undefined) atMost(until, rule.origin);
    } else if (since !== undefined && chain?.extent === "whole") atMost(since - 1, chain.origin);
  }
  return known;
}

export const fitsInferred = (version: KubernetesVersion, hint: InferredVersion): boolean =>
  isSince(version, hint.since) && version.minor <= hint.until;
