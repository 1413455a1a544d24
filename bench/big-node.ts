import { assemble } from "../packages/core/src/assemble/index.ts";
import type { World } from "../packages/core/src/model/index.ts";
import { readCase } from "../packages/core/src/parse/index.ts";
import { generateIptablesSave } from "./generate-iptables.ts";
import { generateIpvs, serviceAddress } from "./generate-ipvs.ts";
import { generateNft } from "./generate-nft.ts";

export { serviceAddress } from "./generate-ipvs.ts";

export const ENDPOINTS = 3;

const ADDRESSES = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 192.168.0.2/24 brd 192.168.0.255 scope global eth0
       valid_lft forever preferred_lft forever
`;
const ROUTES = `default via 192.168.0.1 dev eth0
192.168.0.0/24 dev eth0 proto kernel scope link src 192.168.0.2
`;
const SYSCTLS = `net.ipv4.ip_forward = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.default.rp_filter = 0
net.ipv4.conf.eth0.rp_filter = 0
net.ipv4.conf.lo.rp_filter = 0
`;

export type Mode = "iptables" | "nftables" | "ipvs";

/** What kube-proxy programs for so many Services. */
function programmed(mode: Mode, services: number): Readonly<Record<string, string>> {
  const size = { services, endpoints: ENDPOINTS };
  if (mode === "iptables") return { "iptables-save.txt": generateIptablesSave(size), "ip-addr.txt": ADDRESSES };
  if (mode === "nftables") return { "nft-list-ruleset.txt": generateNft(size), "ip-addr.txt": ADDRESSES };
  return generateIpvs(size, ADDRESSES);
}

/** The files of the node of the measurements. */
export const bigNodeFiles = (services: number, mode: Mode = "iptables"): Readonly<Record<string, string>> => ({
  ...programmed(mode, services),
  "ip-route.txt": ROUTES,
  "sysctl.txt": SYSCTLS,
});

/** That node, and the last of its Services. */
export function bigNode(services: number, mode: Mode = "iptables"): { readonly world: World; readonly to: string } {
  const inputs = Object.entries(bigNodeFiles(services, mode)).map(([path, text]) => ({ path, text }));
  return { world: assemble(readCase(inputs)).world, to: `${serviceAddress(services - 1)}:80` };
}
