import type { OtherDatapath } from "../../../model/index.ts";
import { flagIn, type Mapping, mapIn, textIn } from "../yaml/value.ts";
import { nameOf, type ObjectContext } from "./context.ts";

const isOn = (data: Mapping | undefined, key: string): boolean => {
  const value = data?.get(key);
  return value === true || value === "true";
};

/** What makes Cilium load programs on the node's cards (AreDevicesRequired()). */
const ON_CARDS: readonly string[] = [
  "enable-node-port",
  "enable-host-firewall",
  "enable-bpf-masquerade",
  "enable-wireguard",
  "enable-ipsec",
  "enable-bandwidth-manager",
  "enable-l2-announcements",
];

/** Cilium's ConfigMap: whether it takes the place of kube-proxy. */
export function readCiliumConfig(data: Mapping | undefined, context: ObjectContext): OtherDatapath | undefined {
  const replacement = data?.get("kube-proxy-replacement");
  if (data === undefined || replacement === undefined) return undefined;
  const replaces = replacement === true || /^(?:true|strict|partial|probe)$/i.test(String(replacement));
  const bySockets = replaces || isOn(data, "bpf-lb-sock") || isOn(data, "enable-host-reachable-services");
  return {
    owner: "Cilium",
    services: replaces ? "all" : "pods",
    sockets: !bySockets ? "none" : isOn(data, "bpf-lb-sock-hostns-only") ? "node" : "all",
    cards: replaces || ON_CARDS.some((key) => isOn(data, key)),
    origin: context.origin(data.lineOf("kube-proxy-replacement") ?? data.line),
  };
}

/** A FelixConfiguration in eBPF mode; `node.NAME` is of one node. */
export function readFelixConfiguration(object: Mapping, context: ObjectContext): OtherDatapath | undefined {
  const spec = mapIn(object, "spec");
  if (flagIn(spec, "bpfEnabled") !== true) return undefined;
  const [, node] = /^node\.(.+)$/.exec(nameOf(object)) ?? [];
  const byPackets =
    textIn(spec, "bpfConnectTimeLoadBalancing") === "Disabled" ||
    flagIn(spec, "bpfConnectTimeLoadBalancingEnabled") === false;
  return {
    owner: "Calico",
    services: "all",
    sockets: byPackets ? "none" : "all",
    cards: true,
    ...(node !== undefined && { node }),
    origin: context.origin(spec?.lineOf("bpfEnabled") ?? object.line),
  };
}

/** OpenShift's Network, of its operator or its configuration. */
export function readOpenShiftNetwork(object: Mapping, context: ObjectContext): OtherDatapath | undefined {
  const spec = mapIn(object, "spec");
  const type = textIn(mapIn(spec, "defaultNetwork"), "type") ?? textIn(spec, "networkType");
  if (type !== "OVNKubernetes") return undefined;
  const line = mapIn(spec, "defaultNetwork")?.lineOf("type") ?? spec?.lineOf("networkType") ?? object.line;
  return { owner: "OVN-Kubernetes", services: "all", sockets: "none", cards: true, origin: context.origin(line) };
}

/** The operator's Installation with Calico's eBPF mode. */
export function readInstallation(object: Mapping, context: ObjectContext): OtherDatapath | undefined {
  const network = mapIn(object, "spec", "calicoNetwork");
  if (textIn(network, "linuxDataplane") !== "BPF") return undefined;
  const origin = context.origin(network?.lineOf("linuxDataplane") ?? object.line);
  return { owner: "Calico", services: "all", sockets: "all", cards: true, origin };
}
