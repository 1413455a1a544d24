import { contains, type Ipv6, type Prefix, parsePrefix } from "../../net/index.ts";

/** ip6addrlbl_init_table (addrlabel.c), longest prefix first; `ip addrlabel` may change it, which no dump of a node shows. */
const LABELS: readonly (readonly [Prefix, number])[] = [
  ["::1/128", 0],
  ["::ffff:0:0/96", 4],
  ["::/96", 3],
  ["2001::/32", 6],
  ["2001:10::/28", 7],
  ["3ffe::/16", 12],
  ["2002::/16", 2],
  ["fec0::/10", 11],
  ["fc00::/7", 5],
].map(([prefix, label]) => [parsePrefix(String(prefix))!, Number(label)] as const);

/** Follows ipv6_addr_label(). */
export const addrLabel = (address: Ipv6): number => LABELS.find(([prefix]) => contains(prefix, address))?.[1] ?? 1;
