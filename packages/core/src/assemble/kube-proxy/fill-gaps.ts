import { formatVersion, type ProxyMode } from "../../kubernetes/index.ts";
import { type Text, text } from "../../messages/index.ts";
import {
  type CaseFile,
  type Device,
  type IpSet,
  type KubernetesNode,
  type KubernetesObjects,
  type Stack,
  type StackProgramme,
  TABLE_LOCAL,
} from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import type { Ledger } from "../ledger.ts";
import { kubeProxyOf, referencedSets } from "./mode.ts";
import { programmeOf } from "./programmed-stack.ts";
import { KUBE_IPVS0 } from "./served.ts";
import { settingsOf } from "./settings.ts";
import { isObjectOf } from "./undumped.ts";

/** Every cluster has this Service: where it was shown, all Services of all namespaces were. */
const showsAll = (objects: KubernetesObjects): boolean =>
  objects.services.some((s) => s.form === "object" && s.namespace === "default" && s.name === "kubernetes") &&
  objects.endpoints.some((e) => e.form === "object");

/**
 * What nobody dumped of a node of which something was dumped: rules, sets, virtual servers and addresses of kube-ipvs0, as kube-proxy
 * would have programmed them, each where no dump shows any of its kind. What was read stays as it is.
 */
export function fillGaps(
  stack: Stack,
  objects: KubernetesObjects,
  caseFile: CaseFile | undefined,
  ledger: Ledger,
): Stack {
  if (stack.kind !== "node" || !showsAll(objects)) return stack;
  const node = objects.nodes.find((n) => n.form === "object" && isObjectOf(stack, n));
  const mode = node === undefined ? undefined : modeOf(stack, node, objects, caseFile, ledger);
  if (node === undefined || mode === undefined) return stack;
  const settings = settingsOf(node, objects, statedOf(caseFile, stack), new Set(), ledger);
  const programme = programmeOf(node, objects, settings, mode);
  if (programme.netfilter.nativeNft.length > 0) return stack;
  const filled: Part[] = [];
  let grown = withRules(stack, programme, filled);
  if (mode === "ipvs")
    grown = withSets(withServers(withVips(grown, programme, filled), programme, filled), programme, filled);
  if (filled.length === 0) return stack;
  const by = `kube-proxy ${formatVersion(settings.version)} in ${mode} mode`;
  ledger.assume(
    `${stack.name}/kube-proxy/programme`,
    by,
    text("assume.filled", { stack: stack.name, parts: filled, version: formatVersion(settings.version), mode }),
  );
  return grown;
}

type Part = Text | string;

const statedOf = (caseFile: CaseFile | undefined, stack: Stack) => caseFile?.nodes.find((n) => n.name === stack.name);

/** As the node itself shows it; else as configured. An open mode fills nothing. */
function modeOf(
  stack: Stack,
  node: KubernetesNode,
  objects: KubernetesObjects,
  caseFile: CaseFile | undefined,
  ledger: Ledger,
): ProxyMode | undefined {
  const { netfilter, devices, ipsets, ipvs } = stack;
  const traces = { tables: netfilter.tables, devices: devices.items, ipsets: ipsets.items, ipvs };
  const seen = kubeProxyOf(traces, statedOf(caseFile, stack));
  if (seen !== undefined) return seen.mode;
  const { modes } = settingsOf(node, objects, statedOf(caseFile, stack), new Set(), ledger);
  return modes.length === 1 ? modes[0] : undefined;
}

function withRules(stack: Stack, { netfilter }: StackProgramme, filled: Part[]): Stack {
  if (stack.netfilter.tables.some((t) => t.family === 4) || stack.netfilter.nativeNft.length > 0) return stack;
  filled.push("iptables");
  return { ...stack, netfilter: { ...stack.netfilter, tables: [...stack.netfilter.tables, ...netfilter.tables] } };
}

/** Sets that rules ask, of which no dump shows one; what was derived from IPVS gives way. */
function withSets(stack: Stack, { ipsets }: StackProgramme, filled: Part[]): Stack {
  if (stack.ipsets.extent === "whole") return stack;
  const shown = stack.ipsets.items.filter((s) => s.origin.kind === "read");
  const wanted = referencedSets(stack.netfilter.tables);
  const isMissing = (s: IpSet): boolean => wanted.has(s.name) && !shown.some((x) => x.name === s.name);
  const missing = ipsets.items.filter(isMissing);
  if (missing.length === 0) return stack;
  filled.push(text("assume.part-sets", { sets: missing.map((s) => s.name) }));
  const others = stack.ipsets.items.filter((s) => !missing.some((m) => m.name === s.name));
  return { ...stack, ipsets: { ...stack.ipsets, items: [...others, ...missing] } };
}

function withServers(stack: Stack, { ipvs }: StackProgramme, filled: Part[]): Stack {
  if (stack.ipvs.extent !== "unread") return stack;
  filled.push(text("assume.part-servers"));
  return { ...stack, ipvs: { ...stack.ipvs, services: ipvs.services, extent: "whole" } };
}

/** Addresses on kube-ipvs0 where its own list was not shown, and their part of the local table. */
function withVips(stack: Stack, programme: StackProgramme, filled: Part[]): Stack {
  const [made] = programme.devices;
  const known = stack.devices.items.find((d) => d.name === KUBE_IPVS0);
  if (made === undefined || known?.addressesKnown === true) return stack;
  if (known === undefined && stack.devices.extent === "whole") return stack;
  const own = new Set(stack.devices.items.flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address))));
  const fresh = made.addresses.filter((a) => !own.has(formatAddress(a.prefix.address)));
  if (fresh.length === 0) return stack;
  filled.push(text("assume.part-addresses", { device: KUBE_IPVS0 }));
  const device: Device = known ?? made;
  const grown: Device = { ...device, addresses: [...(known?.addresses ?? []), ...fresh], addressesKnown: true };
  const items =
    known === undefined ? [...stack.devices.items, grown] : stack.devices.items.map((d) => (d === known ? grown : d));
  const wanted = new Set(fresh.map((a) => formatAddress(a.prefix.address)));
  const routes = programme.routes.filter((r) => wanted.has(formatAddress(r.destination.address)));
  return {
    ...stack,
    devices: { ...stack.devices, items },
    routeTables: stack.routeTables.map((t) =>
      t.id === TABLE_LOCAL && t.family === 4 ? { ...t, routes: [...t.routes, ...routes] } : t,
    ),
  };
}
