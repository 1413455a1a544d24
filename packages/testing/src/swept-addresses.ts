import { formatAddress, parseAddress } from "@hairpin/core/net/index.ts";

/** Who has which address in a generated cluster of one family. */
export interface SweptAddresses {
  readonly node: (n: number) => string;
  readonly nodeNetwork: string;
  readonly pod: (node: number, pod: number) => string;
  readonly podNetwork: (node: number) => string;
  /** The node's own in the network of its pods. */
  readonly bridge: (node: number) => string;
  /** The first half of a node's pods. */
  readonly half: (node: number) => string;
  readonly service: (s: number) => string;
  readonly clusterCidr: string;
  readonly gateway: string;
}

const hex = (n: number): string => n.toString(16);
const canonical = (text: string): string => formatAddress(parseAddress(text)!);
const network4 = (node: number): string => `10.${128 + (node >> 8)}.${node & 255}`;
const network6 = (node: number): string => `fd00:244:1:${hex(node + 1)}`;

export const SWEPT_4: SweptAddresses = {
  node: (n) => `10.0.${1 + (n >> 7)}.${(n & 127) + 10}`,
  nodeNetwork: "10.0.0.0/16",
  pod: (node, pod) => `${network4(node)}.${pod + 10}`,
  podNetwork: (node) => `${network4(node)}.0/24`,
  bridge: (node) => `${network4(node)}.1`,
  half: (node) => `${network4(node)}.0/25`,
  service: (s) => `10.96.${s >> 8}.${(s & 255) + 1}`,
  clusterCidr: "10.128.0.0/9",
  gateway: "10.0.0.1",
};

export const SWEPT_6: SweptAddresses = {
  node: (n) => canonical(`fd00:10::${hex(n + 16)}`),
  nodeNetwork: "fd00:10::/64",
  pod: (node, pod) => canonical(`${network6(node)}::${hex(pod + 16)}`),
  podNetwork: (node) => `${network6(node)}::/64`,
  bridge: (node) => canonical(`${network6(node)}::1`),
  half: (node) => `${network6(node)}::/65`,
  service: (s) => canonical(`fd00:96::${hex(s + 1)}`),
  clusterCidr: "fd00:244:1::/48",
  gateway: "fd00:10::1",
};
