import { assembled } from "@hairpin/testing/case.ts";
import { expect, test } from "vitest";
import type { NftTable } from "../../model/index.ts";
import { nftDifferences } from "./nft.ts";

const table = (rule: string): NftTable => {
  const listing = `table ip kube-proxy {
	chain filter-prerouting-pre-dnat {
		type filter hook prerouting priority dstnat - 10; policy accept;
		jump firewall-X-shop/lb/tcp/
	}

	chain firewall-X-shop/lb/tcp/ {
		${rule}
	}
}
`;
  const { world } = assembled({ "nodes/a/nft-list-ruleset.txt": listing });
  return world.stacks[0]!.netfilter.nft![0]!;
};
const codes = (expected: string, actual: string): readonly string[] =>
  nftDifferences(table(expected), table(actual), true).map((d) => d.code);

test("a set of one element is what nft loads as its element", () => {
  expect(codes("ip saddr != { 192.0.2.0/24 } drop", "ip saddr != 192.0.2.0/24 drop")).toEqual([]);
  expect(codes("ip saddr != { 192.0.2.0/24 } drop", "ip saddr != 192.0.2.0/25 drop")).toEqual([
    "RULE_MISSING",
    "RULE_STRAY",
  ]);
  expect(codes("ip saddr != { 192.0.2.0/24, 198.51.100.0/24 } drop", "ip saddr != 192.0.2.0/24 drop")).toHaveLength(2);
});
