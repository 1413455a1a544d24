import { chainHash } from "../hash.ts";
import type { ProxyServicePort } from "../service-ports.ts";

export const SERVICES = "KUBE-SERVICES";
export const EXTERNAL_SERVICES = "KUBE-EXTERNAL-SERVICES";
export const NODEPORTS = "KUBE-NODEPORTS";
export const POSTROUTING = "KUBE-POSTROUTING";
export const MARK_MASQ = "KUBE-MARK-MASQ";
export const MARK_DROP = "KUBE-MARK-DROP";
export const FORWARD = "KUBE-FORWARD";
export const FIREWALL = "KUBE-FIREWALL";
export const PROXY_FIREWALL = "KUBE-PROXY-FIREWALL";

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
    svc: `KUBE-SVC-${hash}`,
    svl: `KUBE-SVL-${hash}`,
    ext: `KUBE-EXT-${hash}`,
    xlb: `KUBE-XLB-${hash}`,
    fw: `KUBE-FW-${hash}`,
  };
}

export const endpointChain = (port: ProxyServicePort, endpoint: string): string =>
  `KUBE-SEP-${chainHash(port.name + port.protocolName + endpoint)}`;
