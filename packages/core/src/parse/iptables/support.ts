import type { Match, Target } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { MATCHES } from "./listing/matches.ts";
import { TARGETS } from "./listing/targets.ts";
import type { Extension } from "./rule/extension.ts";
import { matchExtensions, targetExtensions } from "./rule/registry.ts";

/** One line of the public list of what is supported. */
export interface SupportedExtension {
  readonly kind: "match" | "target";
  readonly name: string;
  /** Where only one family has it. */
  readonly family?: Family;
  readonly options: readonly string[];
  /** Has a record of its own; otherwise its options are read, checked and printed, and it is not simulated. */
  readonly typed: boolean;
}

const entry = (
  kind: "match" | "target",
  { name, family, options, other }: Extension<Match | Target>,
): SupportedExtension => ({
  kind,
  name,
  ...(family && { family }),
  options: [...options.keys()],
  typed: other !== true,
});

/** Everything that iptables readers and printers know, for docs/support.md. */
export const iptablesSupport: readonly SupportedExtension[] = [
  ...matchExtensions.map((extension) => entry("match", extension)),
  ...targetExtensions.map((extension) => entry("target", extension)),
];

/** First words of what `iptables -L` prints for a match, and targets whose options are read from there. */
export const listingSupport: { readonly matches: readonly string[]; readonly targets: readonly string[] } = {
  matches: [...MATCHES.keys()],
  targets: [...TARGETS.keys()],
};
