import type {
  ChecksumTarget,
  ClassifyTarget,
  DscpTarget,
  Target,
  TcpmssTarget,
  TosTarget,
  TproxyTarget,
  TtlTarget,
} from "../../../model/index.ts";
import { type Address, PROTO, unspecified } from "../../../net/index.ts";
import { given, option, shown, type TargetExtension, targetExtension } from "../rule/extension.ts";
import {
  address,
  flag,
  type Masked,
  maskedAlways,
  oneOf,
  port,
  single,
  U8,
  U16,
  unsigned,
  unsignedHex,
  type Value,
} from "../values/index.ts";
import { DSCP_CLASSES, tosValue } from "./packet/tos.ts";

const bare = (name: string, kind: "notrack" | "trace"): TargetExtension =>
  targetExtension<Record<never, never>, Extract<Target, { kind: "notrack" | "trace" }>>({
    name,
    tables: ["raw"],
    fields: {},
    make: () => ({ kind }),
    show: () => ({}),
  });
export const NOTRACK = bare("NOTRACK", "notrack");
export const TRACE = bare("TRACE", "trace");

/** xt_TCPMSS refuses rules that do not look at SYN alone; nft's compatibility layer cannot check it. */
const looksAtSyn = (matches: readonly { readonly kind: string }[]): boolean =>
  matches.some(
    (m) =>
      m.kind === "tcp" &&
      "flags" in m &&
      ((f) => !f.negated && (f.value.set & 2) !== 0)(m.flags as { negated: boolean; value: { set: number } }),
  );

export const TCPMSS = targetExtension<{ mss: number; clamp: true }, TcpmssTarget>({
  name: "TCPMSS",
  protocols: [PROTO.tcp],
  fields: { mss: option("--set-mss", unsigned(U16)), clamp: option("--clamp-mss-to-pmtu", flag) },
  make: ({ mss, clamp }, { matches, backend }) => {
    if ((mss === undefined) === (clamp === undefined)) return "one of --set-mss and --clamp-mss-to-pmtu is needed";
    if (backend === "legacy" && !looksAtSyn(matches)) return "the kernel wants --syn or --tcp-flags with SYN before it";
    return mss ? { kind: "tcpmss", mss: mss.value } : { kind: "tcpmss" };
  },
  show: (target) => (target.mss === undefined ? { clamp: shown(true)! } : { mss: given(target.mss) }),
});

const tosBits = unsignedHex(U8, 2);

export const TOS = targetExtension<{ set: Masked; and: number; or: number; xor: number }, TosTarget>({
  name: "TOS",
  tables: ["mangle"],
  fields: {
    set: option("--set-tos", tosValue),
    and: option("--and-tos", tosBits),
    or: option("--or-tos", tosBits),
    xor: option("--xor-tos", tosBits),
  },
  make: (all) => {
    if (Object.keys(all).length !== 1) return "one of --set-tos, --and-tos, --or-tos and --xor-tos is needed";
    if (all.set) return { kind: "tos", ...all.set.value };
    if (all.and) return { kind: "tos", value: 0, mask: ~all.and.value & U8 };
    return all.or
      ? { kind: "tos", value: all.or.value, mask: all.or.value }
      : { kind: "tos", value: all.xor!.value, mask: 0 };
  },
  show: ({ value, mask }) => ({ set: given({ value, mask }) }),
});

export const DSCP = targetExtension<{ value: number; class: string }, DscpTarget>({
  name: "DSCP",
  tables: ["mangle"],
  fields: {
    value: option("--set-dscp", unsignedHex(0x3f, 2)),
    class: option("--set-dscp-class", oneOf([...DSCP_CLASSES.keys()], {}, true)),
  },
  make: (all) => {
    if (all.value && all.class) return "--set-dscp and --set-dscp-class together";
    if (all.class) return { kind: "dscp", value: DSCP_CLASSES.get(all.class.value) ?? 0 };
    return all.value ? { kind: "dscp", value: all.value.value } : "one of --set-dscp and --set-dscp-class is needed";
  },
  show: (target) => ({ value: given(target.value) }),
});

const hops = (name: "TTL" | "HL", kind: TtlTarget["kind"]): TargetExtension =>
  targetExtension<{ set: number; dec: number; inc: number }, TtlTarget>({
    name,
    family: kind === "ttl" ? 4 : 6,
    tables: ["mangle"],
    fields: {
      set: option(`--${kind}-set`, unsigned(U8)),
      dec: option(`--${kind}-dec`, unsigned(U8, 1)),
      inc: option(`--${kind}-inc`, unsigned(U8, 1)),
    },
    make: (all) => {
      const [one, more] = Object.entries(all);
      if (one === undefined || more !== undefined)
        return `one of --${kind}-set, --${kind}-dec and --${kind}-inc is needed`;
      return { kind, action: one[0] as TtlTarget["action"], value: one[1]!.value };
    },
    show: (target) => ({ [target.action]: given(target.value) }),
  });
export const TTL = hops("TTL", "ttl");
export const HL = hops("HL", "hl");

export const TPROXY = targetExtension<{ port: number; ip: Address; mark: Masked }, TproxyTarget>({
  name: "TPROXY",
  tables: ["mangle"],
  hooks: ["PREROUTING"],
  protocols: [PROTO.tcp, PROTO.udp],
  fields: {
    port: option("--on-port", port, { required: true }),
    ip: option("--on-ip", address),
    mark: option("--tproxy-mark", maskedAlways),
  },
  make: (all, { family }) => ({
    kind: "tproxy",
    port: all.port!.value,
    address: all.ip?.value ?? unspecified(family),
    mark: all.mark?.value.value ?? 0,
    mask: all.mark?.value.mask ?? 0,
  }),
  show: (target) => ({
    port: given(target.port),
    ...(target.address !== undefined && { ip: given(target.address) }),
    mark: given({ value: target.mark, mask: target.mask }),
  }),
});

export const CHECKSUM = targetExtension<{ fill: true }, ChecksumTarget>({
  name: "CHECKSUM",
  tables: ["mangle"],
  fields: { fill: option("--checksum-fill", flag, { required: true }) },
  make: () => ({ kind: "checksum", fill: true }),
  show: (target) => (target.fill ? { fill: shown(true)! } : {}),
});

const schedulerClass: Value<string> = single("MAJOR:MINOR in hexadecimal", (word) => {
  const match = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(word);
  return match ? `${match[1]!.toLowerCase().padStart(4, "0")}:${match[2]!.toLowerCase().padStart(4, "0")}` : undefined;
});

export const CLASSIFY = targetExtension<{ class: string }, ClassifyTarget>({
  name: "CLASSIFY",
  hooks: ["FORWARD", "OUTPUT", "POSTROUTING"],
  fields: { class: option("--set-class", schedulerClass, { required: true }) },
  make: (all) => ({ kind: "classify", class: all.class!.value }),
  show: (target) => ({ class: given(target.class) }),
});
