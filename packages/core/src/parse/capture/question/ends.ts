import type { CaseFile, KubernetesObjects } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { type Address, formatAddress, isLoopback, PROTO, parseAddress } from "../../../net/index.ts";
import type { Dump } from "../../case/dump.ts";
import { type End, translationsOf } from "./translations.ts";

/** The question as it was typed, as far as packets are told apart by it. */
export interface QuestionInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly proto?: string | undefined;
  readonly bind?: string | undefined;
}

/** Whom the asked connection can be between, as far as is known before any capture was read. */
export interface QuestionEnds {
  readonly protocol: number;
  /** Where it goes: as asked, and what that becomes by rules, IPVS, Services and known connections. */
  readonly to: readonly End[];
  /** The client's addresses; absent where they are not known. */
  readonly from?: readonly Address[];
  /** The nodes': who asks for these by ARP may be on the connection's way. */
  readonly nodes: readonly Address[];
}

const PROTOCOLS: Readonly<Record<string, number>> = lookup({
  tcp: PROTO.tcp,
  udp: PROTO.udp,
  sctp: PROTO.sctp,
  icmp: PROTO.icmp,
});

/** Undefined where the question does not say where to, or names what the dumps do not show. */
export function questionEnds(
  question: QuestionInput,
  dumps: readonly Dump[],
  caseFile: CaseFile | undefined,
): QuestionEnds | undefined {
  const protocol = PROTOCOLS[question.proto ?? "tcp"];
  if (question.to === undefined || protocol === undefined) return undefined;
  const objects = dumps.flatMap((d) => d.reading.facts.flatMap((f) => (f.kind === "kubernetes" ? [f.objects] : [])));
  const requested = destinationOf(question.to, objects, dumps);
  if (requested.length === 0) return undefined;
  const from = question.from === undefined ? [] : hostAddresses(question.from, objects, dumps);
  const bound = question.bind === undefined ? undefined : parseAddress(question.bind);
  const clients = bound === undefined ? from : [bound];
  const to = protocol === PROTO.icmp ? requested.map(({ address }) => ({ address })) : requested;
  return {
    protocol,
    to: translationsOf(to, protocol, objects, dumps, caseFile),
    ...(clients.length === 0 ? {} : { from: clients }),
    nodes: nodeAddresses(objects, dumps),
  };
}

function destinationOf(text: string, objects: readonly KubernetesObjects[], dumps: readonly Dump[]): readonly End[] {
  if (text.startsWith("svc/")) return serviceEnds(text.slice(4), objects);
  const match = /^(?:\[([^\]]{1,60})\]|([^[\]]{1,300}?))(?::(\d{1,5}))?$/.exec(text);
  const whole = parseAddress(text);
  const host = match?.[1] ?? match?.[2];
  if (whole !== undefined) return [{ address: whole }];
  if (host === undefined) return [];
  const port = match?.[3] === undefined ? {} : { port: Number(match[3]) };
  return hostAddresses(host, objects, dumps).map((address) => ({ address, ...port }));
}

/** Every address and port a Service is reached by: which one is meant is for the walk to say. */
function serviceEnds(text: string, objects: readonly KubernetesObjects[]): readonly End[] {
  const [name, port] = text.split(":");
  const services = objects.flatMap((o) => o.services).filter((s) => `${s.namespace}/${s.name}` === name);
  return services.flatMap((s) => {
    const ports = s.ports.filter((p) => port === undefined || p.name === port || String(p.port) === port);
    const addresses = [...s.clusterIps, ...s.externalIps, ...s.loadBalancerIps, ...(s.proxyLoadBalancerIps ?? [])];
    return addresses.flatMap((address) => ports.map((p) => ({ address, port: p.port })));
  });
}

/** The addresses of an address, node, pod or stack as a question names it. */
function hostAddresses(
  text: string,
  objects: readonly KubernetesObjects[],
  dumps: readonly Dump[],
): readonly Address[] {
  const plain = parseAddress(text);
  if (plain !== undefined) return isLoopback(plain) ? [] : [plain];
  const slash = text.indexOf("/");
  const [kind, name] = [text.slice(0, slash), text.slice(slash + 1)];
  const nodes = () => objects.flatMap((o) => o.nodes).filter((n) => n.name === name);
  switch (kind) {
    case "node":
      return distinct([
        ...nodes().flatMap((n) => [...n.addresses, ...(n.externalAddresses ?? [])]),
        ...shownAddresses(dumps, (d) => d.node.value === name && d.stack === undefined),
      ]);
    case "pod": {
      const pods = objects.flatMap((o) => o.pods).filter((p) => `${p.namespace}/${p.name}` === name);
      const ofHost = new Set(pods.flatMap((p) => (p.hostNetwork && p.nodeName !== undefined ? [p.nodeName] : [])));
      return distinct([
        ...pods.flatMap((p) => p.addresses),
        ...shownAddresses(dumps, (d) =>
          d.stack === undefined
            ? ofHost.has(d.node.value)
            : d.stack.value === name || d.stack.value.endsWith(`/${name}`),
        ),
      ]);
    }
    case "stack":
      return distinct([
        ...nodes().flatMap((n) => n.addresses),
        ...shownAddresses(dumps, (d) => (d.stack?.value ?? d.node.value) === name),
      ]);
    default:
      return [];
  }
}

const shownAddresses = (dumps: readonly Dump[], of: (dump: Dump) => boolean): readonly Address[] =>
  dumps
    .filter(of)
    .flatMap((d) =>
      d.reading.facts.flatMap((f) =>
        f.kind === "devices"
          ? f.devices
              .filter((device) => device.kind !== "loopback" && device.kind !== "dummy")
              .flatMap((device) => device.addresses.map((a) => a.prefix.address))
          : [],
      ),
    );

const nodeAddresses = (objects: readonly KubernetesObjects[], dumps: readonly Dump[]): readonly Address[] =>
  distinct([
    ...objects.flatMap((o) => o.nodes).flatMap((n) => [...n.addresses, ...(n.externalAddresses ?? [])]),
    ...shownAddresses(dumps, (d) => d.stack === undefined),
  ]);

const distinct = (list: readonly Address[]): readonly Address[] => [
  ...new Map(list.map((a) => [formatAddress(a), a])).values(),
];
