import {
  assumed,
  type CaseFile,
  type Fabric,
  type FabricDeny,
  type KubernetesObjects,
  type Listener,
  type LoadBalancer,
  type Stack,
  type World,
} from "../model/index.ts";
import { formatPrefix } from "../net/index.ts";
import type { Dump } from "../parse/index.ts";
import { balancersOf } from "./balancers/index.ts";
import { buildStack } from "./build-stack.ts";
import { applyTyped } from "./commands.ts";
import { withTunnels } from "./devices/tunnels.ts";
import { dumpedIn } from "./dumped.ts";
import { barePods, groupDumps } from "./group.ts";
import { fillGaps } from "./kube-proxy/fill-gaps.ts";
import { observedModes } from "./kube-proxy/mode-of-dumped.ts";
import { isObjectOnly, programmedNodes } from "./kube-proxy/programmed-nodes.ts";
import { mergeObjects } from "./kubernetes-objects.ts";
import { Ledger } from "./ledger.ts";
import { linkStacks } from "./links/index.ts";
import { withFlannelMasquerade } from "./netfilter/flannel-masquerade.ts";
import { assumeEmptyTables, isKubeProxys, legacyUnshown, unshownTables6 } from "./netfilter/not-shown.ts";
import { mergeListeners } from "./observed.ts";
import { withSettledSysctls } from "./settled.ts";
import { asStatedHost } from "./stated-host.ts";

export interface Assembly {
  readonly world: World;
}

/** Facts of many dumps as one World. Pure: the same dumps give the same World. */
export function assemble(input: readonly Dump[] | { readonly dumps: readonly Dump[] }, caseFile?: CaseFile): Assembly {
  const dumps = "dumps" in input ? input.dumps : input;
  const ledger = new Ledger(new Map((caseFile?.assume ?? []).map((a) => [a.fact, a.value])));
  const kubernetes = mergeObjects(dumps);
  const groups = groupDumps(dumps, caseFile, ledger).filter((g) => !isObjectOnly(g, kubernetes));
  const shown = groups.map((group, ordinal) =>
    applyTyped(buildStack(group, ordinal, caseFile, ledger, kubernetes), group.dumps),
  );
  const elsewhere = observedModes(shown, caseFile);
  const kubeProxy = shown.some((s) => s.netfilter.tables.some(isKubeProxys));
  const stacks = groups.map((group, ordinal): Stack => {
    const built = fillGaps(shown[ordinal]!, group.dumps, kubernetes, caseFile, elsewhere, ledger);
    const unshown = assumeEmptyTables(built, group.dumps, ledger, kubeProxy);
    const natNotShown = unshown.includes("nat");
    const masquerading = withFlannelMasquerade(built, group.dumps, kubernetes, ledger);
    const legacy = legacyUnshown(built.netfilter, group.dumps);
    const unshown6 = unshownTables6(built, group.dumps);
    const unknown = {
      unshown,
      unshown6,
      ...(natNotShown && { natNotShown }),
      ...(legacy && { legacyUnshown: legacy }),
    };
    const stack =
      unshown.length > 0 || unshown6.length > 0 || legacy
        ? { ...masquerading, netfilter: { ...masquerading.netfilter, ...unknown } }
        : masquerading;
    const settled = withSettledSysctls(stack, caseFile);
    return withListeners(group.dumps.length === 0 ? asStatedHost(settled, group.stated) : settled, caseFile);
  });
  const heard = [...barePods(dumps, groups)].map(
    ([pod, own]) => [pod, mergeListeners(dumpedIn(own, "listeners"))] as const,
  );
  const world = joined(stacks, kubernetes, caseFile, ledger);
  return { world: { ...world, ...(heard.length > 0 && { podListeners: new Map(heard) }) } };
}

/** The objects of a case in which nothing else was shown; undefined where something was. */
export function objectsAlone(dumps: readonly Dump[], caseFile?: CaseFile): KubernetesObjects | undefined {
  if (!dumps.every((d) => d.reading.facts.every((f) => f.kind === "kubernetes"))) return undefined;
  const kubernetes = mergeObjects(dumps);
  const groups = groupDumps(dumps, caseFile, new Ledger(new Map()));
  return groups.some((g) => !isObjectOnly(g, kubernetes)) ? undefined : kubernetes;
}

/** The World that these objects tell of, and nothing else. `balancers`: what is known of load balancers by objects that are not among them. */
export function assembleObjects(kubernetes: KubernetesObjects, balancers?: readonly LoadBalancer[]): Assembly {
  return { world: joined([], kubernetes, undefined, new Ledger(new Map()), balancers) };
}

/** Stacks that were shown, nodes that only objects tell of, and what lies between them. */
function joined(
  stacks: readonly Stack[],
  kubernetes: KubernetesObjects,
  caseFile: CaseFile | undefined,
  ledger: Ledger,
  balancers?: readonly LoadBalancer[],
): World {
  const programmed = programmedNodes(kubernetes, stacks, caseFile, ledger);
  const linked = linkStacks(withTunnels([...stacks, ...programmed.stacks], kubernetes), caseFile, ledger);
  return {
    stacks: linked.stacks,
    links: linked.links,
    fabric: fabricOf(caseFile),
    loadBalancers: balancers ?? balancersOf(caseFile, kubernetes, linked.stacks),
    kubernetes,
    ...(programmed.undecidedMode === undefined ? {} : { undecidedMode: programmed.undecidedMode }),
    assumptions: ledger.assumptions,
  };
}

function withListeners(stack: Stack, caseFile: CaseFile | undefined): Stack {
  const items = (caseFile?.listeners ?? [])
    .filter((l) => l.stack === stack.name)
    .map(({ stack: _, ...listener }): Listener => ({ ...listener, stated: true }));
  if (items.length === 0) return stack;
  const { listeners } = stack;
  const extent = listeners.extent === "unread" ? "partial" : listeners.extent;
  return { ...stack, listeners: { ...listeners, items: [...listeners.items, ...items], extent } };
}

function fabricOf(caseFile: CaseFile | undefined): Fabric {
  const stated = caseFile?.fabric;
  if (stated === undefined)
    return { srcDstCheck: false, deny: [], origin: assumed("a fabric that delivers everything") };
  const { srcDstCheck, egressNat, mtu, deny, origin } = stated;
  return {
    srcDstCheck: srcDstCheck === true,
    ...(egressNat === undefined ? {} : { egressNat }),
    ...(mtu === undefined ? {} : { mtu }),
    deny: deny.map(
      ({ from, to, protocol, ports }): FabricDeny => ({
        ...(from === undefined ? {} : { from: formatPrefix(from) }),
        ...(to === undefined ? {} : { to: formatPrefix(to) }),
        ...(protocol === undefined ? {} : { protocol }),
        ...(ports === undefined ? {} : ports.from === ports.to ? { port: ports.from } : { ports }),
      }),
    ),
    ...(srcDstCheck === "?" ? { open: ["srcDstCheck"] as const } : {}),
    origin,
  };
}
