import type { Counters, MaskedAddress, Match, Negatable, Origin, Rule, Target } from "../../../model/index.ts";

/**
 * Rules come in two shapes only, the common fields and all fields, the missing ones undefined: the engine then gives
 * them two hidden classes, and whoever walks a hundred thousand rules reads them at full speed.
 */
export const commonRule = (
  source: Negatable<MaskedAddress> | undefined,
  destination: Negatable<MaskedAddress> | undefined,
  inInterface: Negatable<string> | undefined,
  outInterface: Negatable<string> | undefined,
  protocol: Negatable<number> | undefined,
  matches: readonly Match[],
  target: Target,
  origin: Origin,
): Rule => ({ source, destination, inInterface, outInterface, protocol, matches, target, origin }) as Rule;

export interface RuleExtras {
  readonly protocolName: string | undefined;
  readonly fragment: { readonly negated: boolean } | undefined;
  readonly counters: Counters | undefined;
  readonly lossy: boolean | undefined;
}

export const fullRule = (common: Rule, { protocolName, fragment, counters, lossy }: RuleExtras): Rule =>
  protocolName === undefined && fragment === undefined && counters === undefined && lossy === undefined
    ? common
    : ({
        source: common.source,
        destination: common.destination,
        inInterface: common.inInterface,
        outInterface: common.outInterface,
        protocol: common.protocol,
        matches: common.matches,
        target: common.target,
        origin: common.origin,
        protocolName,
        fragment,
        counters,
        lossy,
      } as Rule);

export const NO_MATCHES: readonly Match[] = [];
export const NO_TARGET: Target = { kind: "none" };
export const STANDARD: ReadonlyMap<string, Target> = new Map([
  ["ACCEPT", { kind: "accept" }],
  ["DROP", { kind: "drop" }],
  ["RETURN", { kind: "return" }],
  ["QUEUE", { kind: "queue" }],
]);
