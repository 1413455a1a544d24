import type { Family } from "../../net/index.ts";
import type { Netfilter } from "./rule.ts";
import { ruleCount, someChain } from "./unread.ts";

/**
 * Whether the rules of a family are native nftables' alone: there is a ruleset, and nothing in iptables' tables. The node's iptables may not even
 * be there, and mixing both is what nobody wants.
 */
export const isNativeNft = ({ nft, tables }: Netfilter, family: Family): boolean =>
  nft?.some((t) => !t.ofIptables) === true &&
  !tables.some((t) => t.family === family && someChain(t, (c) => ruleCount(c) > 0 || c.policy === "DROP"));
