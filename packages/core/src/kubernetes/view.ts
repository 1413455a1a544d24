import type { KubernetesEndpoints, KubernetesPod, KubernetesService } from "../model/index.ts";
import type { Address, Family } from "../net/index.ts";
import { type ChosenEndpoints, chooseEndpoints } from "./choose-endpoints.ts";
import { detectorOf, type ProxyConfig } from "./config.ts";
import { endpointsByService, endpointsOf, type ProxyEndpoint, placesOf } from "./endpoints.ts";
import { type Features, featuresOf } from "./feature-gates.ts";
import type { LocalDetector } from "./local-detector.ts";
import { type NodePortAddresses, nodeIpOf, nodePortAddressesOf, type ProxyNode } from "./node.ts";
import { type ProxyServicePort, servicePortsOf } from "./service-ports.ts";
import type { KubernetesVersion } from "./version.ts";

/** Everything kube-proxy goes by: objects, its node, its configuration, its release. */
export interface ProxyInput {
  readonly services: readonly KubernetesService[];
  readonly endpoints: readonly KubernetesEndpoints[];
  /** kube-proxy does not look at them; they tell where endpoints are that were shown as rows. */
  readonly pods?: readonly KubernetesPod[];
  readonly node: ProxyNode;
  readonly config: ProxyConfig;
  readonly version: KubernetesVersion;
}

/** The input as the proxier of one family sees it. */
export interface ProxyView {
  readonly family: Family;
  readonly version: KubernetesVersion;
  readonly features: Features;
  readonly config: ProxyConfig;
  readonly node: ProxyNode;
  readonly nodeIp?: Address;
  readonly detector: LocalDetector;
  readonly nodePortAddresses: NodePortAddresses;
  readonly ports: readonly ProxyPort[];
}

export interface ProxyPort {
  readonly port: ProxyServicePort;
  /** All of them, ready or not, sorted as kube-proxy sorts them. */
  readonly endpoints: readonly ProxyEndpoint[];
  readonly chosen: ChosenEndpoints;
}

export function viewOf(input: ProxyInput, family: Family): ProxyView {
  const { node, config, version } = input;
  const features = featuresOf(version, config.featureGates);
  const by = endpointsByService(input.endpoints, features.endpointSlices);
  const places = placesOf(input.pods ?? []);
  const nodeIp = nodeIpOf(node, family);
  const context = { node, version, features };
  return {
    family,
    version,
    features,
    config,
    node,
    ...(nodeIp === undefined ? {} : { nodeIp }),
    detector: detectorOf(config.detectLocal, node.podCidrs, family),
    nodePortAddresses: nodePortAddressesOf(config.nodePortAddresses, node, family),
    ports: input.services.flatMap((service) =>
      servicePortsOf(service, family, version, features).map((port): ProxyPort => {
        const endpoints = endpointsOf(port, family, by, node.name, version, places);
        return { port, endpoints, chosen: chooseEndpoints(endpoints, port, context) };
      }),
    ),
  };
}

/** One proxier a family; before dual stack only that of the node's own address. */
export function familiesOf(input: ProxyInput): readonly Family[] {
  if (featuresOf(input.version, input.config.featureGates).dualStack) return [4, 6];
  const bound = input.config.bindAddress;
  if (bound?.includes(":") === true && bound !== "::") return [6];
  return nodeIpOf(input.node, 4) === undefined && nodeIpOf(input.node, 6) !== undefined ? [6] : [4];
}
