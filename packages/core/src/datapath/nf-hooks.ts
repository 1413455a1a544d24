import type { Decision, Device, Fact, Hook, HookStep, IptablesTable, Match, Origin, Target } from "../model/index.ts";
import { ipRouteMeHarder } from "./ip-route-me-harder.ts";
import { ipVsIn, ipVsOut } from "./ip-vs.ts";
import { ipVsInIcmp } from "./ip-vs-icmp.ts";
import { iptDoTable } from "./ipt-do-table.ts";
import type { Kernel } from "./kernel.ts";
import { memo } from "./memo.ts";
import type { Conntrack } from "./nf-conntrack.ts";
import { nfConntrackConfirm, nfConntrackIn } from "./nf-conntrack-in.ts";
import { manipOf, natIcmpError, natInitialised, natNullBinding, natPacket } from "./nf-nat.ts";
import { masquerade } from "./nf-nat-masquerade.ts";
import { Undetermined } from "./oracle.ts";
import { isIcmpError, type Skb } from "./skb.ts";
import { sysctl } from "./sysctl.ts";
import { passesUnshown, unshownTables } from "./unshown.ts";

/** struct nf_hook_state: filled once when the hook is entered; a table that re-routes does not change it. */
export interface HookState {
  readonly hook: Hook;
  readonly in?: Device;
  readonly out?: Device;
}

/** accept: go on; drop: recorded and over; stolen: somebody else has the packet now. */
export type HookVerdict = "accept" | "drop" | "stolen";

interface HookFunction {
  readonly priority: number;
  readonly run: (skb: Skb, state: HookState) => HookVerdict;
}

export type HookTable = (hook: Hook) => readonly HookFunction[];

/** Where each table is hooked, and at which priority (include/uapi/linux/netfilter_ipv4.h). */
const TABLE_HOOKS: Readonly<
  Record<IptablesTable["name"], { readonly priority: number; readonly hooks: readonly Hook[] }>
> = {
  raw: { priority: -300, hooks: ["PREROUTING", "OUTPUT"] },
  mangle: { priority: -150, hooks: ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"] },
  nat: { priority: -100, hooks: ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"] },
  filter: { priority: 0, hooks: ["INPUT", "FORWARD", "OUTPUT"] },
  security: { priority: 50, hooks: ["INPUT", "FORWARD", "OUTPUT"] },
};
/** iptables-nft hooks its security table behind nat (iptables/nft.c), the legacy one stands before it. */
const NFT_SECURITY = 150;
const CONNTRACK_IN = -200;
const NAT_SOURCE = 100;
const CONFIRM = Number.MAX_SAFE_INTEGER;

/** The functions registered at each hook of a stack, in the order they run. Built when a hook is first entered. */
export function hooksOf(kernel: Kernel): HookTable {
  const built = new Map<Hook, readonly HookFunction[]>();
  return (hook) => memo(built, hook, () => build(kernel, hook));
}

function build(kernel: Kernel, hook: Hook): readonly HookFunction[] {
  const tables = kernel.stack.netfilter.tables.filter((t) => t.family === 4);
  const functions: HookFunction[] = [];
  const add = (priority: number, run: HookFunction["run"]) => functions.push({ priority, run });
  if (kernel.stack.netfilter.nativeNft.length > 0) {
    const [first] = kernel.stack.netfilter.nativeNft;
    add(-1000, () => {
      throw new Undetermined(kernel.name, hook, { kind: "unknown-nftables", table: first!.name }, [first!.origin]);
    });
  }
  const conntrack = conntrackActive(kernel, tables);
  if (conntrack) {
    if (hook === "PREROUTING" || hook === "OUTPUT") {
      add(CONNTRACK_IN, (skb) => {
        nfConntrackIn(kernel, skb);
        return "accept";
      });
    }
    if (hook === "INPUT" || hook === "POSTROUTING") add(CONFIRM, (skb) => nfConntrackConfirm(kernel, skb));
  }
  for (const ground of unshownTables(kernel)) {
    const { priority, hooks } = TABLE_HOOKS[ground.table];
    if (!hooks.includes(hook)) continue;
    const nat = ground.table === "nat";
    add(nat && manipOf(hook) === "source" ? NAT_SOURCE : priority, (skb) => {
      // nat is asked about the first packet of a connection only.
      if (nat && skb.ct !== undefined && skb.ctInfo !== "new") return "accept";
      return passesUnshown(kernel, ground, skb, hook) ? "accept" : "drop";
    });
  }
  for (const table of inRegistrationOrder(kernel, tables)) {
    if (table.name === "nat") continue;
    const { priority, hooks } = TABLE_HOOKS[table.name];
    if (!hooks.includes(hook)) continue;
    // iptables-nft registers only the chains that exist; a legacy table registers all of its hooks.
    if (table.backend === "nft" && !table.chains.some((c) => c.name === hook)) continue;
    const behind = table.name === "security" && table.backend === "nft";
    add(behind ? NFT_SECURITY : priority, (skb, state) => runTable(kernel, table, skb, state));
  }
  const nat = inRegistrationOrder(kernel, tables).filter((t) => t.name === "nat");
  // Where IPVS serves, kube-proxy has its nat table, shown or not.
  const natHooked =
    nat.length > 0 || (kernel.stack.netfilter.natUnseen === true && kernel.stack.ipvs.services.length > 0);
  if (natHooked && hook !== "FORWARD") {
    add(manipOf(hook) === "destination" ? TABLE_HOOKS.nat.priority : NAT_SOURCE, (skb, state) =>
      natHook(kernel, nat, skb, state),
    );
  }
  if (kernel.stack.ipvs.services.length > 0) {
    // ip_vs_ops4: replies are looked for before new requests.
    if (hook === "INPUT") {
      add(98, (skb, state) => ipVsOut(kernel, skb, state));
      add(99, (skb, state) => ipVsIn(kernel, skb, state));
    }
    if (hook === "OUTPUT") {
      add(-99, (skb, state) => ipVsOut(kernel, skb, state));
      add(-98, (skb, state) => ipVsIn(kernel, skb, state));
    }
    if (hook === "FORWARD") {
      add(99, (skb, state) => ipVsInIcmp(kernel, skb, state));
      add(100, (skb, state) => ipVsOut(kernel, skb, state));
    }
  }
  // Array.prototype.sort is stable, so among equals the order of adding stands.
  return functions.sort((a, b) => a.priority - b.priority);
}

/**
 * At equal priority the table registered later runs first (nf_hook_entries_grow). Which of two back ends that is only
 * matters where both hold rules.
 */
function inRegistrationOrder(kernel: Kernel, tables: readonly IptablesTable[]): readonly IptablesTable[] {
  const legacy = tables.filter((t) => t.backend === "legacy");
  const rest = tables.filter((t) => t.backend !== "legacy");
  const filled = (ts: readonly IptablesTable[]) =>
    ts.some((t) => t.chains.some((c) => c.rules.length > 0 || c.policy === "DROP"));
  if (!filled(legacy) || !filled(rest)) return tables;
  const first =
    kernel.stack.netfilter.firstRegistered ??
    kernel.oracle.fact({ kind: "registered-first", stack: kernel.name }, ["legacy", "nft"]);
  return first === "legacy" ? [...rest, ...legacy] : [...legacy, ...rest];
}

const CT_MATCHES: ReadonlySet<Match["kind"]> = new Set<Match["kind"]>([
  "conntrack",
  "state",
  "connmark",
  "helper",
  "connlimit",
]);
const CT_TARGETS: ReadonlySet<Target["kind"]> = new Set<Target["kind"]>([
  "connmark",
  "ct",
  "dnat",
  "snat",
  "masquerade",
  "redirect",
  "netmap",
]);

/** xt_ct_tg_check(): not to be tracked asks for nothing. */
const asksForConntrack = (target: Target): boolean =>
  CT_TARGETS.has(target.kind) && !(target.kind === "ct" && target.notrack);

/** nf_ct_netns_get(): conntrack runs in a namespace only if some rule or IPVS service asked for it. */
function conntrackActive(kernel: Kernel, tables: readonly IptablesTable[]): boolean {
  const asked = tables.some((t) =>
    t.chains.some((c) =>
      c.rules.some((r) => asksForConntrack(r.target) || r.matches.some((m) => CT_MATCHES.has(m.kind))),
    ),
  );
  if (asked) return true;
  if (kernel.stack.ipvs.services.length > 0 && sysctl(kernel, "net.ipv4.vs.conntrack").value !== "0") return true;
  if (kernel.stack.conntrack.items.length > 0) return true;
  // A node whose rules were shown only in part runs kube-proxy or the like: conntrack is on.
  const unseen = tables.length === 0 || tables.some((t) => t.extent !== "whole");
  if (kernel.stack.kind === "node" && unseen) {
    kernel.oracle.assume({ kind: "conntrack", stack: kernel.name }, "on", { kind: "conntrack-on", stack: kernel.name });
    return true;
  }
  return false;
}

/** NF_HOOK(): runs every function of a hook until one drops or steals the packet. */
export function nfHook(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  for (const f of kernel.hooks(state.hook)) {
    const verdict = f.run(skb, state);
    if (verdict !== "accept") return verdict;
  }
  return "accept";
}

function hookStep(kernel: Kernel, table: IptablesTable, skb: Skb, state: HookState): HookStep {
  return {
    kind: "hook",
    stack: kernel.name,
    packet: skb.packet,
    hook: state.hook,
    table: table.name,
    backend: table.backend,
    in: state.in?.name ?? "",
    out: state.out?.name ?? "",
    ...(skb.nfBridge?.physIn !== undefined && { physIn: skb.nfBridge.physIn }),
    ...(skb.nfBridge?.physOut !== undefined && { physOut: skb.nfBridge.physOut }),
    mark: skb.mark,
    ...(skb.ct !== undefined && { ct: ctInfo(skb) }),
  };
}

function ctInfo(skb: Skb): NonNullable<HookStep["ct"]> {
  if (skb.ctInfo === "new") return "NEW";
  const info = skb.ctInfo === "related" ? "RELATED" : "ESTABLISHED";
  return skb.ctDirection === "original" ? info : `${info}_REPLY`;
}

function runTable(kernel: Kernel, table: IptablesTable, skb: Skb, state: HookState): HookVerdict {
  kernel.record(skb, hookStep(kernel, table, skb, state));
  const { packet, mark } = skb;
  const verdict = iptDoTable(kernel, table, skb, state);
  if (verdict.kind === "drop" || verdict.kind === "stolen") return verdict.kind;
  if (table.name === "mangle" && state.hook === "OUTPUT") {
    // ipt_mangle_out() and nft `type route`: re-route if what routing looks at has changed.
    const changed =
      skb.mark !== mark ||
      skb.packet.src !== packet.src ||
      skb.packet.dst !== packet.dst ||
      skb.packet.tos !== packet.tos;
    if (changed && !ipRouteMeHarder(kernel, skb, "mangle OUTPUT")) return "drop";
  }
  return "accept";
}

/** Follows nf_nat_inet_fn() and its IPv4 wrappers nf_nat_ipv4_local_fn(), nf_nat_ipv4_pre_routing(). */
function natHook(kernel: Kernel, tables: readonly IptablesTable[], skb: Skb, state: HookState): HookVerdict {
  const { ct } = skb;
  if (ct === undefined || skb.ctInfo === "untracked" || skb.ctInfo === "invalid") return "accept";
  const manip = manipOf(state.hook);
  let rule: Origin | undefined;
  let why: Decision | undefined;
  if (skb.ctInfo === "related" && isIcmpError(skb.packet)) {
    natIcmpError(kernel, skb, ct, state.hook);
    return rerouted(kernel, skb, ct, state);
  }
  const destination = skb.packet.dst;
  if (skb.ctInfo !== "established" && !natInitialised(ct, manip)) {
    for (const table of tables) {
      kernel.record(skb, hookStep(kernel, table, skb, state));
      const verdict = iptDoTable(kernel, table, skb, state);
      if (verdict.kind === "drop" || verdict.kind === "stolen") return verdict.kind;
      if (natInitialised(ct, manip)) {
        rule = verdict.origin;
        why = verdict.decision;
        break;
      }
    }
    if (tables.length === 0 && state.hook === "POSTROUTING" && skb.ipvsProperty) unseenMasquerade(kernel, skb, state);
    if (!natInitialised(ct, manip)) natNullBinding(kernel, ct, manip);
  } else if (
    state.hook === "POSTROUTING" &&
    skb.ctDirection === "original" &&
    ct.masqueradeDevice !== undefined &&
    ct.masqueradeDevice !== state.out?.name
  ) {
    kernel.conntrack.remove(ct);
    kernel.drop(skb, "masquerade", "MASQUERADE_DEVICE_CHANGED", {
      kind: "masquerade-device-changed",
      device: ct.masqueradeDevice ?? "?",
      out: state.out?.name ?? "?",
    });
    return "drop";
  }
  natPacket(kernel, skb, ct, state.hook, rule, why);
  if (state.hook === "PREROUTING" && skb.packet.dst !== destination) delete skb.route;
  return rerouted(kernel, skb, ct, state);
}

/**
 * A node that serves by IPVS runs kube-proxy, whose nat rules masquerade some of what it forwards. Where nobody showed
 * them, whether they do so for this connection is an open fact.
 */
function unseenMasquerade(kernel: Kernel, skb: Skb, state: HookState): void {
  const fact: Fact = { kind: "masquerade", stack: kernel.name };
  const value = kernel.oracle.fact(fact, ["not masqueraded", "masqueraded"]);
  if (value === "masqueraded")
    masquerade(kernel, skb, state, { kind: "masquerade", random: false, randomFully: false });
}

/**
 * nf_nat_ipv4_local_fn(): every packet, not only the first, of a connection whose far address was changed is routed
 * again. That covers replies of source-translated connections and IPVS connections as well.
 */
function rerouted(kernel: Kernel, skb: Skb, ct: Conntrack, state: HookState): HookVerdict {
  if (state.hook !== "OUTPUT") return "accept";
  const here = ct.tuple[skb.ctDirection];
  const there = ct.tuple[skb.ctDirection === "original" ? "reply" : "original"];
  return here.dst === there.src || ipRouteMeHarder(kernel, skb, "nat OUTPUT") ? "accept" : "drop";
}
