import { formatAddress } from "@hairpin/core/net/index.ts";
import { type Draft, hooked } from "./draft.ts";
import type { Words } from "./words.ts";

/** The shape of kube-proxy's nftables mode: one map of services, endpoints by numgen, marks for what is masqueraded. */
export function kubeProxy(draft: Draft, { random, services }: Words): void {
  const t = draft.table("ip", "kube-proxy");
  const drops = random.chance(0.5);
  t.set("set cluster-ips { type ipv4_addr; elements = { 10.96.0.1, 10.96.0.2 }; }");
  const ips: string[] = [];
  const ports: string[] = [];
  const none: string[] = [];
  t.chain("mark-for-masquerade", "meta mark set meta mark | 0x4000");
  t.chain(
    "masquerading",
    "meta mark & 0x4000 == 0 return",
    "meta mark set meta mark ^ 0x4000",
    `masquerade ${random.pick(["fully-random", ""])}`.trim(),
  );
  for (const s of services) {
    const port = `${s.protocol} . ${s.port}`;
    const vips = [s.clusterIp, ...(s.loadBalancerIp === undefined ? [] : [s.loadBalancerIp])].map(formatAddress);
    if (s.endpoints.length === 0) {
      none.push(...vips.map((v) => `${v} . ${port} : goto reject-chain`));
      continue;
    }
    for (const [i, e] of s.endpoints.entries()) {
      t.chain(
        `endpoint-${s.name}${i}`,
        `ip saddr ${formatAddress(e.address)} jump mark-for-masquerade`,
        `meta l4proto ${s.protocol} dnat to ${formatAddress(e.address)}:${e.port}`,
      );
    }
    const choices = s.endpoints.map((_, i) => `${i} : goto endpoint-${s.name}${i}`).join(", ");
    t.chain(
      `service-${s.name}`,
      `ip daddr ${formatAddress(s.clusterIp)} ${s.protocol} dport ${s.port} ip saddr != 10.244.0.0/16 jump mark-for-masquerade`,
      `numgen random mod ${s.endpoints.length} vmap { ${choices} }`,
    );
    t.chain(
      `external-${s.name}`,
      s.local ? `ip saddr 10.244.0.0/16 goto service-${s.name}` : "jump mark-for-masquerade",
      `goto service-${s.name}`,
    );
    ips.push(...vips.map((v, i) => `${v} . ${port} : goto ${i === 0 ? "service" : "external"}-${s.name}`));
    if (s.nodePort !== undefined) ports.push(`${s.protocol} . ${s.nodePort} : goto external-${s.name}`);
  }
  const elements = (list: readonly string[]) => (list.length === 0 ? "" : `elements = { ${list.join(", ")} }; `);
  t.set(`map service-ips { type ipv4_addr . inet_proto . inet_service : verdict; ${elements(ips)}}`);
  t.set(`map service-nodeports { type inet_proto . inet_service : verdict; ${elements(ports)}}`);
  t.set(`map no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict; ${elements(none)}}`);
  t.chain("reject-chain", "reject");
  t.chain(
    "services",
    "ip daddr . meta l4proto . th dport vmap @service-ips",
    "fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @service-nodeports",
  );
  t.chain("no-endpoints", "ip daddr . meta l4proto . th dport vmap @no-endpoint-services");
  t.chain("cluster-ips-check", "ip daddr @cluster-ips reject", ...(drops ? ["ip daddr 10.96.0.0/16 drop"] : []));
  t.base("filter-input", hooked("input", -110), "ct state new jump no-endpoints");
  t.base(
    "filter-forward",
    hooked("forward", -110),
    "ct state new jump no-endpoints",
    "ct state new jump cluster-ips-check",
  );
  t.base("filter-output", hooked("output", -110), "ct state new jump no-endpoints");
  t.base("filter-output-post-dnat", hooked("output", -90), "ct state new jump cluster-ips-check");
  t.base("nat-prerouting", hooked("prerouting", -100, "nat"), "jump services");
  t.base("nat-output", hooked("output", -100, "nat"), "jump services");
  t.base("nat-postrouting", hooked("postrouting", 100, "nat"), "jump masquerading");
}
