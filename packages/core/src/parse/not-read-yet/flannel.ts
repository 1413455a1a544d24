import type { Claim, Dialect } from "../dialect.ts";
import { notReadYet, showsFile, when } from "./not-read-yet.ts";

const ENV =
  /^(?:export )?(?:FLANNEL_(?:NETWORK|SUBNET|MTU|IPMASQ|IPV6_NETWORK|IPV6_SUBNET)|DOCKER_(?:OPT_\w+|OPTS|NETWORK_OPTIONS))=/;
const CONFIG =
  /^\s*"(?:Network|SubnetLen|SubnetMin|SubnetMax|Backend|EnableIPv4|EnableIPv6|IPv6Network|EnableNFTables)"\s*:|^\s*"(?:Type|VNI|Port|DirectRouting|GBP)"\s*:\s*(?:"(?:vxlan|host-gw|udp|wireguard|ipip|ipsec|alloc)"|\d+|true|false),?\s*$/;
const CNI =
  /"(?:cniVersion|delegate|hairpinMode|isDefaultGateway|ipMasq|isGateway|portMappings|promiscMode|forceAddress)"\s*:|"type"\s*:\s*"(?:flannel|bridge|portmap|host-local|calico|calico-ipam|loopback|bandwidth|tuning|ptp|macvlan|ipvlan|cilium-cni|aws-cni|azure-vnet)"/;

export const dialects: readonly Dialect[] = [
  notReadYet({
    id: "flannel-env",
    title: "/run/flannel/subnet.env",
    what: "flannel's subnet of this node",
    printedBy: (words) => showsFile(words, /subnet\.env$|\/docker_opts\.env$/),
    claim: (line): Claim => when(ENV.test(line), "line"),
  }),
  notReadYet({
    id: "cni-config",
    title: "CNI and flannel configuration",
    what: "configuration of the network plugin",
    printedBy: (words) => showsFile(words, /^\/etc\/(?:cni\/net\.d|kube-flannel|flannel)/),
    claim: (line): Claim => (CONFIG.test(line) || CNI.test(line) ? "line" : when(/^\s*[{}[\]",]/.test(line), "maybe")),
  }),
];
