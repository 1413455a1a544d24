import type { KubeProxyConfig, Origin } from "../../../model/index.ts";
import { flagIn, type Mapping, mapIn, numberIn, textIn, textsIn } from "../yaml/value.ts";
import { input, type ObjectContext } from "./context.ts";

const nonEmpty = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

function flagsIn(gates: Mapping | undefined): Readonly<Record<string, boolean>> | undefined {
  if (gates === undefined || gates.size === 0) return undefined;
  const flags: Record<string, boolean> = {};
  for (let i = 0; i < gates.size; i++) {
    const value = gates.valueAt(i);
    if (typeof value === "boolean") flags[gates.keyAt(i)] = value;
  }
  return flags;
}

const linesOf = (
  context: ObjectContext,
  lines: Readonly<Record<string, number | undefined>>,
): Readonly<Record<string, Origin>> =>
  Object.fromEntries(
    Object.entries(lines).flatMap(([key, line]) => (line === undefined ? [] : [[key, context.origin(line)] as const])),
  );

export function readKubeProxyConfig(object: Mapping, context: ObjectContext): KubeProxyConfig {
  const mode = nonEmpty(textIn(object, "mode"));
  // Each back end has its own section with the same two settings.
  const section = mode === "nftables" ? "nftables" : "iptables";
  return {
    clusterCidrs: (textIn(object, "clusterCIDR") ?? "").split(",").filter((c) => c !== ""),
    nodePortAddresses: textsIn(object, "nodePortAddresses"),
    excludeCidrs: textsIn(object, "ipvs", "excludeCIDRs"),
    ...input({
      mode,
      detectLocalMode: nonEmpty(textIn(object, "detectLocalMode")),
      bridgeInterface: nonEmpty(textIn(object, "detectLocal", "bridgeInterface")),
      interfaceNamePrefix: nonEmpty(textIn(object, "detectLocal", "interfaceNamePrefix")),
      hostnameOverride: nonEmpty(textIn(object, "hostnameOverride")),
      bindAddress: nonEmpty(textIn(object, "bindAddress")),
      masqueradeAll: flagIn(object, section, "masqueradeAll"),
      masqueradeBit: numberIn(object, section, "masqueradeBit"),
      localhostNodePorts: flagIn(object, "iptables", "localhostNodePorts"),
      ipvsScheduler: nonEmpty(textIn(object, "ipvs", "scheduler")),
      strictArp: flagIn(object, "ipvs", "strictARP"),
      featureGates: flagsIn(mapIn(object, "featureGates")),
      conntrackTcpBeLiberal: flagIn(object, "conntrack", "tcpBeLiberal"),
    }),
    fieldOrigins: linesOf(context, {
      clusterCIDR: object.lineOf("clusterCIDR"),
      masqueradeAll: mapIn(object, section)?.lineOf("masqueradeAll"),
    }),
    origin: context.origin(object.lineOf("mode") ?? object.lineOf("kind") ?? object.line),
  };
}
