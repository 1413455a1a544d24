import { type Text, text } from "../../../messages/index.ts";
import {
  type Chain,
  chainNamed,
  isKubeProxyTable,
  type Origin,
  ownerOfChain,
  PROXY_CHAIN,
  rulesNaming,
  type Stack,
  someChain,
} from "../../../model/index.ts";
import { type Family, familyOf, formatAddress, hasPorts, protocolName } from "../../../net/index.ts";
import { type KnownService, legsOf, servicesAt } from "../../../trace/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { crosses, shownStacks, suspect } from "../claim.ts";

const nameOf = (s: KnownService): string => `${s.namespace}/${s.name}`;

/** What kube-proxy programs: a load balancer's address of mode Proxy is the load balancer's alone. */
const programmedOf = (s: KnownService) => [...s.clusterIps, ...s.externalIps, ...s.loadBalancerIps];
const addressesOf = (s: KnownService) => [...programmedOf(s), ...(s.proxyLoadBalancerIps ?? [])];

/** Ports that virtual servers or rules of a stack have for an address, and whether these are all of them. */
function servedBy(
  { ipvs, netfilter }: Stack,
  look: Look,
): { readonly ports: ReadonlySet<string>; readonly all: boolean } {
  const { to } = look.question;
  const family = familyOf(to);
  const ports = new Set<string>();
  for (const { key } of ipvs.services)
    if (key.kind === "address" && key.address === to) ports.add(`${key.port}/${protocolName(key.protocol)}`);
  const nat = netfilter.tables.filter((t) => t.name === "nat" && t.family === family);
  const chains = nat.map((t) => chainNamed(t, PROXY_CHAIN.services)).filter((c) => c !== undefined);
  for (const table of nat)
    for (const { rule } of rulesNaming(table, to, [PROXY_CHAIN.services]))
      if (rule.destination?.negated === false && rule.destination.value.address === to)
        for (const m of rule.matches)
          if ((m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp") && m.dport !== undefined)
            ports.add(`${m.dport.value.from}/${m.kind}`);
  const shown = chains.length > 0 ? chains.every((c) => c.extent === "whole") : ipvs.extent === "whole";
  return { ports, all: shown && (chains.length > 0 || ipvs.services.length > 0) };
}

/**
 * All of the family's nat was shown, and nothing of kube-proxy's is in it, which both of its older modes write there. Guards: its nftables mode and programs that take
 * its place (eBPF) write nothing there either.
 */
const hasNothing = ({ netfilter, ipvs, devices, otherDatapaths }: Stack, family: Family): boolean => {
  const nat = netfilter.tables.filter((t) => t.name === "nat" && t.family === family);
  return (
    nat.length > 0 &&
    nat.every((t) => t.extent === "whole" && t.origin.kind !== "assumed" && !someChain(t, isOfProxy)) &&
    ipvs.services.length === 0 &&
    netfilter.nft?.some((t) => isKubeProxyTable(t.name)) !== true &&
    netfilter.nativeNft.length === 0 &&
    otherDatapaths === undefined &&
    !devices.items.some((d) => d.programs !== undefined)
  );
};

const isOfProxy = ({ name }: Chain): boolean => ownerOfChain(name) === "kube-proxy";

/** The pod of kube-proxy on this node, where it was listed and is not ready. */
export const failingProxy = ({ world }: Pick<Look, "world">, node: string) =>
  world.kubernetes.pods.find((p) => p.nodeName === node && p.name.startsWith("kube-proxy-") && p.ready === false);

/**
 * The address is a Service's, and the port is none of its ports: nothing translates it. Guards: a port that any rule, virtual server or object
 * has; an address on a node's own card, whose other ports are the node's.
 */
export const portNotInService: Sign = {
  codes: ["PORT_NOT_IN_SERVICE"],
  detect: (look) => {
    const { question, world } = look;
    if (!hasPorts(question.protocol) || isNodes(look)) return [];
    const query = `${question.port}/${protocolName(question.protocol)}`;
    const service = servicesAt(world, question.to).find((s) => addressesOf(s).includes(question.to));
    const object = world.kubernetes.services.find((s) => addressesOf(s).includes(question.to));
    const onTheWay = shownStacks(look).filter((s) => s.kind === "node" && crosses(look.exploration, s.name));
    const served = onTheWay.map((s) => servedBy(s, look));
    const ports = new Set([
      ...(service?.ports.map((p) => `${p.port}/${protocolName(p.protocol)}`) ?? []),
      ...served.flatMap((s) => [...s.ports]),
    ]);
    if (ports.size === 0 || ports.has(query)) return [];
    const whole = object?.form === "object" || served.some((s) => s.all && s.ports.size > 0);
    return [
      suspect({
        code: "PORT_NOT_IN_SERVICE",
        stack: onTheWay[0]?.name ?? question.client,
        certainty: whole ? "inferred" : "possible",
        root: true,
        summary: text("cause.port_not_in_service", {
          address: formatAddress(question.to),
          service: service === undefined ? formatAddress(question.to) : nameOf(service),
          asked: query,
          ports: [...ports].sort().join(", "),
        }),
        evidence: object === undefined ? [] : [object.origin],
        step: "service",
        check: {
          text: text("check.service-ports"),
          command: `kubectl get svc -A -o wide | grep -wF ${formatAddress(question.to)}`,
        },
      }),
    ];
  },
};

/** An address that a card of a node has, or that its object names: what else it answers is the node's business. */
const isNodes = ({ world, question }: Look): boolean =>
  world.kubernetes.nodes.some((n) => n.addresses.includes(question.to)) ||
  world.stacks.some(
    (s) =>
      s.kind === "node" &&
      s.devices.items.some((d) => d.kind !== "dummy" && d.addresses.some((a) => a.prefix.address === question.to)),
  );

/**
 * Objects, or another node, have this Service, and the node that the packet meets has nothing for it. Guards: its tables, or virtual servers, were
 * shown whole and hold others of kube-proxy; a Service without endpoints is rejected elsewhere and has no translation.
 */
export const serviceNotProgrammedHere: Sign = {
  codes: ["SERVICE_NOT_PROGRAMMED_HERE"],
  detect: (look) => {
    const { question, world } = look;
    if (!hasPorts(question.protocol) || isNodes(look)) return [];
    const at = `${question.port}/${protocolName(question.protocol)}`;
    const object = world.kubernetes.services.find(
      (s) =>
        programmedOf(s).includes(question.to) &&
        s.ports.some((p) => p.port === question.port && p.protocol === question.protocol),
    );
    const nodes = shownStacks(look).filter((s) => s.kind === "node" && s.fromObjects !== true);
    const elsewhere = nodes.find((s) => servedBy(s, look).ports.has(at));
    const here = firstMet(look, nodes);
    if (here === undefined || here === elsewhere || isWithoutEndpoints(look)) return [];
    const served = servedBy(here, look);
    const nothing = hasNothing(here, familyOf(question.to));
    if ((!served.all && !nothing) || served.ports.has(at) || (object === undefined && elsewhere === undefined))
      return [];
    if (isRejected(look, here)) return [];
    const who: Text =
      object !== undefined
        ? text("cause.service_not_programmed_here.object", { service: nameOf(object) })
        : text("cause.service_not_programmed_here.other", { node: elsewhere?.name ?? "" });
    const failing = failingProxy(look, here.name);
    const evidence = [object, failing].flatMap((o) => (o === undefined ? [] : [o.origin]));
    // That it runs in another mode, of which nothing was shown, is left.
    return [claim(look, here, who, evidence, served.all || failing !== undefined ? "inferred" : "possible")];
  },
};

/** The first of some nodes that the packet comes by: behind it, it may have another address. */
function firstMet({ exploration }: Look, nodes: readonly Stack[]): Stack | undefined {
  const byName = new Map(nodes.map((n) => [n.name, n]));
  for (const branch of exploration.branches)
    for (const leg of legsOf(branch))
      for (const { stack } of leg.steps) if (byName.has(stack)) return byName.get(stack);
  return undefined;
}

/** No endpoint is known to be ready: then kube-proxy translates nothing, and that is another cause. */
const isWithoutEndpoints = ({ world, question }: Look): boolean => {
  const service = world.kubernetes.services.find((s) => addressesOf(s).includes(question.to));
  if (service === undefined) return false;
  const slices = world.kubernetes.endpoints.filter(
    (e) => e.namespace === service.namespace && e.service === service.name,
  );
  return slices.length > 0 && !slices.some((e) => e.endpoints.some((p) => p.ready));
};

/** By a rule: an error about a next hop that is not there says nothing of the Service. */
const isRejected = ({ exploration }: Look, { name }: Stack): boolean =>
  exploration.branches.some(
    ({ request }) => request.disposition === "rejected" && request.stack === name && request.drop === "NETFILTER_DROP",
  );

const claim = (
  look: Look,
  here: Stack,
  who: Text,
  evidence: readonly Origin[],
  certainty: "inferred" | "possible",
): ClaimedCause =>
  suspect({
    code: "SERVICE_NOT_PROGRAMMED_HERE",
    stack: here.name,
    certainty,
    root: true,
    summary: text("cause.service_not_programmed_here", {
      stack: here.name,
      address: formatAddress(look.question.to),
      port: look.question.port,
      who,
    }),
    evidence,
    step: "service",
    check: {
      text: text("check.proxy-log", { stack: here.name }),
      command:
        "kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide; kubectl -n kube-system logs -l k8s-app=kube-proxy --tail=50",
    },
  });
