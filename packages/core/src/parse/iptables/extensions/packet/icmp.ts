import type { IcmpMatch } from "../../../../model/index.ts";
import { PROTO } from "../../../../net/index.ts";
import { given, type MatchExtension, matchExtension, option } from "../../rule/extension.ts";
import { formatRange, parseRange, parseUnsigned, single, U8, type Value } from "../../values/index.ts";

interface IcmpType {
  readonly type: number;
  readonly code: { readonly from: number; readonly to: number };
}

const ANY_CODE = { from: 0, to: U8 };

/** `name type[/code]`, in the words of `iptables -p icmp -h`. */
const table = (text: string): ReadonlyMap<string, IcmpType> =>
  new Map(
    text.split(" ").map((entry) => {
      const [name, type, code] = entry.split("/");
      return [
        name!,
        { type: Number(type), code: code === undefined ? ANY_CODE : { from: Number(code), to: Number(code) } },
      ] as const;
    }),
  );

const NAMES = table(
  "any/255 echo-reply/0 pong/0 destination-unreachable/3 network-unreachable/3/0 host-unreachable/3/1 " +
    "protocol-unreachable/3/2 port-unreachable/3/3 fragmentation-needed/3/4 source-route-failed/3/5 network-unknown/3/6 " +
    "host-unknown/3/7 network-prohibited/3/9 host-prohibited/3/10 TOS-network-unreachable/3/11 TOS-host-unreachable/3/12 " +
    "communication-prohibited/3/13 host-precedence-violation/3/14 precedence-cutoff/3/15 source-quench/4 redirect/5 " +
    "network-redirect/5/0 host-redirect/5/1 TOS-network-redirect/5/2 TOS-host-redirect/5/3 echo-request/8 ping/8 " +
    "router-advertisement/9 router-solicitation/10 time-exceeded/11 ttl-exceeded/11 ttl-zero-during-transit/11/0 " +
    "ttl-zero-during-reassembly/11/1 parameter-problem/12 ip-header-bad/12/0 required-option-missing/12/1 " +
    "timestamp-request/13 timestamp-reply/14 address-mask-request/17 address-mask-reply/18",
);
const NAMES6 = table(
  "destination-unreachable/1 no-route/1/0 communication-prohibited/1/1 beyond-scope/1/2 address-unreachable/1/3 " +
    "port-unreachable/1/4 failed-policy/1/5 reject-route/1/6 packet-too-big/2 time-exceeded/3 ttl-exceeded/3 " +
    "ttl-zero-during-transit/3/0 ttl-zero-during-reassembly/3/1 parameter-problem/4 bad-header/4/0 " +
    "unknown-header-type/4/1 unknown-option/4/2 echo-request/128 ping/128 echo-reply/129 pong/129 " +
    "mld-listener-query/130 mld-listener-report/131 mld-listener-done/132 mld-listener-reduction/132 " +
    "router-solicitation/133 router-advertisement/134 neighbour-solicitation/135 neighbor-solicitation/135 " +
    "neighbour-advertisement/136 neighbor-advertisement/136 redirect/137",
);

const icmpType = (names: ReadonlyMap<string, IcmpType>): Value<IcmpType> =>
  single(
    "an ICMP type, by name or as TYPE[/CODE]",
    (word) => {
      const known = names.get(word) ?? names.get(word.toLowerCase());
      if (known !== undefined) return known;
      const slash = word.indexOf("/");
      const type = parseUnsigned(slash < 0 ? word : word.slice(0, slash), U8);
      if (type === undefined) return undefined;
      const code = slash < 0 ? ANY_CODE : parseRange(word.slice(slash + 1), U8, (text) => parseUnsigned(text, U8));
      return code === undefined ? undefined : { type, code };
    },
    ({ type, code }) => {
      const everyCode = code.from === 0 && code.to === U8;
      if (names === NAMES && type === U8 && everyCode) return "any";
      return everyCode ? String(type) : `${type}/${formatRange(code)}`;
    },
  );

const extension = (kind: IcmpMatch["kind"], optionName: string, protocol: number): MatchExtension =>
  matchExtension<{ type: IcmpType }, IcmpMatch>({
    name: kind,
    family: kind === "icmp" ? 4 : 6,
    protocols: [protocol],
    fields: {
      type: option(optionName, icmpType(kind === "icmp" ? NAMES : NAMES6), {
        also: kind === "icmp" ? [] : ["--icmp-type"],
        negatable: true,
        required: kind === "icmp6",
      }),
    },
    make: ({ type }) =>
      type === undefined
        ? { kind, type: U8, code: ANY_CODE, negated: false }
        : { kind, type: type.value.type, code: type.value.code, negated: type.negated },
    show: (match) => ({ type: given({ type: match.type, code: match.code }, match.negated) }),
  });

export const icmp = extension("icmp", "--icmp-type", PROTO.icmp);
export const icmp6 = extension("icmp6", "--icmpv6-type", PROTO.icmp6);
