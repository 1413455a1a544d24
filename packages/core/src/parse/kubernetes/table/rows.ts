import type {
  EndpointPort,
  KubernetesEndpoint,
  KubernetesEndpoints,
  KubernetesNode,
  KubernetesPod,
  KubernetesService,
  ServicePort,
} from "../../../model/index.ts";
import { type Address, familyOf, isIpv4, PROTO, parseAddress } from "../../../net/index.ts";
import { input, type ObjectContext } from "../objects/context.ts";
import type { Row } from "./columns.ts";

const ABSENT = /^(?:<none>|<pending>|<unset>|<unknown>|None|)$/;
const cell = (row: Row, name: string): string | undefined => {
  const text = row.cells.get(name);
  return text === undefined || ABSENT.test(text) ? undefined : text;
};
/** `kubectl get all` writes the kind before the name. */
const nameIn = (row: Row): string => (row.cells.get("NAME") ?? "").replace(/^[a-z.]+\//, "");
const namespaceIn = (row: Row, context: ObjectContext): string => row.cells.get("NAMESPACE") ?? context.namespace;

const addressesIn = (text: string | undefined): readonly Address[] =>
  (text ?? "").split(",").flatMap((t) => parseAddress(t.trim()) ?? []);

const TYPES = ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"] as const;

export function serviceOf(row: Row, context: ObjectContext): KubernetesService {
  const type = TYPES.find((t) => t === row.cells.get("TYPE")) ?? "ClusterIP";
  const external = addressesIn(cell(row, "EXTERNAL-IP"));
  const selector = cell(row, "SELECTOR");
  return {
    namespace: namespaceIn(row, context),
    name: nameIn(row),
    type,
    clusterIps: addressesIn(cell(row, "CLUSTER-IP")),
    // The column shows both; of a LoadBalancer they are the balancer's unless somebody set spec.externalIPs too.
    externalIps: type === "LoadBalancer" ? [] : external,
    loadBalancerIps: type === "LoadBalancer" ? external : [],
    ports: (cell(row, "PORT(S)") ?? "").split(",").flatMap((p) => portOf(p, row, context)),
    ...input({
      headless: row.cells.get("CLUSTER-IP") === "None" || undefined,
      selector: selector === undefined ? undefined : selectorOf(selector),
    }),
    form: "row",
    origin: context.origin(row.line),
  };
}

const selectorOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair): [string, string][] => {
      const at = pair.indexOf("=");
      return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]];
    }),
  );

/** `80:31000/TCP`, `53/UDP`. */
function portOf(text: string, row: Row, context: ObjectContext): readonly ServicePort[] {
  if (text === "") return [];
  const match = /^(\d{1,5})(?::(\d{1,5}))?\/(TCP|UDP|SCTP)$/.exec(text.trim());
  if (match === null) {
    context.warn(row.line, "table-port", `${text.slice(0, 40)} is not read as a port`);
    return [];
  }
  const [, port, nodePort, protocol] = match;
  return [
    {
      protocol: context.protocol(protocol, row.line),
      port: Number(port),
      ...input({ nodePort: nodePort === undefined ? undefined : Number(nodePort) }),
    },
  ];
}

export function podOf(row: Row, context: ObjectContext): KubernetesPod {
  const [ready, all] = (row.cells.get("READY") ?? "").split("/");
  return {
    namespace: namespaceIn(row, context),
    name: nameIn(row),
    addresses: addressesIn(cell(row, "IP")),
    // A table does not say; the assembly compares with the nodes' addresses.
    hostNetwork: false,
    ...input({
      nodeName: cell(row, "NODE"),
      phase: cell(row, "STATUS"),
      ready: all === undefined ? undefined : ready === all && row.cells.get("STATUS") === "Running",
    }),
    form: "row",
    origin: context.origin(row.line),
  };
}

export function nodeOf(row: Row, context: ObjectContext): KubernetesNode {
  const external = addressesIn(cell(row, "EXTERNAL-IP"));
  return {
    name: nameIn(row),
    addresses: addressesIn(cell(row, "INTERNAL-IP")),
    podCidrs: [],
    ...input({
      externalAddresses: external.length > 0 ? external : undefined,
      ready: /^Ready(?:,|$)/.test(row.cells.get("STATUS") ?? ""),
      kernel: cell(row, "KERNEL-VERSION"),
      kubeletVersion: cell(row, "VERSION"),
    }),
    form: "row",
    origin: context.origin(row.line),
  };
}

const MORE = / ?\+ ?\d+ more\.\.\.$/;
const READY = { ready: true, serving: true, terminating: false } as const;

/** `kubectl get ep`: `10.0.0.1:80,10.0.0.2:80 + 3 more...`, the ready ones only. */
export function endpointsOf(row: Row, context: ObjectContext): readonly KubernetesEndpoints[] {
  const text = cell(row, "ENDPOINTS") ?? "";
  const name = nameIn(row);
  const origin = context.origin(row.line);
  const byPort = new Map<string, { family: 4 | 6; port: number | undefined; endpoints: KubernetesEndpoint[] }>();
  for (const part of text.replace(MORE, "").split(",")) {
    const match = /^\[?([0-9a-fA-F.:]+?)\]?(?::(\d{1,5}))?$/.exec(part.trim());
    const address = match === null ? undefined : parseAddress(match[1]!);
    if (address === undefined) continue;
    const port = match?.[2] === undefined ? undefined : Number(match[2]);
    const key = `${familyOf(address)} ${port}`;
    const group = byPort.get(key) ?? { family: familyOf(address), port, endpoints: [] };
    byPort.set(key, group);
    group.endpoints.push({ addresses: [address], ...READY, origin });
  }
  const common = {
    kind: "Endpoints",
    namespace: namespaceIn(row, context),
    name,
    service: name,
    form: "row",
    ...(MORE.test(text) && { cut: true }),
    origin,
  } as const;
  if (byPort.size === 0) return [{ ...common, family: 4, ports: [], endpoints: [] }];
  return [...byPort.values()].map(({ family, port, endpoints }) => ({
    ...common,
    family,
    // The column does not say the protocol; nearly all are TCP.
    ports: port === undefined ? [] : [{ protocol: PROTO.tcp, port }],
    endpoints,
  }));
}

export function endpointSliceOf(row: Row, context: ObjectContext): KubernetesEndpoints {
  const text = cell(row, "ENDPOINTS") ?? "";
  const name = nameIn(row);
  const origin = context.origin(row.line);
  const addresses = addressesIn(text.replace(MORE, ""));
  // The controller appends a dash and five characters to the Service's name.
  const service = /^(.+)-[a-z0-9]{5}$/.exec(name)?.[1];
  return {
    kind: "EndpointSlice",
    namespace: namespaceIn(row, context),
    name,
    ...input({ service }),
    family: addresses.some((a) => !isIpv4(a)) || row.cells.get("ADDRESSTYPE") === "IPv6" ? 6 : 4,
    ports: (cell(row, "PORTS") ?? "")
      .replace(MORE, "")
      .split(",")
      .flatMap((p): EndpointPort[] => (/^\d{1,5}$/.test(p) ? [{ protocol: PROTO.tcp, port: Number(p) }] : [])),
    endpoints: addresses.map((a) => ({ addresses: [a], ...READY, origin })),
    ...(MORE.test(text) && { cut: true }),
    form: "row",
    origin,
  };
}
