import type {
  ConnmarkTarget,
  DnatTarget,
  NetmapTarget,
  Rule,
  RuleRef,
  SnatTarget,
  Target,
  TargetDecision,
  TtlTarget,
  Unknown,
} from "../../../model/index.ts";
import { underMask } from "../../../net/index.ts";
import { chooseZone, hasTemplate, zoneOfTarget } from "../../conntrack/nf-conntrack-zone.ts";
import { manipOf, type NatWish, natSetup } from "../../conntrack/nf-nat.ts";
import { masquerade, redirect } from "../../conntrack/nf-nat-masquerade.ts";
import { ipSetChange } from "../../ipset/ip-set-change.ts";
import { ipSetEntry } from "../../ipset/ip-set-test.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { Undetermined } from "../../kernel/oracle.ts";
import type { Skb } from "../../kernel/skb.ts";
import type { HookState } from "../../netfilter/nf-hooks.ts";
import { reject } from "../../netfilter/nf-reject.ts";
import { assignSocket } from "../../netfilter/nf-tproxy.ts";
import { hmark } from "./hmark.ts";
import { tcpmss } from "./tcpmss.ts";

/** What a target did. `recorded`: the drop step is already in the trace. */
export type TargetOutcome =
  | { readonly kind: "continue" | "accept" | "stolen"; readonly decision: TargetDecision }
  | { readonly kind: "drop"; readonly decision: TargetDecision; readonly recorded?: boolean };

interface Call<K extends Target["kind"]> {
  readonly kernel: Kernel;
  readonly rule: Rule;
  readonly target: Target & { readonly kind: K };
  readonly skb: Skb;
  readonly state: HookState;
  readonly at: RuleRef;
}
type Targets = { readonly [K in Target["kind"]]: (call: Call<K>) => TargetOutcome };

const go = (decision: TargetDecision): TargetOutcome => ({ kind: "continue", decision });
/** Those that have no more to say than their name. */
const named = (name: string): TargetOutcome => go({ kind: "target", name });

/** Targets the reader knows only by name that the kernel treats as non-terminal (XT_CONTINUE) and that change nothing here. */
const HARMLESS: ReadonlySet<string> = new Set([
  "AUDIT",
  "CONNSECMARK",
  "ECN",
  "IDLETIMER",
  "LED",
  "NFACCT",
  "RATEEST",
  "SECMARK",
  "TCPOPTSTRIP",
  "TEE",
  "ULOG",
]);

/** Every target the reader knows has its line here: simulated, or honestly unknown. */
const TARGETS: Targets = {
  none: () => go({ kind: "counted" }),
  accept: () => ({ kind: "accept", decision: { kind: "accept" } }),
  drop: () => ({ kind: "drop", decision: { kind: "drop" } }),
  return: () => named("RETURN"),
  jump: () => named("jump"),
  queue: (c) => unknown(c, { kind: "unknown-queue" }),
  mark: ({ target, skb }) => {
    skb.mark = (((skb.mark & ~target.mask) ^ target.value) >>> 0) as number;
    return go({ kind: "mark", mark: skb.mark });
  },
  connmark: connmark,
  reject: ({ kernel, rule, target, skb, state, at }) => reject(kernel, skb, state, target.with, rule.origin, at),
  dnat: dnat,
  snat: snat,
  masquerade: ({ kernel, rule, target, skb, state }) => {
    const decision = masquerade(kernel, skb, state, target);
    if (decision !== undefined) return { kind: "accept", decision };
    kernel.drop(
      skb,
      "masquerade",
      "MASQUERADE_NO_ADDRESS",
      { kind: "masquerade-none", device: state.out?.name ?? "?" },
      [rule.origin],
    );
    return { kind: "drop", decision: { kind: "without-address", target: "MASQUERADE" }, recorded: true };
  },
  redirect: ({ kernel, rule, target, skb, state }) => {
    const decision = redirect(kernel, skb, state, target);
    if (decision !== undefined) return { kind: "accept", decision };
    kernel.drop(skb, "redirect", "NETFILTER_DROP", { kind: "redirect-none", device: state.in?.name ?? "?" }, [
      rule.origin,
    ]);
    return { kind: "drop", decision: { kind: "without-address", target: "REDIRECT" }, recorded: true };
  },
  netmap: netmap,
  log: ({ kernel, rule, target, skb, state }) => {
    if (kernel.recording)
      kernel.record(skb, {
        kind: "log",
        stack: kernel.name,
        packet: skb.packet,
        // nf_log keeps 29 characters of a prefix.
        prefix: (target.prefix ?? "").slice(0, 29),
        in: state.in?.name ?? "",
        out: state.out?.name ?? "",
        ...(skb.nfBridge?.physIn !== undefined && { physIn: skb.nfBridge.physIn }),
        ...(skb.nfBridge?.physOut !== undefined && { physOut: skb.nfBridge.physOut }),
        mark: skb.mark,
        origin: rule.origin,
      });
    else kernel.meet(skb, rule.origin);
    return go({ kind: "log" });
  },
  nflog: () => named("NFLOG"),
  ct: ({ kernel, target, skb }) => {
    // xt_ct_target(): what was tracked before (loopback) is left as it is.
    if (skb.ct !== undefined || skb.ctInfo === "untracked" || hasTemplate(kernel, skb))
      return go({ kind: "ct-tracked" });
    if (target.notrack) {
      skb.ct = undefined;
      skb.ctInfo = "untracked";
      return go({ kind: "not-tracked" });
    }
    chooseZone(kernel, skb, zoneOfTarget(target) ?? { id: 0 });
    return named("CT");
  },
  notrack: ({ kernel, skb }) => {
    if (skb.ct !== undefined || hasTemplate(kernel, skb)) return go({ kind: "tracked" });
    skb.ctInfo = "untracked";
    return go({ kind: "not-tracked" });
  },
  trace: () => named("TRACE"),
  set: setTarget,
  tcpmss: tcpmss,
  tos: ({ target, skb }) => {
    skb.packet = { ...skb.packet, tos: ((skb.packet.tos & ~target.mask) ^ target.value) & 255 };
    return go({ kind: "tos", tos: skb.packet.tos });
  },
  dscp: ({ target, skb }) => {
    skb.packet = { ...skb.packet, tos: (skb.packet.tos & 3) | (target.value << 2) };
    return go({ kind: "dscp", dscp: target.value });
  },
  ttl: (c) => hopLimit(c),
  hl: (c) => hopLimit(c),
  tproxy: ({ kernel, target, skb, state }) => {
    const place = { address: target.address, port: target.port === 0 ? undefined : target.port };
    if (!assignSocket(kernel, skb, state.in, place)) return { kind: "drop", decision: { kind: "tproxy-nobody" } };
    skb.mark = ((skb.mark & ~target.mask) ^ target.mark) >>> 0;
    return { kind: "accept", decision: { kind: "tproxy", port: skb.handedTo ?? 0, mark: skb.mark } };
  },
  checksum: () => named("CHECKSUM"),
  classify: () => named("CLASSIFY"),
  other: (c) => {
    if (c.target.name === "HMARK") {
      const mark = hmark(c.kernel, c.rule, c.target.options, c.skb);
      if (mark === undefined) return unknown(c, { kind: "unknown-target", target: "HMARK" });
      c.skb.mark = mark;
      return go({ kind: "mark", mark });
    }
    return HARMLESS.has(c.target.name)
      ? named(c.target.name)
      : unknown(c, { kind: "unknown-target", target: c.target.name });
  },
  unknown: (c) => unknown(c, { kind: "unknown-target-not-understood", target: c.target.name }),
};

/** ttl_tg() and hl_tg6(). */
function hopLimit({ target, skb }: { readonly target: TtlTarget; readonly skb: Skb }): TargetOutcome {
  const { ttl } = skb.packet;
  const next =
    target.action === "set" ? target.value : target.action === "inc" ? ttl + target.value : ttl - target.value;
  skb.packet = { ...skb.packet, ttl: Math.max(0, Math.min(255, next)) };
  return go({ kind: "ttl-set", ttl: skb.packet.ttl });
}

export function runTarget(kernel: Kernel, rule: Rule, skb: Skb, state: HookState, at: RuleRef): TargetOutcome {
  const { target } = rule;
  return (TARGETS[target.kind] as (call: Call<Target["kind"]>) => TargetOutcome)({
    kernel,
    rule,
    target,
    skb,
    state,
    at,
  });
}

/** Follows set_target_v3() (xt_set.c). A set that nobody showed is taken to stay as it is. */
function setTarget({ kernel, target, skb, state }: Call<"set">): TargetOutcome {
  const { action, name, directions, options } = target;
  const set = kernel.compiled.set(name);
  const decision = { kind: "set", action, set: name } as const;
  if (set === undefined || set.set.extent !== "whole")
    kernel.oracle.assume({ kind: "set-target", stack: kernel.name, set: name }, "unchanged", {
      kind: "set-unchanged",
      set: name,
    });
  if (action !== "map") {
    ipSetChange(kernel, set, skb, state, directions, action === "add");
    return go(decision);
  }
  const mark = ipSetEntry(kernel, set, skb, state, directions)?.skbmark;
  if (mark !== undefined && options.includes("--map-mark")) {
    const [value, mask = "0xffffffff"] = mark.split("/");
    skb.mark = ((skb.mark & ~Number(mask)) ^ Number(value)) >>> 0;
  }
  return go(decision);
}

function unknown(c: Pick<Call<never>, "kernel" | "rule" | "at">, reason: Unknown): never {
  throw new Undetermined(c.kernel.name, `${c.at.table} ${c.at.chain}`, reason, [c.rule.origin]);
}

function connmark({ target, skb }: { readonly target: ConnmarkTarget; readonly skb: Skb }): TargetOutcome {
  const { ct } = skb;
  if (ct === undefined) return go({ kind: "no-connection", target: "CONNMARK" });
  if (target.action === "set") {
    ct.mark = ((ct.mark & ~target.mask) ^ target.value) >>> 0;
    return go({ kind: "connmark", mark: ct.mark });
  }
  if (target.action === "save") {
    ct.mark = ((ct.mark & ~target.ctMask) ^ (skb.mark & target.nfMask)) >>> 0;
    return go({ kind: "connmark-saved", mark: ct.mark });
  }
  skb.mark = ((skb.mark & ~target.nfMask) ^ (ct.mark & target.ctMask)) >>> 0;
  return go({ kind: "mark-restored", mark: skb.mark });
}

function wishOf(target: DnatTarget | SnatTarget): NatWish {
  const { addresses, ports, basePort } = target.to;
  return {
    ...(addresses !== undefined && { addresses }),
    ...(ports !== undefined && { ports }),
    ...(basePort !== undefined && { basePort }),
    flags: target,
  };
}

function dnat({
  kernel,
  target,
  skb,
}: {
  readonly kernel: Kernel;
  readonly target: DnatTarget;
  readonly skb: Skb;
}): TargetOutcome {
  if (skb.ct === undefined) return { kind: "accept", decision: { kind: "nothing-to-translate", target: "DNAT" } };
  natSetup(kernel, skb.ct, wishOf(target), "destination", true);
  return { kind: "accept", decision: { kind: "nat-to", target: "DNAT", to: target.to } };
}

function snat({
  kernel,
  target,
  skb,
}: {
  readonly kernel: Kernel;
  readonly target: SnatTarget;
  readonly skb: Skb;
}): TargetOutcome {
  if (skb.ct === undefined) return { kind: "accept", decision: { kind: "nothing-to-translate", target: "SNAT" } };
  natSetup(kernel, skb.ct, wishOf(target), "source", true);
  return { kind: "accept", decision: { kind: "nat-to", target: "SNAT", to: target.to } };
}

/** Follows netmap_tg4(): the network part is replaced, the host part kept. */
function netmap({
  kernel,
  target,
  skb,
  state,
}: {
  readonly kernel: Kernel;
  readonly target: NetmapTarget;
  readonly skb: Skb;
  readonly state: HookState;
}): TargetOutcome {
  if (skb.ct === undefined) return { kind: "accept", decision: { kind: "nothing-to-translate", target: "NETMAP" } };
  const manip = manipOf(state.hook);
  const old = manip === "destination" ? skb.packet.dst : skb.packet.src;
  const address = underMask(old, target.address, target.mask);
  natSetup(kernel, skb.ct, { addresses: { from: address, to: address } }, manip, true);
  return {
    kind: "accept",
    decision: { kind: "nat-to", target: "NETMAP", to: { addresses: { from: address, to: address } } },
  };
}
