import { type Device, type OtherMatch, type Packet, type RealmMatch, type Rule, TCP } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { isIpv4, PROTO } from "../../../net/index.ts";
import { memo } from "../../kernel/memo.ts";
import { inOne, lengthOf } from "../../kernel/skb.ts";
import { matchBpf } from "./bpf.ts";
import { matchHeader, matchIpv6header } from "./extension-headers.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";
import { matchIpvs } from "./ipvs.ts";
import { type Option, optionsOf } from "./options.ts";
import { below } from "./rate.ts";
import { matchTime } from "./time.ts";
import { matchU32 } from "./u32.ts";

type Matcher = (c: MatchContext, options: readonly Option[], match: OtherMatch) => MatchAnswer;

/** Extensions whose options are kept as printed and that what is asked may decide. */
const OTHERS: Readonly<Record<string, Matcher>> = lookup<Matcher>({
  ipvs: (c, _, match) => matchIpvs(c, match),
  // nfacct_mt() counts and, without a quota, always matches.
  nfacct: (_, options) => (options.some((o) => o.name.includes("quota")) ? "unknown" : true),
  devgroup: matchDevgroup,
  connbytes: matchConnbytes,
  quota: matchQuota,
  ecn: matchEcn,
  string: matchString,
  u32: matchU32,
  bpf: matchBpf,
  time: matchTime,
  frag: matchHeader,
  rt: matchHeader,
  hbh: matchHeader,
  dst: matchHeader,
  mh: matchHeader,
  // IPv4's is of the protocol alone.
  ah: (c) => (isIpv4(c.skb.packet.src) ? "unknown" : matchHeader(c)),
  ipv6header: matchIpv6header,
});

export const matchOther = (c: MatchContext, match: OtherMatch): MatchAnswer =>
  OTHERS[match.name]?.(c, optionsOf(match.options), match) ?? "unknown";

/** All have to hold; one that is not known leaves the rest to say no. */
function every(answers: readonly MatchAnswer[]): MatchAnswer {
  if (answers.includes(false)) return false;
  return answers.includes("unknown") ? "unknown" : true;
}

/** The number of a device's group; one with a name from /etc/iproute2/group is not known. */
function groupOf(device: Device | undefined): number | undefined {
  const { group = "default" } = device ?? {};
  return group === "default" ? 0 : /^\d+$/.test(group) ? Number(group) : undefined;
}

/** Follows devgroup_mt() (xt_devgroup.c). */
function matchDevgroup({ state }: MatchContext, options: readonly Option[]): MatchAnswer {
  return every(
    options.map(({ name, negated, value }) => {
      const group = groupOf(name === "--src-group" ? state.in : state.out);
      const [wanted, mask = "0xffffffff"] = value.split("/");
      if (group === undefined || Number.isNaN(Number(wanted))) return "unknown";
      return ((group & Number(mask)) >>> 0 === Number(wanted)) !== negated;
    }),
  );
}

/** Follows connbytes_mt() (xt_connbytes.c), which has the kernel count from the moment its rule is there. */
function matchConnbytes({ skb: { ct } }: MatchContext, options: readonly Option[]): MatchAnswer {
  const value = (name: string): string | undefined => options.find((o) => o.name === name)?.value;
  const range = options.find((o) => o.name === "--connbytes");
  const [from, to] = range?.value.split(":") ?? [];
  if (ct === undefined || range === undefined) return false;
  if (ct.counted === undefined) return "unknown";
  const { counted } = ct;
  const directions = { original: ["original"], reply: ["reply"], both: ["original", "reply"] } as const;
  const which = directions[(value("--connbytes-dir") ?? "both") as keyof typeof directions];
  const sum = (of: "packets" | "bytes"): number => which.reduce((n, d) => n + counted[d][of], 0);
  const mode = value("--connbytes-mode");
  const packets = sum("packets");
  const what =
    mode === "packets"
      ? packets
      : mode === "bytes"
        ? sum("bytes")
        : packets === 0
          ? 0
          : Math.floor(sum("bytes") / packets);
  const most = to === undefined || to === "" ? Number.POSITIVE_INFINITY : Number(to);
  // iptables turns a range round to negate it: one of a single value stays what it was.
  const [low, high] = range.negated ? [most, Number(from)] : [Number(from), most];
  return high >= low ? what >= low && what <= high : what < high || what > low;
}

/** Follows quota_mt() (xt_quota.c): the flow's own packets use it up; what others used is not known and taken as nothing. */
function matchQuota(c: MatchContext, options: readonly Option[]): MatchAnswer {
  const quota = options.find((o) => o.name === "--quota");
  if (quota === undefined) return "unknown";
  const ask = (): boolean => {
    below(c, `${quota.value} bytes`);
    const quotas = memo(c.kernel.scratch, "quota", () => new Map<Rule, { bytes: number }>()) as Map<
      Rule,
      { bytes: number }
    >;
    const left = memo(quotas, c.rule, () => ({ bytes: Number(quota.value) }));
    const enough = left.bytes >= lengthOf(c.skb);
    left.bytes = enough ? left.bytes - lengthOf(c.skb) : 0;
    return enough !== quota.negated;
  };
  return { ask, counts: true };
}

/** Follows ecn_mt4() (xt_ecn.c). */
function matchEcn({ skb: { packet } }: MatchContext, options: readonly Option[]): MatchAnswer {
  return every(
    options.map(({ name, negated, value }): MatchAnswer => {
      if (name === "--ecn-ip-ect") return ((packet.tos & 3) === Number(value)) !== negated;
      if (packet.protocol !== PROTO.tcp) return false;
      const bit = name === "--ecn-tcp-cwr" ? TCP.CWR : TCP.ECE;
      return ((packet.tcpFlags & bit) !== 0) !== negated;
    }),
  );
}

/** Headers hold no text: what a packet carries, and only that, is not known. */
function matchString({ skb }: MatchContext, options: readonly Option[]): MatchAnswer {
  const packet = inOne(skb);
  const pattern = options.find((o) => o.name === "--string" || o.name === "--hex-string");
  if (pattern === undefined || pattern.value.length < 4) return "unknown";
  const from = Number(options.find((o) => o.name === "--from")?.value ?? 0);
  return from >= packet.length || carriesNothing(packet) ? pattern.negated : "unknown";
}

/** TCP's longest header without data: a SYN's, and an acknowledgement's with timestamps. */
const carriesNothing = ({ protocol, tcpFlags, length }: Packet): boolean =>
  protocol === PROTO.tcp && ((tcpFlags & (TCP.SYN | TCP.RST)) !== 0 || length <= 52);

const REALM = /^realms? (?:(\d+)\/)?(\d+)$/;

/** Follows realm_mt() (xt_realm.c): the realm of the route; those that go by a name, and the source's half, are not known. */
export function matchRealm({ kernel, skb }: MatchContext, m: RealmMatch): MatchAnswer {
  const { routingRules, routeTables } = kernel.stack;
  const anywhere =
    routingRules.items.some((r) => r.realms !== undefined) ||
    routeTables.some((t) => t.routes.some((r) => r.extra.some((e) => e.startsWith("realm"))));
  if (!anywhere) return (0 === m.value) !== m.negated;
  const extra = skb.route?.route?.extra.find((e) => e.startsWith("realm"));
  const [, , destination] = REALM.exec(extra ?? "") ?? [];
  if (destination === undefined || m.mask > 0xffff) return "unknown";
  return ((Number(destination) & m.mask) === m.value) !== m.negated;
}
