import {
  chainNamed,
  type Hook,
  type IptablesTable,
  type Match,
  ruleCount,
  type Stack,
  someChain,
  type Target,
  type VirtualService,
} from "../../model/index.ts";
import { type Family, familyOf } from "../../net/index.ts";
import { nfConntrackConfirm, nfConntrackIn } from "../conntrack/nf-conntrack-in.ts";
import { manipOf } from "../conntrack/nf-nat.ts";
import { ipDefrag } from "../ip/ip-defrag.ts";
import { ipVsIn, ipVsOut } from "../ipvs/ip-vs.ts";
import { ipVsInIcmp } from "../ipvs/ip-vs-icmp.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import { passesUnshown, startsAnew, unshownTables } from "../kernel/unshown.ts";
import { commute } from "../nft/commute.ts";
import {
  type BaseChain,
  baseChains,
  hasNatChain,
  nftTablesOf,
  asksForConntrack as tracksConnections,
} from "../nft/hooks.ts";
import { chainAsker, type HookState, type HookVerdict, natHook, runChain, runTable, tableAsker } from "./nf-hooks.ts";
import { type Registrant, settles, standsAt } from "./registration.ts";

interface HookFunction {
  readonly priority: number;
  /** Among those of its priority, by `nft list hooks`. */
  readonly place?: number;
  /** Of conntrack and its translations: an offloaded packet meets these alone. */
  readonly tracks: boolean;
  readonly run: (kernel: Kernel, skb: Skb, state: HookState) => HookVerdict;
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
const CONNTRACK_DEFRAG = -400;
const CONNTRACK_IN = -200;
const NAT_SOURCE = 100;
/** One that `nft list hooks` does not show, beside those that it shows. */
const BEHIND = 0.5;
/** Behind others of the same priority. */
const LATER = 0.25;
const CONFIRM = Number.MAX_SAFE_INTEGER;

/**
 * The functions registered at each hook of a stack, in the order they run. What the World leaves open is asked when a hook is
 * first entered; the lists are built once for all walks that get the same answers.
 */
export function hooksOf(kernel: Kernel, family: Family = 4): HookTable {
  let lists: Map<Hook, readonly HookFunction[]> | undefined;
  let tables: readonly IptablesTable[] = [];
  let conntrack = false;
  let beside = false;
  let nativeLast = true;
  let reversed = false;
  return (hook) => {
    if (lists === undefined) {
      const known = memo(registered[family], kernel.stack, () => new Registered(kernel.stack, family));
      conntrack = conntrackActive(kernel, known);
      tables = inRegistrationOrder(kernel, known);
      beside = conntrack && known.besideConntrack && runsBeforeConntrack(kernel);
      nativeLast = registeredLast(kernel, known);
      reversed = tablesReversed(kernel, known);
      lists = known.listsFor(tables, conntrack, beside, nativeLast, reversed);
    }
    return memo(lists, hook, () =>
      build(kernel.stack, family, { tables, conntrack, beforeConntrack: beside, nativeLast, reversed }, hook),
    );
  };
}

type HookLists = Map<Hook, readonly HookFunction[]>;

/** What a stack's rules say about its hooks, whatever the walk. */
class Registered {
  readonly family: Family;
  readonly tables: readonly IptablesTable[];
  /** Some rule asks for connection tracking. */
  readonly tracks: boolean;
  readonly legacyFirst: readonly IptablesTable[];
  readonly nftFirst: readonly IptablesTable[];
  /** Both back ends hold rules, so that their order matters. */
  readonly bothFilled: boolean;
  /** An nft chain stands at the very priority of conntrack. */
  readonly besideConntrack: boolean;
  /** A native chain and one of iptables stand at one priority, and both hold rules. */
  readonly besideIptables: boolean;
  /** Chains of two native tables stand at one priority, and do not do the same in either order. */
  readonly besideNative: boolean;
  readonly #lists = new Map<readonly IptablesTable[], Map<string, HookLists>>();

  constructor(stack: Stack, family: Family) {
    this.family = family;
    this.tables = stack.netfilter.tables.filter((t) => t.family === family);
    this.tracks =
      this.tables.some((t) =>
        someChain(t, (c) =>
          c.rules.some((r) => asksForConntrack(r.target) || r.matches.some((m) => needsConntrack(m))),
        ),
      ) || nftTablesOf(stack, family).some(tracksConnections);
    this.besideConntrack = (["PREROUTING", "OUTPUT"] as const).some((hook) =>
      baseChains(stack, family, hook).some(
        (c) =>
          c.base.type !== "nat" &&
          c.base.priority === CONNTRACK_IN &&
          !settles(stack, family, hook, CONNTRACK_IN, chainOf(c), { kind: "conntrack" }),
      ),
    );
    this.besideIptables = HOOKS.some((hook) => nativeBesideIptables(stack, family, this.tables, hook));
    this.besideNative = HOOKS.some((hook) => nativeBesideNative(stack, family, hook));
    const legacy = this.tables.filter((t) => t.backend === "legacy");
    const rest = this.tables.filter((t) => t.backend !== "legacy");
    const filled = (ts: readonly IptablesTable[]) =>
      ts.some((t) => someChain(t, (c) => ruleCount(c) > 0 || c.policy === "DROP"));
    this.bothFilled = filled(legacy) && filled(rest) && !hooksSettle(stack, family, legacy, rest);
    this.legacyFirst = [...rest, ...legacy];
    this.nftFirst = [...legacy, ...rest];
  }

  listsFor(tables: readonly IptablesTable[], ...facts: readonly boolean[]): HookLists {
    const lists = memo(this.#lists, tables, () => new Map<string, HookLists>());
    return memo(lists, facts.join(), () => new Map());
  }
}

/** Whether `nft list hooks` says of every chain that both back ends have which of the two runs first; of nat it does not. */
const hooksSettle = (
  stack: Stack,
  family: Family,
  legacy: readonly IptablesTable[],
  rest: readonly IptablesTable[],
): boolean =>
  stack.netfilter.registered !== undefined &&
  legacy.every((old) =>
    rest.every(
      (other) =>
        other.name !== old.name ||
        HOOKS.every((hook) => {
          const priority = priorityAt(old, hook);
          if (priority === undefined || priority !== priorityAt(other, hook)) return true;
          if (chainNamed(other, hook) === undefined) return true;
          return old.name !== "nat" && settles(stack, family, hook, priority, tableAt(old, hook), tableAt(other, hook));
        }),
    ),
  );

const registered = { 4: new WeakMap<Stack, Registered>(), 6: new WeakMap<Stack, Registered>() } as const;

const HOOKS: readonly Hook[] = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"];

/** Where a table's chain stands at a hook; undefined: it is not hooked there. */
function priorityAt(table: IptablesTable, hook: Hook): number | undefined {
  const { priority, hooks } = TABLE_HOOKS[table.name];
  if (!hooks.includes(hook)) return undefined;
  if (table.name === "nat") return manipOf(hook) === "destination" ? priority : NAT_SOURCE;
  return table.name === "security" && table.backend === "nft" ? NFT_SECURITY : priority;
}

const chainOf = ({ table, chain }: BaseChain): Registrant => ({
  kind: "chain",
  family: table.family,
  table: table.name,
  name: chain.name,
});
const tableAt = (table: IptablesTable, hook: Hook): Registrant =>
  table.backend === "legacy"
    ? { kind: "legacy" }
    : { kind: "chain", family: table.family === 4 ? "ip" : "ip6", table: table.name, name: hook };

/** Nat chains are ordered among each other only, the others among all the rest; which of two runs first `nft list hooks` may say. */
function nativeBesideIptables(stack: Stack, family: Family, tables: readonly IptablesTable[], hook: Hook): boolean {
  const native = baseChains(stack, family, hook).filter((c) => c.chain.rules.length > 0 || c.base.policy === "drop");
  return (
    native.length > 0 &&
    tables.some((table) => {
      const chain = chainNamed(table, hook);
      if (chain === undefined || (chain.rules.length === 0 && chain.policy !== "DROP")) return false;
      const priority = priorityAt(table, hook);
      return native.some(
        (c) =>
          c.base.priority === priority &&
          (c.base.type === "nat") === (table.name === "nat") &&
          !settles(stack, family, hook, priority, chainOf(c), tableAt(table, hook)),
      );
    })
  );
}

/** Of chains in one table the listing says it: they stand there as they were made. */
function nativeBesideNative(stack: Stack, family: Family, hook: Hook): boolean {
  const native = baseChains(stack, family, hook).filter((c) => c.chain.rules.length > 0 || c.base.policy === "drop");
  return native.some((one, i) =>
    native.slice(i + 1).some(
      (other) =>
        other.base.priority === one.base.priority &&
        other.table !== one.table &&
        (other.base.type === "nat") === (one.base.type === "nat") &&
        !commute(one, other) &&
        // Nat chains hang below one hook, which is all that it shows of them.
        (one.base.type === "nat" || !settles(stack, family, hook, one.base.priority, chainOf(one), chainOf(other))),
    ),
  );
}

/** What was asked before the hooks of a stack are in their order. */
interface Registration {
  readonly tables: readonly IptablesTable[];
  readonly conntrack: boolean;
  readonly beforeConntrack: boolean;
  /** Native chains were registered behind iptables', so that at one priority they run first. */
  readonly nativeLast: boolean;
  /** Native tables got their chains in another order than they stand in the listing. */
  readonly reversed: boolean;
}

function build(stack: Stack, family: Family, registration: Registration, hook: Hook): readonly HookFunction[] {
  const { tables, conntrack, beforeConntrack, nativeLast, reversed } = registration;
  const functions: HookFunction[] = [];
  const add = (priority: number, run: HookFunction["run"], who?: Registrant) => {
    const place = who === undefined ? undefined : standsAt(stack, family, hook, Math.round(priority), who);
    const tracks = who?.kind === "conntrack" || who?.kind === "nat";
    functions.push({
      ...(place === undefined ? { priority } : { priority: Math.round(priority), place }),
      tracks,
      run,
    });
  };
  const [first] = stack.netfilter.nativeNft.filter((t) => t.below === undefined);
  if (first !== undefined) {
    add(-1000, () => {
      throw new Undetermined(stack.name, hook, { kind: "unknown-nftables", table: first.name }, [first.origin]);
    });
  }
  if (conntrack) {
    // ipv4_conntrack_defrag(): a fragment that a rule before it keeps out of conntrack goes on by itself.
    if (hook === "PREROUTING")
      add(CONNTRACK_DEFRAG, (kernel, skb) =>
        skb.ctInfo === "untracked" || ipDefrag(kernel, skb, "conntrack") ? "accept" : "stolen",
      );
    if (hook === "PREROUTING" || hook === "OUTPUT") {
      add(
        CONNTRACK_IN,
        (kernel, skb) => {
          nfConntrackIn(kernel, skb);
          return startsAnew(kernel, skb) ? "accept" : "drop";
        },
        { kind: "conntrack" },
      );
    }
    if (hook === "INPUT" || hook === "POSTROUTING") add(CONFIRM, nfConntrackConfirm);
  }
  if (stack.netfilter.legacyUnshown === true && hook !== "POSTROUTING") {
    const ground = { kind: "legacy-tables", stack: stack.name } as const;
    add(TABLE_HOOKS.raw.priority, (kernel, skb) => {
      if (kernel.oracle.rests(ground)) return "accept";
      kernel.drop(skb, `filter ${hook}`, "NETFILTER_DROP", { kind: "unshown-rule", table: "legacy" });
      return "drop";
    });
  }
  const { nftCut } = stack.netfilter;
  if (nftCut !== undefined && stack.kind === "node" && hook !== "POSTROUTING") {
    const ground = { kind: "nft-rules", stack: stack.name, how: nftCut } as const;
    add(TABLE_HOOKS.raw.priority, (kernel, skb) => {
      if (kernel.oracle.rests(ground)) return "accept";
      kernel.drop(skb, `nft ${hook}`, "NETFILTER_DROP", { kind: "unshown-rule", table: "nft" });
      return "drop";
    });
  }
  for (const ground of unshownTables(stack, family)) {
    const { priority, hooks } = TABLE_HOOKS[ground.table];
    if (!hooks.includes(hook)) continue;
    const nat = ground.table === "nat";
    add(nat && manipOf(hook) === "source" ? NAT_SOURCE : priority, (kernel, skb) => {
      // nat is asked about the first packet of a connection only.
      if (nat && skb.ct !== undefined && skb.ctInfo !== "new") return "accept";
      return passesUnshown(kernel, ground, skb, hook) ? "accept" : "drop";
    });
  }
  const native = baseChains(stack, family, hook, reversed);
  for (const chain of native) {
    // A nat chain hangs below the one hook of NAT; the others stand for themselves.
    if (chain.base.type === "nat") continue;
    const early = beforeConntrack && chain.base.priority === CONNTRACK_IN ? 0.5 : 0;
    add(
      chain.base.priority - early + (nativeLast ? 0 : LATER),
      (kernel, skb, state) => runChain(kernel, chain, skb, state),
      chainOf(chain),
    );
  }
  for (const table of tables) {
    if (table.name === "nat") continue;
    const priority = priorityAt(table, hook);
    if (priority === undefined) continue;
    // iptables-nft registers only the chains that exist; a legacy table registers all of its hooks.
    if (table.backend === "nft" && !table.chains.some((c) => c.name === hook)) continue;
    add(priority, (kernel, skb, state) => runTable(kernel, table, skb, state), tableAt(table, hook));
  }
  const natPriority = manipOf(hook) === "destination" ? TABLE_HOOKS.nat.priority : NAT_SOURCE;
  const nat = [
    ...native.filter((c) => c.base.type === "nat").map((c) => chainAsker(c, nativeLast ? 0 : LATER)),
    ...tables.filter((t) => t.name === "nat").map((t) => tableAsker(t, natPriority)),
  ].sort((a, b) => a.priority - b.priority);
  // Where IPVS serves, kube-proxy has its nat table, shown or not.
  const serves = servesBy(stack, family);
  const natHooked =
    nat.length > 0 || hasNatChain(stack, family) || (family === 4 && stack.netfilter.natNotShown === true && serves);
  if (natHooked && hook !== "FORWARD") {
    add(natPriority, (kernel, skb, state) => natHook(kernel, nat, skb, state), { kind: "nat" });
  }
  if (serves) {
    // ip_vs_ops4 and ip_vs_ops6: replies are looked for before new requests.
    if (hook === "INPUT") {
      add(98, ipVsOut);
      add(99, ipVsIn);
    }
    if (hook === "OUTPUT") {
      add(-99, ipVsOut);
      add(-98, ipVsIn);
    }
    if (hook === "FORWARD") {
      add(99, ipVsInIcmp);
      add(100, ipVsOut);
    }
  }
  // Array.prototype.sort is stable, so among equals the order of adding stands.
  return functions.sort((a, b) => a.priority - b.priority || (a.place ?? BEHIND) - (b.place ?? BEHIND));
}

/** Whether IPVS has a service of this family. */
const servesBy = (stack: Stack, family: Family): boolean =>
  stack.ipvs.services.some(({ key }) => (key.kind === "fwmark" ? key.family : familyOf(key.address)) === family);

/**
 * A chain at exactly conntrack's priority runs before it if conntrack was there first: which of the two was registered first is
 * in no dump.
 */
const runsBeforeConntrack = (kernel: Kernel): boolean =>
  kernel.oracle.fact({ kind: "beside-conntrack", stack: kernel.name }, ["before conntrack", "behind conntrack"]) ===
  "before conntrack";

/** `nft list hooks` shows it, and no other dump. */
function registeredLast(kernel: Kernel, known: Registered): boolean {
  const { nativeRegistered } = kernel.stack.netfilter;
  if (nativeRegistered !== undefined) return nativeRegistered === "last";
  if (!known.besideIptables) return true;
  return kernel.oracle.fact({ kind: "native-registered", stack: kernel.name }, ["last", "first"]) === "last";
}

/**
 * The listing shows tables in the order they were made, which is that of their chains unless an older table got one later. Only
 * `nft list hooks` tells, and not of nat: so it is assumed, and said, where it shows.
 */
function tablesReversed(kernel: Kernel, known: Registered): boolean {
  const { nativeOrder } = kernel.stack.netfilter;
  if (nativeOrder !== undefined) return nativeOrder === "reversed";
  if (!known.besideNative) return false;
  const fact = { kind: "native-order", stack: kernel.name } as const;
  const said = kernel.oracle.settled?.(fact);
  if (said === undefined) kernel.oracle.assume(fact, "listed", fact);
  return said === "reversed";
}

/**
 * At equal priority the table registered later runs first (nf_hook_entries_grow). Which of two back ends that is only
 * matters where both hold rules.
 */
function inRegistrationOrder(kernel: Kernel, known: Registered): readonly IptablesTable[] {
  const { firstRegistered } = kernel.stack.netfilter;
  if (!known.bothFilled && firstRegistered === undefined) return known.tables;
  const first =
    firstRegistered ?? kernel.oracle.fact({ kind: "registered-first", stack: kernel.name }, ["legacy", "nft"]);
  return first === "legacy" ? known.legacyFirst : known.nftFirst;
}

const CT_MATCHES: ReadonlySet<Match["kind"]> = new Set<Match["kind"]>([
  "conntrack",
  "state",
  "connmark",
  "helper",
  "connlimit",
]);
/** The same of those whose options are kept as printed. */
const CT_OTHERS: ReadonlySet<string> = new Set(["connbytes", "connlabel", "cluster"]);
const needsConntrack = (m: Match): boolean => CT_MATCHES.has(m.kind) || (m.kind === "other" && CT_OTHERS.has(m.name));
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

/** ip_vs_register_conntrack(): IPVS uses conntrack where it runs; of its services only FTP asks for it. */
const FTP = 21;
const asking = new WeakMap<readonly VirtualService[], ReadonlySet<Family>>();
const asksByIpvs = ({ ipvs: { services } }: Stack, family: Family): boolean =>
  memo(
    asking,
    services,
    () =>
      new Set(
        services.flatMap(({ key, realServers }) =>
          key.kind === "address" && key.port === FTP && realServers.some((r) => r.method === "masq")
            ? [familyOf(key.address)]
            : [],
        ),
      ),
  ).has(family);

/** nf_ct_netns_get(): conntrack runs in a namespace only if some rule or IPVS service asked for it. */
function conntrackActive(kernel: Kernel, { tracks, tables, family }: Registered): boolean {
  const { stack } = kernel;
  if (tracks) return true;
  if (asksByIpvs(stack, family)) return true;
  // kube-proxy's nat table, shown or not.
  if (stack.netfilter.natNotShown === true && servesBy(stack, family)) return true;
  if (stack.conntrack.items.some((c) => familyOf(c.original.src) === family)) return true;
  // A node whose rules were shown only in part runs kube-proxy or the like: conntrack is on.
  const notShown =
    (tables.length === 0 && stack.netfilter.nft === undefined) || tables.some((t) => t.extent !== "whole");
  if (stack.kind !== "node" || !notShown) return false;
  kernel.oracle.assume({ kind: "conntrack", stack: stack.name }, "on", { kind: "conntrack-on", stack: stack.name });
  return true;
}
