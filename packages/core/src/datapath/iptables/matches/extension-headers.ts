import { hasNoExtensions } from "../../ipv6/extension-headers.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";
import type { Option } from "./options.ts";

/** IPPROTO_IPV6: what is inside may have headers of its own. */
const IPV6_IN_IPV6 = 41;
const hasNone = ({ skb }: MatchContext): boolean => hasNoExtensions(skb.packet);

/** Follows frag_mt6(), rt_mt6(), hbh_mt6(), ah_mt6() and mh_mt6(): without the header nothing matches, whatever is asked of it. */
export const matchHeader = (c: MatchContext): MatchAnswer => (hasNone(c) ? false : "unknown");

const NAMES: ReadonlySet<string> = new Set(["protocol", "proto", "prot"]);

/** Follows ipv6header_mt6(): of its bits a packet without extension headers has MASK_PROTO alone. */
export function matchIpv6header(c: MatchContext, options: readonly Option[]): MatchAnswer {
  const header = options.find((o) => o.name === "--header");
  if (header === undefined || !hasNone(c) || c.skb.packet.protocol === IPV6_IN_IPV6) return "unknown";
  const wanted = header.value.split(",");
  const has = wanted.map((name) => NAMES.has(name));
  const soft = options.some((o) => o.name === "--soft");
  if (soft) return has.every((there) => there !== header.negated);
  return (has.length === 1 && has[0] === true) !== header.negated;
}
