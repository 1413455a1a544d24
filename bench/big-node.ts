import { assemble } from "../packages/core/src/assemble/index.ts";
import type { World } from "../packages/core/src/model/index.ts";
import { readCase } from "../packages/core/src/parse/index.ts";
import { generateIptablesSave } from "./generate-iptables.ts";
import { generateNft } from "./generate-nft.ts";

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
  const all = Array.from({ length: services }, (_, i) => serviceAddress(i));
  const bound = all.map(
    (a) => `    inet ${a}/32 scope global kube-ipvs0\n       valid_lft forever preferred_lft forever\n`,
  );
  const served = all.map(
    (a, i) =>
      `-A -t ${a}:80 -s rr\n` +
      Array.from({ length: ENDPOINTS }, (_, n) => {
        const pod = i * ENDPOINTS + n + 1;
        return `-a -t ${a}:80 -r 10.${200 + (pod >> 16)}.${(pod >> 8) & 255}.${pod & 255}:8080 -m -w 1\n`;
      }).join(""),
  );
  return {
    "ipvsadm-save.txt": served.join(""),
    "ip-addr.txt": `${ADDRESSES}3: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default\n    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff\n${bound.join("")}`,
  };
}

/** The files of the node of the measurements. */
export const bigNodeFiles = (services: number, mode: Mode = "iptables"): Readonly<Record<string, string>> => ({
  ...programmed(mode, services),
  "ip-route.txt": ROUTES,
  "sysctl.txt": SYSCTLS,
});

/** The address of its Service of that number, from 0. */
export function serviceAddress(i: number): string {
  const at = i + 10;
  return `10.${96 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
}

/** That node, and the last of its Services. */
export function bigNode(services: number, mode: Mode = "iptables"): { readonly world: World; readonly to: string } {
  const inputs = Object.entries(bigNodeFiles(services, mode)).map(([path, text]) => ({ path, text }));
  return { world: assemble(readCase(inputs)).world, to: `${serviceAddress(services - 1)}:80` };
}
