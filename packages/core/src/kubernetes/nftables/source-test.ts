import type { NftStatement } from "../../model/index.ts";
import { type Family, lengthOfMask } from "../../net/index.ts";
import type { SourceTest } from "../local-detector.ts";
import { field, ipOf, match, meta, network } from "./words.ts";

/** "From a pod", or its opposite, as nft writes it; undefined where nothing tells pods apart. */
export function sourceTest(family: Family, test: SourceTest | undefined): readonly NftStatement[] | undefined {
  if (test?.source !== undefined) {
    const { value, negated } = test.source;
    const range = network({ address: value.address, length: lengthOfMask(value.mask) ?? 0 });
    return [match(field(ipOf(family), "saddr"), range, negated ? "!=" : "in")];
  }
  if (test?.inInterface !== undefined) {
    const { value, negated } = test.inInterface;
    const prefix = value.endsWith("+");
    const name = { kind: "name", value: prefix ? value.slice(0, -1) : value, prefix } as const;
    return [match(meta("iifname"), name, negated ? "!=" : "in")];
  }
  return undefined;
}
