import type { KubeProxyConfig } from "../../../model/index.ts";
import { flagIn, type Mapping, numberIn, textIn, textsIn } from "../yaml/value.ts";
import { given, type ObjectContext } from "./context.ts";

const nonEmpty = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

export function readKubeProxyConfig(object: Mapping, context: ObjectContext): KubeProxyConfig {
  const mode = nonEmpty(textIn(object, "mode"));
  // Each back end has its own section with the same two settings.
  const section = mode === "nftables" ? "nftables" : "iptables";
  return {
    clusterCidrs: (textIn(object, "clusterCIDR") ?? "").split(",").filter((c) => c !== ""),
    nodePortAddresses: textsIn(object, "nodePortAddresses"),
    excludeCidrs: textsIn(object, "ipvs", "excludeCIDRs"),
    ...given({
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
    }),
    origin: context.origin(object.lineOf("mode") ?? object.lineOf("kind") ?? object.line),
  };
}
