import { KUBELET_CHAIN, PROXY_CHAIN, serviceChain } from "../../model/index.ts";
import { chainHash } from "../hash.ts";
import type { ProxyServicePort } from "../service-ports.ts";

export const SERVICES = PROXY_CHAIN.services;
export const EXTERNAL_SERVICES = PROXY_CHAIN["external-services"];
export const NODEPORTS = PROXY_CHAIN["node-ports"];
export const POSTROUTING = PROXY_CHAIN.postrouting;
export const MARK_MASQ = PROXY_CHAIN["mark-masq"];
export const MARK_DROP = KUBELET_CHAIN["mark-drop"];
export const FORWARD = PROXY_CHAIN.forward;
export const FIREWALL = KUBELET_CHAIN.firewall;
export const PROXY_FIREWALL = PROXY_CHAIN["proxy-firewall"];

/** Chains of one Service port. */
export interface PortChains {
  /** Cluster policy. */
  readonly svc: string;
  /** Local policy (1.24 on). */
  readonly svl: string;
  /** External destinations (1.24 on). */
  readonly ext: string;
  /** Local policy for external destinations (up to 1.23). */
  readonly xlb: string;
  readonly fw: string;
}

export function chainsOf(port: ProxyServicePort): PortChains {
  const hash = chainHash(port.name + port.protocolName);
  return {
    svc: serviceChain("service", hash),
    svl: serviceChain("local", hash),
    ext: serviceChain("external", hash),
    xlb: serviceChain("local-before-1.24", hash),
    fw: serviceChain("source-ranges", hash),
  };
}

export const endpointChain = (port: ProxyServicePort, endpoint: string): string =>
  serviceChain("endpoint", chainHash(port.name + port.protocolName + endpoint));
