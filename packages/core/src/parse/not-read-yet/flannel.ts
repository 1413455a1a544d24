import type { Claim, Dialect } from "../dialect.ts";
import { notReadYet, showsFile, when } from "./not-read-yet.ts";

const CONFIG =
  /^\s*"(?:Network|SubnetLen|SubnetMin|SubnetMax|Backend|EnableIPv4|EnableIPv6|IPv6Network|EnableNFTables)"\s*:|^\s*"(?:Type|VNI|Port|DirectRouting|GBP)"\s*:\s*(?:"(?:vxlan|host-gw|udp|wireguard|ipip|ipsec|alloc)"|\d+|true|false),?\s*$/;
const CNI =
  /"(?:cniVersion|delegate|hairpinMode|isDefaultGateway|ipMasq|isGateway|portMappings|promiscMode|forceAddress)"\s*:|"type"\s*:\s*"(?:flannel|bridge|portmap|host-local|calico|calico-ipam|loopback|bandwidth|tuning|ptp|macvlan|ipvlan|cilium-cni|aws-cni|azure-vnet)"/;

export const dialects: readonly Dialect[] = [
  notReadYet({
    id: "cni-config",
    title: "CNI and flannel configuration",
    what: "configuration of the network plugin",
    printedBy: (words) => showsFile(words, /^\/etc\/(?:cni\/net\.d|kube-flannel|flannel)/),
    claim: (line): Claim => (CONFIG.test(line) || CNI.test(line) ? "line" : when(/^\s*[{}[\]",]/.test(line), "maybe")),
  }),
];
