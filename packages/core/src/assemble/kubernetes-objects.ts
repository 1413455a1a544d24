import {
  isOver,
  type KubernetesEndpoints,
  type KubernetesObjects,
  type KubernetesPod,
  type ObjectForm,
  type ObjectName,
} from "../model/index.ts";
import type { Address } from "../net/index.ts";
import type { Dump } from "../parse/index.ts";
import { derivedEndpoints } from "./derived-endpoints.ts";
import { dumpedIn } from "./dumped.ts";
import { datapathsOfAgents } from "./other-datapaths/agents.ts";

type Named = Partial<ObjectName> & { readonly name: string; readonly form?: ObjectForm };

/** The same object shown twice is one: a whole object beats a row of a table, and an earlier one a later. */
function unique<T extends Named>(all: readonly T[]): readonly T[] {
  const byName = new Map<string, T>();
  for (const object of all) {
    const key = `${object.namespace ?? ""}/${object.name}`;
    const known = byName.get(key);
    if (known === undefined || (known.form === "row" && object.form !== "row")) byName.set(key, object);
  }
  return [...byName.values()];
}

/** Subsets of one Endpoints object share its name and its line: all of them count, those of a later showing do not. */
function firstShown(endpoints: readonly KubernetesEndpoints[]): readonly KubernetesEndpoints[] {
  const first = new Map<string, string>();
  return endpoints.filter((e) => {
    const key = `${e.kind} ${e.namespace}/${e.name}`;
    const where = JSON.stringify(e.origin);
    if (!first.has(key)) first.set(key, where);
    return first.get(key) === where;
  });
}

/** What every dump of the case says about the cluster. Of two moments, the one before the cure. */
export function mergeObjects(dumps: readonly Dump[]): KubernetesObjects {
  const before = dumps.filter((d) => d.context.moment?.value !== "after");
  const observed = dumpedIn(before, "kubernetes");
  const shown = (observed.length > 0 ? observed : dumpedIn(dumps, "kubernetes")).map((s) => s.fact.objects);
  const all = shown.flatMap((o) => o.nodes);
  // Annotations that grep left say whose address it is, not whose name.
  const nodes = [...unique(all.filter((n) => n.name !== "")), ...all.filter((n) => n.name === "")];
  const endpoints = shown.flatMap((o) => o.endpoints);
  const wholes = new Set(endpoints.flatMap((e) => (e.form === "object" ? [`${e.namespace}/${e.service}`] : [])));
  const ofNodes = new Set(nodes.flatMap((n) => n.addresses));
  const named = unique([...shown.flatMap((o) => o.pods), ...podsOfCards(before)]);
  const pods = handedOver(
    named.map((p) => withHostNetwork(p, ofNodes)),
    ofNodes,
  );
  const services = unique(shown.flatMap((o) => o.services));
  const partial = before.some(picksPods);
  const none = (endpoints.length === 0 && shown.some((o) => o.noEndpoints)) || before.some(listsNoEndpoints);
  const stated = shown.flatMap((o) => o.otherDatapaths ?? []);
  const otherDatapaths = stated.length > 0 ? stated : datapathsOfAgents(pods);
  const ranges = shown.flatMap((o) => o.serviceCidrs ?? []);
  return {
    nodes,
    pods,
    ...(ranges.length > 0 && { serviceCidrs: [...new Set(ranges)] }),
    ...(partial && { partialPods: true as const }),
    services,
    // Rows of a table add nothing where the objects themselves are there.
    endpoints:
      endpoints.length === 0 && !none && !partial
        ? derivedEndpoints(services, pods)
        : firstShown(endpoints.filter((e) => e.form === "object" || !wholes.has(`${e.namespace}/${e.service}`))),
    ...(none ? { noEndpoints: true as const } : {}),
    networkPolicies: unique(shown.flatMap((o) => o.networkPolicies)),
    kubeProxyConfigs: shown.flatMap((o) => o.kubeProxyConfigs),
    ipPools: unique(shown.flatMap((o) => o.ipPools)),
    flannelNetworks: shown.flatMap((o) => o.flannelNetworks),
    flannelSubnets: dumpedIn(dumps, "flannel-subnet").map((s) => s.fact.subnet),
    ...(otherDatapaths.length > 0 && { otherDatapaths }),
  };
}

/** Pods that a cloud's agent names with their addresses, on the node whose agent it is. */
const podsOfCards = (dumps: readonly Dump[]): readonly KubernetesPod[] =>
  dumpedIn(dumps, "card-addresses").flatMap(({ fact, dump }) =>
    fact.addresses.flatMap(({ pod, address, origin }): KubernetesPod[] =>
      pod === undefined
        ? []
        : [{ ...pod, addresses: [address], nodeName: dump.node.value, hostNetwork: false, form: "row", origin }],
    ),
  );

/** An empty List does not say of what; the command or the file's name does. */
const listsNoEndpoints = ({ context, file, reading }: Dump): boolean =>
  /\bendpoint|\bep\b/i.test((context.command ?? [file]).join(" ")) && reading.counts["empty lists"] !== undefined;

const PODS = /^(?:pods?|po)(?:\/.*)?$/;

/** Pods were chosen: by a selector, by name, by what printed the list, or there is but one. */
function picksPods({ context, reading }: Dump): boolean {
  const count = reading.facts.reduce((n, f) => n + (f.kind === "kubernetes" ? f.objects.pods.length : 0), 0);
  if (count === 0) return false;
  const words = context.command ?? [];
  const kind = words.findIndex((w) => PODS.test(w));
  const byName = kind >= 0 && (words[kind]!.includes("/") || /^[a-z0-9]/.test(words[kind + 1] ?? "-"));
  const selects = words.some((w) => /^(?:-l|--selector|--field-selector)/.test(w));
  return (count === 1 && kind < 0) || context.partial !== undefined || selects || byName;
}

/** A row does not say hostNetwork; a pod that has its node's address uses it. */
function withHostNetwork(pod: KubernetesPod, ofNodes: ReadonlySet<Address>): KubernetesPod {
  if (pod.form !== "row" || pod.addresses.length === 0) return pod;
  const shared = pod.addresses.some((a) => a === pod.hostAddress || ofNodes.has(a));
  return shared ? { ...pod, hostNetwork: true } : pod;
}

/** A pod whose life is over keeps its address in its status; whoever lives with it now has it. */
function handedOver(pods: readonly KubernetesPod[], ofNodes: ReadonlySet<Address>): readonly KubernetesPod[] {
  const living = new Set(pods.flatMap((p) => (isOver(p) ? [] : p.addresses)));
  const isAnothers = (a: Address): boolean => living.has(a) || ofNodes.has(a);
  return pods.map((p) =>
    isOver(p) && !p.hostNetwork && p.addresses.some(isAnothers)
      ? { ...p, addresses: p.addresses.filter((a) => !isAnothers(a)) }
      : p,
  );
}
