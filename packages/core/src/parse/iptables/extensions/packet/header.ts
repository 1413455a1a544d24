import type { DscpMatch, LengthMatch, TcpmssMatch, TosMatch, TtlMatch } from "../../../../model/index.ts";
import { type PortRange, PROTO } from "../../../../net/index.ts";
import { given, type MatchExtension, matchExtension, option } from "../../rule/extension.ts";
import { type Masked, oneOf, U8, U16, unsigned, unsignedHex, unsignedRange } from "../../values/index.ts";
import { DSCP_CLASSES, tosValue } from "./tos.ts";

export const length = matchExtension<{ range: PortRange }, LengthMatch>({
  name: "length",
  fields: { range: option("--length", unsignedRange(U16), { negatable: true, required: true }) },
  make: ({ range }) => ({ kind: "length", range: range!.value, negated: range!.negated }),
  show: (match) => ({ range: given(match.range, match.negated) }),
});

export const tcpmss = matchExtension<{ range: PortRange }, TcpmssMatch>({
  name: "tcpmss",
  protocols: [PROTO.tcp],
  fields: { range: option("--mss", unsignedRange(U16), { negatable: true, required: true }) },
  make: ({ range }) => ({ kind: "tcpmss", range: range!.value, negated: range!.negated }),
  show: (match) => ({ range: given(match.range, match.negated) }),
});

const hops = (kind: TtlMatch["kind"]): MatchExtension =>
  matchExtension<{ eq: number; lt: number; gt: number }, TtlMatch>({
    name: kind,
    family: kind === "ttl" ? 4 : 6,
    fields: {
      eq: option(`--${kind}-eq`, unsigned(U8), { also: [`--${kind}`], negatable: true }),
      lt: option(`--${kind}-lt`, unsigned(U8)),
      gt: option(`--${kind}-gt`, unsigned(U8)),
    },
    make: ({ eq, lt, gt }) => {
      if (Number(eq !== undefined) + Number(lt !== undefined) + Number(gt !== undefined) !== 1)
        return `one of --${kind}-eq, --${kind}-lt and --${kind}-gt is needed, and only one`;
      if (eq) return { kind, operator: eq.negated ? "ne" : "eq", value: eq.value };
      return lt ? { kind, operator: "lt", value: lt.value } : { kind, operator: "gt", value: gt!.value };
    },
    show: (match) => ({
      [match.operator === "ne" ? "eq" : match.operator]: given(match.value, match.operator === "ne"),
    }),
  });
export const ttl = hops("ttl");
export const hl = hops("hl");

export const tos = matchExtension<{ tos: Masked }, TosMatch>({
  name: "tos",
  fields: { tos: option("--tos", tosValue, { negatable: true, required: true }) },
  make: ({ tos: t }) => ({ kind: "tos", ...t!.value, negated: t!.negated }),
  show: (match) => ({ tos: given({ value: match.value, mask: match.mask }, match.negated) }),
});

export const dscp = matchExtension<{ value: number; class: string }, DscpMatch>({
  name: "dscp",
  fields: {
    value: option("--dscp", unsignedHex(0x3f, 2), { negatable: true }),
    class: option("--dscp-class", oneOf([...DSCP_CLASSES.keys()], {}, true), { negatable: true }),
  },
  make: (all) => {
    if (all.value && all.class) return "--dscp and --dscp-class together";
    if (all.class) return { kind: "dscp", value: DSCP_CLASSES.get(all.class.value) ?? 0, negated: all.class.negated };
    return all.value
      ? { kind: "dscp", value: all.value.value, negated: all.value.negated }
      : "one of --dscp and --dscp-class is needed";
  },
  show: (match) => ({ value: given(match.value, match.negated) }),
});
