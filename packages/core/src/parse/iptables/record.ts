import type { Counters, MaskedAddress, Match, Negatable, Origin, Rule, Target } from "../../model/index.ts";

/** What a rule says before its matches. */
export interface RuleHead {
  readonly source: Negatable<MaskedAddress> | undefined;
  readonly destination: Negatable<MaskedAddress> | undefined;
  readonly inInterface: Negatable<string> | undefined;
  readonly outInterface: Negatable<string> | undefined;
  readonly protocol: Negatable<number> | undefined;
  readonly protocolName: string | undefined;
  readonly fragment: { readonly negated: boolean } | undefined;
}

/**
 * All rules get the same fields in the same order, the missing ones undefined: the engine then gives all of them one
 * hidden class, and whoever walks a hundred thousand rules reads them at full speed.
 */
export const ruleRecord = (
  source: Negatable<MaskedAddress> | undefined,
  destination: Negatable<MaskedAddress> | undefined,
  inInterface: Negatable<string> | undefined,
  outInterface: Negatable<string> | undefined,
  protocol: Negatable<number> | undefined,
  protocolName: string | undefined,
  fragment: { readonly negated: boolean } | undefined,
  matches: readonly Match[],
  target: Target,
  counters: Counters | undefined,
  lossy: boolean | undefined,
  origin: Origin,
): Rule =>
  ({
    source,
    destination,
    inInterface,
    outInterface,
    protocol,
    protocolName,
    fragment,
    matches,
    target,
    counters,
    lossy,
    origin,
  }) as Rule;

export const NO_TARGET: Target = { kind: "none" };
export const STANDARD: Readonly<Record<string, Target>> = {
  ACCEPT: { kind: "accept" },
  DROP: { kind: "drop" },
  RETURN: { kind: "return" },
  QUEUE: { kind: "queue" },
};
