import type { ClusterSize } from "./generate-iptables.ts";

const clusterIp = (i: number) => `10.${96 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;
const podIp = (i: number) => `10.${200 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;

/** A ruleset in the shape that kube-proxy writes in nftables mode: a map of Services, a chain for each, one for each endpoint. */
export function generateNft({ services, endpoints }: ClusterSize): string {
  const addresses: string[] = [];
  const verdicts: string[] = [];
  const chains: string[] = [];
  for (let i = 0; i < services; i++) {
    const name = `namespace-${i % 97}/service-${i}/tcp/http`;
    const ip = clusterIp(i + 10);
    addresses.push(ip);
    verdicts.push(`${ip} . tcp . 80 comment "namespace-${i % 97}/service-${i}:http" : goto service-${i}-${name}`);
    const to = Array.from({ length: endpoints }, (_, n) => {
      const pod = podIp(i * endpoints + n + 1);
      const chain = `endpoint-${i}-${n}-${name}__${pod}/8080`;
      chains.push(
        `\tchain ${chain} {\n\t\tip saddr ${pod} jump mark-for-masquerade\n\t\tmeta l4proto tcp dnat to ${pod}:8080\n\t}\n`,
      );
      return `${n} : goto ${chain}`;
    });
    chains.push(
      `\tchain service-${i}-${name} {\n\t\tip daddr ${ip} tcp dport 80 ip saddr != 10.200.0.0/13 jump mark-for-masquerade\n` +
        `\t\tnumgen random mod ${endpoints} vmap { ${to.join(", ")} }\n\t}\n`,
    );
  }
  const elements = (list: readonly string[]) => `\t\telements = { ${list.join(",\n\t\t\t     ")} }\n`;
  return (
    `table ip kube-proxy {\n\tset cluster-ips {\n\t\ttype ipv4_addr\n${elements(addresses)}\t}\n` +
    `\tchain mark-for-masquerade {\n\t\tmeta mark set meta mark | 0x00004000\n\t}\n${chains.join("")}` +
    `\tmap service-ips {\n\t\ttype ipv4_addr . inet_proto . inet_service : verdict\n${elements(verdicts)}\t}\n` +
    `\tchain services {\n\t\tip daddr . meta l4proto . th dport vmap @service-ips\n\t}\n` +
    `\tchain nat-prerouting {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n\t\tjump services\n\t}\n` +
    `\tchain nat-output {\n\t\ttype nat hook output priority -100; policy accept;\n\t\tjump services\n\t}\n}\n`
  );
}
