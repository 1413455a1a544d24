import { is, type Match, type Rule } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { addressType, comment, toHost, transport } from "../rules.ts";
import type { ProxyServicePort } from "../service-ports.ts";

/** Which packets: those to one of the port's addresses, or to its NodePort. Its users add a target, and who sends. */
export type Destination = Pick<Rule, "destination" | "protocol"> & { readonly matches: readonly Match[] };

export const toAddress = (port: ProxyServicePort, address: Address, about: string): Destination => ({
  ...toHost(address),
  protocol: is(port.protocol),
  matches: [comment(about), transport(port.protocol, port.port)],
});

export const toNodePort = (port: ProxyServicePort, nodePort: number): Destination => ({
  protocol: is(port.protocol),
  matches: [comment(port.name), transport(port.protocol, nodePort)],
});

/** In the filter table, where nothing has yet tested that the address is the node's. */
export const toLocalNodePort = (port: ProxyServicePort, nodePort: number, about: string): Destination => ({
  protocol: is(port.protocol),
  matches: [comment(about), addressType("destination", "LOCAL"), transport(port.protocol, nodePort)],
});

export const toClusterIp = (port: ProxyServicePort): Destination =>
  toAddress(port, port.clusterIp, `${port.name} cluster IP`);
export const toExternalIp = (port: ProxyServicePort, address: Address): Destination =>
  toAddress(port, address, `${port.name} external IP`);
export const toLoadBalancerIp = (port: ProxyServicePort, address: Address): Destination =>
  toAddress(port, address, `${port.name} loadbalancer IP`);
