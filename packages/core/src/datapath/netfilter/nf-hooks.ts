import type { Device, Fact, Hook, HookStep, IptablesTable, Packet } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import type { Conntrack } from "../conntrack/nf-conntrack.ts";
import { hasTemplate } from "../conntrack/nf-conntrack-zone.ts";
import { manipOf, natFinished, natIcmpError, natInitialised, natNullBinding, natPacket } from "../conntrack/nf-nat.ts";
import { masquerade } from "../conntrack/nf-nat-masquerade.ts";
import { iptDoTable, type TableVerdict } from "../iptables/ipt-do-table.ts";
import { comesAs, comesBy, comesThrough } from "../kernel/came-by.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { isIcmpError, isRedirect, type Skb } from "../kernel/skb.ts";
import { noteUnwalked } from "../kernel/sysctl.ts";
import { type Offloaded, takenByFlowtable } from "../nft/flow-offload.ts";
import type { BaseChain } from "../nft/hooks.ts";
import { nftDoChain } from "../nft/nft-do-chain.ts";
import { ipRouteMeHarder } from "../route/ip-route-me-harder.ts";

/** struct nf_hook_state: filled once when the hook is entered; a table that re-routes does not change it. */
export interface HookState {
  readonly hook: Hook;
  readonly in?: Device;
  readonly out?: Device;
  /** At a device or a bridge: the packet has the header of its frame. */
  readonly frame?: true;
}

/** accept: go on; drop: recorded and over; stolen: somebody else has the packet now. */
export type HookVerdict = "accept" | "drop" | "stolen";

/** NF_HOOK(): runs every function of a hook until one drops or steals the packet. */
export function nfHook(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  if (!kernel.noted) {
    kernel.noted = true;
    comesBy(kernel.name);
    noteUnwalked(kernel);
  }
  comesAs(skb.packet);
  comesThrough(kernel.name, state.in?.name ?? "", state.out?.name ?? "");
  const hooks = isIpv4(skb.packet.dst) ? kernel.hooks : kernel.hooks6;
  const offloaded = state.hook === "PREROUTING" ? takenByFlowtable(kernel, skb, state.in) : undefined;
  if (state.hook === "PREROUTING") skb.offloaded = offloaded !== undefined;
  for (const f of hooks(state.hook)) {
    if (skb.offloaded && !f.tracks) continue;
    const verdict = f.run(kernel, skb, state);
    if (verdict !== "accept") return verdict;
  }
  if (offloaded?.offloaded !== undefined) takeFlow(kernel, skb, offloaded.offloaded);
  return "accept";
}

/** The route that was stored with the flow, and what is told of it. */
function takeFlow(kernel: Kernel, skb: Skb, { flowtable, route }: Offloaded): void {
  skb.route = route[skb.ctDirection] ?? skb.route;
  if (!kernel.recording) return;
  kernel.record(skb, {
    kind: "conntrack",
    stack: kernel.name,
    packet: skb.packet,
    state: "ESTABLISHED",
    direction: skb.ctDirection,
    action: "attach",
    decision: { kind: "ct-offloaded", flowtable: flowtable.name },
    origin: flowtable.origin,
  });
}

function hookStep(
  kernel: Kernel,
  table: Pick<HookStep, "table" | "backend" | "native">,
  skb: Skb,
  state: HookState,
): HookStep {
  return {
    kind: "hook",
    stack: kernel.name,
    packet: skb.packet,
    hook: state.hook,
    ...table,
    in: state.in?.name ?? "",
    out: state.out?.name ?? "",
    ...(skb.nfBridge?.physIn !== undefined && { physIn: skb.nfBridge.physIn }),
    ...(skb.nfBridge?.physOut !== undefined && { physOut: skb.nfBridge.physOut }),
    mark: skb.mark,
    ...(skb.ct !== undefined
      ? { ct: ctInfo(skb) }
      : skb.ctInfo !== "untracked" && hasTemplate(kernel, skb) && { ct: "NEW" as const }),
  };
}

function ctInfo(skb: Skb): NonNullable<HookStep["ct"]> {
  if (skb.ctInfo === "new") return "NEW";
  const info = skb.ctInfo === "related" ? "RELATED" : "ESTABLISHED";
  return skb.ctDirection === "original" ? info : `${info}_REPLY`;
}

/** One table at one hook, and what the kernel does about what it changed. */
export function runTable(kernel: Kernel, table: IptablesTable, skb: Skb, state: HookState): HookVerdict {
  if (kernel.recording) kernel.record(skb, hookStep(kernel, { table: table.name, backend: table.backend }, skb, state));
  const { packet, mark } = skb;
  const verdict = iptDoTable(kernel, table, skb, state);
  if (verdict.kind === "drop" || verdict.kind === "stolen") return verdict.kind;
  if (table.name === "mangle" && state.hook === "OUTPUT") {
    // ipt_mangle_out() and nft `type route`: re-route if what routing looks at has changed.
    if (changesRoute(skb, packet, mark) && !ipRouteMeHarder(kernel, skb, "mangle OUTPUT")) return "drop";
  }
  return "accept";
}

/** What routing looks at has changed. */
const changesRoute = (skb: Skb, packet: Packet, mark: number): boolean =>
  skb.mark !== mark || skb.packet.src !== packet.src || skb.packet.dst !== packet.dst || skb.packet.tos !== packet.tos;

const chainStep = (kernel: Kernel, { table, chain, base }: BaseChain, skb: Skb, state: HookState): HookStep =>
  hookStep(
    kernel,
    {
      table: `${table.family} ${table.name}`,
      native: { chain: chain.name, nat: base.type === "nat" },
      backend: "nft",
    },
    skb,
    state,
  );

/** nft_do_chain_inet() and, for `type route`, nf_route_table_hook4(). */
export function runChain(kernel: Kernel, c: BaseChain, skb: Skb, state: HookState): HookVerdict {
  if (kernel.recording) kernel.record(skb, chainStep(kernel, c, skb, state));
  const { packet, mark } = skb;
  if (nftDoChain(kernel, c.table, c.chain, skb, state).kind === "drop") return "drop";
  const reroutes = c.base.type === "route" && state.hook === "OUTPUT" && changesRoute(skb, packet, mark);
  return reroutes && !ipRouteMeHarder(kernel, skb, "route OUTPUT") ? "drop" : "accept";
}

/** One that is asked how to translate a new connection: iptables' nat table, or an nft chain of type nat. */
export interface NatAsker {
  readonly priority: number;
  readonly step: (kernel: Kernel, skb: Skb, state: HookState) => HookStep;
  readonly run: (kernel: Kernel, skb: Skb, state: HookState) => TableVerdict;
}

export const tableAsker = (table: IptablesTable, priority: number): NatAsker => ({
  priority,
  step: (kernel, skb, state) => hookStep(kernel, { table: table.name, backend: table.backend }, skb, state),
  run: (kernel, skb, state) => iptDoTable(kernel, table, skb, state),
});

export const chainAsker = (c: BaseChain, later: number): NatAsker => ({
  priority: c.base.priority + later,
  step: (kernel, skb, state) => chainStep(kernel, c, skb, state),
  run: (kernel, skb, state) => nftDoChain(kernel, c.table, c.chain, skb, state),
});

/** Follows nf_nat_inet_fn() and its IPv4 wrappers nf_nat_ipv4_local_fn(), nf_nat_ipv4_pre_routing(). */
export function natHook(kernel: Kernel, askers: readonly NatAsker[], skb: Skb, state: HookState): HookVerdict {
  const { ct } = skb;
  if (ct === undefined || skb.ctInfo === "untracked" || skb.ctInfo === "invalid") return "accept";
  const manip = manipOf(state.hook);
  let decided: TableVerdict | undefined;
  if (skb.ctInfo === "related" && isIcmpError(skb.packet)) {
    if (isRedirect(skb.packet) && !mayRedirect(skb, ct)) {
      kernel.drop(skb, "nat", "NETFILTER_DROP", { kind: "nat-redirect" });
      return "drop";
    }
    natIcmpError(kernel, skb, ct, state.hook);
    return rerouted(kernel, skb, ct, state);
  }
  const destination = skb.packet.dst;
  if (skb.ctInfo !== "established" && !natInitialised(ct, manip)) {
    for (const asker of askers) {
      if (kernel.recording) kernel.record(skb, asker.step(kernel, skb, state));
      const verdict = asker.run(kernel, skb, state);
      if (verdict.kind === "drop" || verdict.kind === "stolen") return verdict.kind;
      if (natInitialised(ct, manip)) {
        decided = verdict;
        break;
      }
    }
    if (askers.length === 0 && state.hook === "POSTROUTING" && skb.ipvsProperty) undumpedMasquerade(kernel, skb, state);
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
  natPacket(kernel, skb, ct, state.hook, decided);
  if (state.hook === "PREROUTING" && skb.packet.dst !== destination) skb.route = undefined;
  return rerouted(kernel, skb, ct, state);
}

/** nf_nat_icmp_reply_translation(): redirects of translated connections are dropped, and of those that may yet be translated. */
const mayRedirect = (skb: Skb, ct: Conntrack): boolean =>
  !skb.natUnfinished && natFinished(ct) && !ct.srcNat && !ct.dstNat;

/**
 * A node that serves by IPVS runs kube-proxy, whose nat rules masquerade some of what it forwards. Where nobody showed
 * them, whether they do so for this connection is an open fact.
 */
function undumpedMasquerade(kernel: Kernel, skb: Skb, state: HookState): void {
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
