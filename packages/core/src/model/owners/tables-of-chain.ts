import type { IptablesTableName } from "../netfilter/index.ts";

/**
 * Chains that well-known programs make, and the tables they make them in. Used only where a paste does not say which
 * table it shows.
 */
const CHAINS: readonly (readonly [RegExp, readonly IptablesTableName[]])[] = [
  // kube-proxy, kubelet
  [/^KUBE-(?:MARK-MASQ|MARK-DROP|POSTROUTING|LOAD-BALANCER|(?:SVC|SEP|FW|XLB|SVL|EXT)-.*)$/, ["nat"]],
  [/^KUBE-(?:SERVICES|NODEPORTS|NODE-PORT|FIREWALL)$/, ["nat", "filter"]],
  [
    /^KUBE-(?:FORWARD|EXTERNAL-SERVICES|PROXY-FIREWALL|SOURCE-RANGES-FIREWALL|IPVS-FILTER|IPVS-OUT-FILTER)$/,
    ["filter"],
  ],
  [/^KUBE-IPTABLES-HINT$/, ["mangle"]],
  // kube-router
  [/^KUBE-(?:NWPLCY-.*|POD-FW-.*|ROUTER-.*)$/, ["filter"]],
  // ip-masq-agent, flannel, CNI plugins, AWS
  [/^IP-MASQ(?:-AGENT)?$/, ["nat"]],
  [/^FLANNEL-POSTRTG$/, ["nat"]],
  [/^FLANNEL-FWD$/, ["filter"]],
  [/^CNI-(?:[0-9a-f]{24}|HOSTPORT-.*|DN-.*|SN-.*)$/, ["nat"]],
  [/^AWS-(?:SNAT|CONNMARK)-CHAIN-\d+$/, ["nat"]],
  // Calico, Cilium
  [/^cali-(?:nat-outgoing|fip-[ds]nat)$/, ["nat"]],
  [/^cali-(?:FORWARD|INPUT|(?:fw|tw|pi|po|pri|pro)-.*|(?:from|to)-wl-dispatch.*|wl-to-host|cidr-block)$/, ["filter"]],
  [/^CILIUM_(?:OUTPUT|PRE|POST)_nat$/, ["nat"]],
  [/^CILIUM_(?:OUTPUT|PRE|POST)_mangle$/, ["mangle"]],
  [/^CILIUM_(?:OUTPUT|PRE)_raw$/, ["raw"]],
  [/^CILIUM_(?:FORWARD|INPUT|OUTPUT)$/, ["filter"]],
  // Docker, libvirt, ufw, Istio
  [/^DOCKER-(?:USER|FORWARD|CT|BRIDGE|INTERNAL|ISOLATION-STAGE-[12])$/, ["filter"]],
  [/^DOCKER$/, ["nat", "filter"]],
  [/^LIBVIRT_(?:INP|OUT|FW[OIX])$/, ["filter"]],
  [/^LIBVIRT_PRT$/, ["nat", "mangle"]],
  [/^ufw6?-/, ["filter"]],
  [/^ISTIO_(?:REDIRECT|IN_REDIRECT)$/, ["nat"]],
  [/^ISTIO_(?:TPROXY|DIVERT)$/, ["mangle"]],
];

export const wellKnownTables = (chain: string): readonly IptablesTableName[] | undefined =>
  chain.length > 64 ? undefined : CHAINS.find(([pattern]) => pattern.test(chain))?.[1];
