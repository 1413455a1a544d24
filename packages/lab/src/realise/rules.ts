import {
  assumed,
  type Chain,
  type IptablesTable,
  type IptablesTableName,
  is,
  type Match,
  type Rule,
  type Target,
} from "@hairpin/core/model/index.ts";
import { maskFor, type Prefix } from "@hairpin/core/net/index.ts";

const origin = assumed("made for the lab");

/** A rule of the lab's own. */
export interface MadeRule {
  readonly in?: string;
  readonly out?: string;
  readonly from?: Prefix;
  readonly to?: Prefix;
  readonly protocol?: number;
  readonly matches?: readonly Match[];
  readonly target: Target;
}

const masked = (prefix: Prefix) => is({ address: prefix.address, mask: maskFor(prefix.address, prefix.length) });

const ruleOf = (made: MadeRule): Rule => ({
  matches: made.matches ?? [],
  target: made.target,
  origin,
  ...(made.in === undefined ? {} : { inInterface: is(made.in) }),
  ...(made.out === undefined ? {} : { outInterface: is(made.out) }),
  ...(made.from === undefined ? {} : { source: masked(made.from) }),
  ...(made.to === undefined ? {} : { destination: masked(made.to) }),
  ...(made.protocol === undefined ? {} : { protocol: is(made.protocol) }),
});

/** A table by chains; none where there is no rule, since a table may change what happens by being there. */
export function tableOf(
  name: IptablesTableName,
  chains: Readonly<Record<string, readonly MadeRule[]>>,
): readonly IptablesTable[] {
  if (Object.values(chains).every((rules) => rules.length === 0)) return [];
  const made = Object.entries(chains).map(
    ([chain, rules]): Chain => ({ name: chain, policy: "ACCEPT", rules: rules.map(ruleOf), extent: "whole", origin }),
  );
  return [{ name, family: 4, backend: "legacy", chains: made, extent: "whole", origin }];
}
