import type { EndpointPort, KubernetesEndpoint, KubernetesEndpoints, ObjectName } from "../../../model/index.ts";
import { familyOf } from "../../../net/index.ts";
import { flagIn, type Mapping, mapIn, mapsIn, Sequence, textIn, type Value, valueIn } from "../yaml/value.ts";
import { input, nameOf, type ObjectContext } from "./context.ts";

export function readEndpointSlice(object: Mapping, context: ObjectContext): KubernetesEndpoints {
  const type = textIn(object, "addressType");
  const service = textIn(object, "metadata", "labels", "kubernetes.io/service-name");
  return {
    kind: "EndpointSlice",
    namespace: textIn(object, "metadata", "namespace") ?? context.namespace,
    name: nameOf(object),
    ...input({ service }),
    family: type === "IPv6" ? 6 : type === "FQDN" ? "FQDN" : 4,
    ports: readPorts(object, context),
    endpoints: mapsIn(object, "endpoints").map((e): KubernetesEndpoint => {
      // An unset ready counts as ready, an unset serving as ready (discovery/v1).
      const ready = flagIn(e, "conditions", "ready") ?? true;
      return {
        addresses: type === "FQDN" ? [] : context.addresses(e.get("addresses")),
        ready,
        serving: flagIn(e, "conditions", "serving") ?? ready,
        terminating: flagIn(e, "conditions", "terminating") ?? false,
        ...input({
          // Before discovery/v1 the node was a label among others.
          nodeName: textIn(e, "nodeName") ?? textIn(e, "topology", "kubernetes.io/hostname"),
          zone: textIn(e, "zone") ?? textIn(e, "topology", "topology.kubernetes.io/zone"),
          forZones: names(e, "forZones"),
          forNodes: names(e, "forNodes"),
          pod: podOf(mapIn(e, "targetRef")),
        }),
        origin: context.origin(firstLine(e.get("addresses")) ?? e.lineOf("addresses") ?? e.line),
      };
    }),
    form: "object",
    origin: context.originOf(object),
  };
}

const firstLine = (list: Value | undefined): number | undefined =>
  list instanceof Sequence ? list.lines[0] : undefined;

function names(endpoint: Mapping, key: string): readonly string[] | undefined {
  const list = mapsIn(endpoint, "hints", key).flatMap((z) => textIn(z, "name") ?? []);
  return list.length > 0 ? list : undefined;
}

const podOf = (ref: Mapping | undefined): ObjectName | undefined =>
  ref !== undefined && textIn(ref, "kind") === "Pod"
    ? { namespace: textIn(ref, "namespace") ?? "", name: textIn(ref, "name") ?? "" }
    : undefined;

const readPorts = (from: Mapping, context: ObjectContext): readonly EndpointPort[] =>
  mapsIn(from, "ports").map((p): EndpointPort => {
    const name = textIn(p, "name");
    return {
      protocol: context.protocol(textIn(p, "protocol"), p.lineOf("protocol") ?? p.line),
      ...input({
        name: name === "" ? undefined : name,
        port: context.port(valueIn(p, "port"), p.lineOf("port") ?? p.line),
      }),
    };
  });

/** Each subset is its own set of addresses × ports; families are told apart, as the mirroring controller does. */
export function readEndpoints(object: Mapping, context: ObjectContext): readonly KubernetesEndpoints[] {
  const name = nameOf(object);
  const namespace = textIn(object, "metadata", "namespace") ?? context.namespace;
  const common = { kind: "Endpoints", namespace, name, service: name, form: "object" } as const;
  const origin = context.originOf(object);
  const subsets = mapsIn(object, "subsets");
  if (subsets.length === 0) return [{ ...common, family: 4, ports: [], endpoints: [], origin }];
  return subsets.flatMap((subset) => {
    const ports = readPorts(subset, context);
    const endpoints = [
      ...mapsIn(subset, "addresses").map((a) => readAddress(a, true, context)),
      ...mapsIn(subset, "notReadyAddresses").map((a) => readAddress(a, false, context)),
    ];
    const byFamily = ([4, 6] as const).map(
      (family): KubernetesEndpoints => ({
        ...common,
        family,
        ports,
        endpoints: endpoints.filter((e) => e.addresses.some((a) => familyOf(a) === family)),
        origin,
      }),
    );
    const used = byFamily.filter((s) => s.endpoints.length > 0);
    return used.length > 0 ? used : byFamily.slice(0, 1);
  });
}

const readAddress = (address: Mapping, ready: boolean, context: ObjectContext): KubernetesEndpoint => ({
  addresses: context.address(textIn(address, "ip") ?? "", address.lineOf("ip") ?? address.line),
  ready,
  serving: ready,
  terminating: false,
  ...input({ nodeName: textIn(address, "nodeName"), pod: podOf(mapIn(address, "targetRef")) }),
  origin: context.origin(address.lineOf("ip") ?? address.line),
});
