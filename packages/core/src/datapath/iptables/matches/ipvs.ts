import type { OtherMatch } from "../../../model/index.ts";
import { type Address, contains, parsePrefix } from "../../../net/index.ts";
import { connOut } from "../../ipvs/ip-vs-conn.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";
import { optionsOf } from "./options.ts";

/**
 * Follows ipvs_mt() (net/netfilter/xt_ipvs.c): all but a bare --ipvs ask for a packet that IPVS has sent on, and look for its
 * connection the inverse way, so that it is a request on its way to the real server that is found.
 */
export function matchIpvs({ skb, kernel }: MatchContext, { options }: OtherMatch): MatchAnswer {
  const tests = optionsOf(options);
  const only = tests.length === 1 ? tests[0] : undefined;
  if (only?.name === "--ipvs") return skb.ipvsProperty !== only.negated;
  if (!skb.ipvsProperty) return false;
  const { packet } = skb;
  const conn = connOut(kernel.ipvsConns, {
    ...packet,
    src: packet.dst,
    sport: packet.dport,
    dst: packet.src,
    dport: packet.sport,
  });
  if (conn === undefined) return false;
  let unknown = false;
  for (const { name, negated, value } of tests) {
    switch (name) {
      case "--ipvs":
        if (negated) return false;
        break;
      case "--vproto":
        if ((conn.protocol === Number(value)) === negated) return false;
        break;
      case "--vport":
        if ((conn.virtualPort === Number(value)) === negated) return false;
        break;
      case "--vdir":
        if ((value === "REPLY") !== (skb.ctDirection === "reply")) return false;
        break;
      case "--vaddr":
        if (holds(value, conn.virtual) === negated) return false;
        break;
      default:
        unknown = true;
    }
  }
  return unknown ? "unknown" : true;
}

function holds(text: string, address: Address): boolean {
  const prefix = parsePrefix(text);
  return prefix !== undefined && contains(prefix, address);
}
