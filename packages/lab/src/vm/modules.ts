/** Modules of the guest: everything a node's network may be made of, by the start of the module's name. */
const PATTERNS: readonly RegExp[] = [
  /^(veth|bridge|br_netfilter|vxlan|geneve|macvlan|macvtap|ipvlan|ipvtap|dummy|8021q|vrf|ifb|tun|bonding|ipip|ip_gre|gre|sit|ip6_tunnel|ip6_gre|wireguard)$/,
  /^(nf_|nfnetlink|nft_|xt_|ipt_|ip6t_|ip_tables|ip6_tables|iptable_|ip6table_|arptable|arp_tables|x_tables|ip_set|ip_vs|ebt)/,
  /^(af_packet|virtio|virtio_pci|virtio_mmio|virtio_console|virtio_ring|virtio_pci_modern_dev|virtio_pci_legacy_dev)$/,
  /^(crc32c|libcrc32c|crc32c_generic|crc32c-intel)$/,
];

const nameOf = (path: string): string => path.replace(/^.*\//, "").replace(/\.ko(\.\w+)?$/, "");

/** The module files wanted and all they depend on, from the text of modules.dep. */
export function wantedModules(modulesDep: string): ReadonlySet<string> {
  const needs = new Map<string, readonly string[]>();
  for (const row of modulesDep.split("\n")) {
    const colon = row.indexOf(":");
    if (colon > 0)
      needs.set(
        row.slice(0, colon),
        row
          .slice(colon + 1)
          .trim()
          .split(" ")
          .filter((p) => p !== ""),
      );
  }
  const wanted = new Set<string>();
  const add = (path: string): void => {
    if (wanted.has(path)) return;
    wanted.add(path);
    for (const needed of needs.get(path) ?? []) add(needed);
  };
  for (const path of needs.keys()) if (PATTERNS.some((pattern) => pattern.test(nameOf(path)))) add(path);
  return wanted;
}
