import type { CalicoNode, FlannelNode, KubernetesNode } from "../../../model/index.ts";
import { parseAddress, parsePrefix } from "../../../net/index.ts";
import { type Mapping, mapIn, mapsIn, textIn, textsIn, valueIn } from "../yaml/value.ts";
import { input, labelsIn, nameOf, type ObjectContext } from "./context.ts";

export function readNode(object: Mapping, context: ObjectContext): KubernetesNode {
  const listed = mapsIn(object, "status", "addresses");
  const of = (type: string) =>
    listed
      .filter((a) => textIn(a, "type") === type)
      .flatMap((a) => context.address(textIn(a, "address") ?? "", a.lineOf("address") ?? a.line));
  const external = of("ExternalIP");
  const cidrs = textsIn(object, "spec", "podCIDRs");
  const cidr = textIn(object, "spec", "podCIDR");
  const ready = mapsIn(object, "status", "conditions").find((c) => textIn(c, "type") === "Ready");
  const info = mapIn(object, "status", "nodeInfo");
  return {
    name: nameOf(object),
    addresses: of("InternalIP"),
    podCidrs: cidrs.length > 0 ? cidrs : cidr === undefined || cidr === "" ? [] : [cidr],
    ...input({
      externalAddresses: external.length > 0 ? external : undefined,
      labels: labelsIn(valueIn(object, "metadata", "labels")),
      ready: ready === undefined ? undefined : textIn(ready, "status") === "True" || textIn(ready, "status") === "true",
      kernel: textIn(info, "kernelVersion"),
      kubeletVersion: textIn(info, "kubeletVersion"),
      kubeProxyVersion: textIn(info, "kubeProxyVersion"),
      providerId: textIn(object, "spec", "providerID"),
      flannel: flannelOf(mapIn(object, "metadata", "annotations"), context),
      calico: calicoOf(mapIn(object, "metadata", "annotations"), context),
    }),
    form: "object",
    origin: context.originOf(object),
  };
}

const FLANNEL = "flannel.alpha.coreos.com/";
const CALICO = "projectcalico.org/";

export function flannelOf(annotations: Mapping | undefined, context: ObjectContext): FlannelNode | undefined {
  const at = annotations?.findKey((k) => k.startsWith(FLANNEL)) ?? -1;
  if (annotations === undefined || at < 0) return undefined;
  const data = backendData(textIn(annotations, `${FLANNEL}backend-data`));
  const address = textIn(annotations, `${FLANNEL}public-ip`);
  return {
    ...input({
      backend: textIn(annotations, `${FLANNEL}backend-type`),
      publicAddress: address === undefined ? undefined : parseAddress(address),
      vtepMac: typeof data.VtepMAC === "string" ? data.VtepMAC.toLowerCase() : undefined,
      vni: typeof data.VNI === "number" ? data.VNI : undefined,
    }),
    origin: context.origin(annotations.lineAt(at)),
  };
}

function backendData(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(text ?? "null");
    return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function calicoOf(annotations: Mapping | undefined, context: ObjectContext): CalicoNode | undefined {
  const at = annotations?.findKey((k) => k.startsWith(CALICO)) ?? -1;
  if (annotations === undefined || at < 0) return undefined;
  const text = (key: string) => textIn(annotations, CALICO + key) ?? "";
  return {
    ...input({
      address: parsePrefix(text("IPv4Address")),
      ipipTunnelAddress: parseAddress(text("IPv4IPIPTunnelAddr")),
      vxlanTunnelAddress: parseAddress(text("IPv4VXLANTunnelAddr")),
    }),
    origin: context.origin(annotations.lineAt(at)),
  };
}
