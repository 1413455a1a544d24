import type { NftBase, NftStatement } from "../../model/index.ts";
import { familyOf, isLoopback, loopbackPrefix, parsePrefix } from "../../net/index.ts";
import { ifNotLocal } from "../local-detector.ts";
import { nodePortAddressesOf, nodePortIpsOf } from "../node.ts";
import { isSince } from "../version.ts";
import type { ProxyView } from "../view.ts";
import { writeLocalhostRefusal } from "./localhost.ts";
import { sourceTest } from "./source-test.ts";
import type { NftTableBuilder } from "./table-builder.ts";
import {
  address,
  concat,
  DROP,
  destinationKey,
  element,
  fibType,
  field,
  ipOf,
  jump,
  MASQUERADE,
  marked,
  match,
  meta,
  NEW,
  named,
  network,
  portKey,
  REJECT,
  RETURN,
  setMark,
  symbol,
  vmap,
} from "./words.ts";

const base = (type: NftBase["type"], hook: NftBase["hook"], priority: number): NftBase => ({
  type,
  hook,
  priority,
  devices: [],
  policy: "accept",
});

/** 1.33.6 took over from 1.34 where filter chains stand: behind DNAT instead of before it. */
const filtersBehindDnat = ({ version }: ProxyView): boolean => isSince(version, 34) || isSince(version, 33, 6);

/** What kube-proxy writes whatever Services there are. Follows setupNFTables() (pkg/proxy/nftables/proxier.go). */
export function writeLayout(table: NftTableBuilder, view: ProxyView): void {
  for (const [name, made] of baseChainsOf(view)) table.chain(name, made);
  writeSets(table, view);
  writeChecks(table, view);
  writeMasquerading(table, view);
  table.rule("nat-output", [jump("services")]);
  table.rule("nat-postrouting", [jump("masquerading")]);
  table.rule("nat-prerouting", [jump("services")]);
  table.chain("reject-chain", undefined, "helper for @no-endpoint-services / @no-endpoint-nodeports");
  table.rule("reject-chain", [REJECT]);
  writeServices(table, view);
}

function baseChainsOf(view: ProxyView): readonly (readonly [string, NftBase])[] {
  const nat = [
    ["nat-output", base("nat", "output", -100)],
    ["nat-postrouting", base("nat", "postrouting", 100)],
    ["nat-prerouting", base("nat", "prerouting", -100)],
  ] as const;
  const filter = (priority: number) =>
    (["forward", "input", "output"] as const).map(
      (hook) => [`filter-${hook}`, base("filter", hook, priority)] as const,
    );
  if (!isSince(view.version, 30)) return [...filter(-101), ...nat];
  if (!filtersBehindDnat(view))
    return [
      ...filter(-110),
      ["filter-output-post-dnat", base("filter", "output", -90)],
      ["filter-prerouting", base("filter", "prerouting", -110)],
      ...nat,
    ];
  return [
    ...filter(0),
    ["filter-output-pre-dnat", base("filter", "output", -110)],
    ["filter-prerouting-pre-dnat", base("filter", "prerouting", -110)],
    ...nat,
  ];
}

function writeSets(table: NftTableBuilder, view: ProxyView): void {
  const { family, version } = view;
  const ip = family === 4 ? "ipv4_addr" : "ipv6_addr";
  const destination = [ip, "inet_proto", "inet_service"];
  const about = (comment: string) => ({ comment });
  if (isSince(version, 30)) {
    table.set("cluster-ips", "set", [ip], about("Active ClusterIPs"));
    table.set("firewall-ips", "map", destination, about("destinations that are subject to LoadBalancerSourceRanges"));
  } else {
    table.set("firewall", "set", destination, about("destinations that are subject to LoadBalancerSourceRanges"));
    const comment = "destinations+sources that are allowed by LoadBalancerSourceRanges";
    table.set("firewall-allow", "set", [...destination, ip], { flags: ["interval"], comment });
  }
  if (isSince(version, 36))
    table.set(
      "hairpin-connections",
      "set",
      [ip, ip, "inet_proto", "inet_service"],
      about("service hairpin connections"),
    );
  const nodePorts = ["inet_proto", "inet_service"];
  table.set(
    "no-endpoint-nodeports",
    "map",
    nodePorts,
    about("vmap to drop or reject packets to service nodeports with no endpoints"),
  );
  table.set(
    "no-endpoint-services",
    "map",
    destination,
    about("vmap to drop or reject packets to services with no endpoints"),
  );
  table.set("service-ips", "map", destination, about("ClusterIP, ExternalIP and LoadBalancer IP traffic"));
  table.set("service-nodeports", "map", nodePorts, about("NodePort traffic"));
}

/** A packet to a NodePort: to any own address but loopback's, or to one of those that take NodePorts. */
function nodePortTest(table: NftTableBuilder, view: ProxyView): readonly NftStatement[] {
  const { family, version, config, node } = view;
  const input = config.nodePortAddresses;
  const wanted = input.length === 0 && isSince(version, 30) ? ["primary"] : input;
  const addresses = nodePortAddressesOf(wanted, node, family);
  const daddr = field(ipOf(family), "daddr");
  if (addresses.matchAll) {
    const own = family === 4 ? network(loopbackPrefix(4)) : address(loopbackPrefix(6).address);
    return [fibType("daddr"), match(daddr, own, "!=")];
  }
  table.set("nodeport-ips", "set", [family === 4 ? "ipv4_addr" : "ipv6_addr"], {
    comment: "IPs that accept NodePort traffic",
  });
  for (const ip of nodePortIpsOf(addresses, node))
    if (familyOf(ip) === family && !isLoopback(ip)) table.add("nodeport-ips", element(address(ip)));
  return [match(daddr, named("nodeport-ips"))];
}

function writeServices(table: NftTableBuilder, view: ProxyView): void {
  const { family, version, config } = view;
  if (isSince(version, 36)) {
    const toCluster = match(field(ipOf(family), "daddr"), named("cluster-ips"));
    const mark = setMark("|", config.masqueradeMark);
    const outside = sourceTest(family, ifNotLocal(view.detector));
    if (config.masqueradeAll) table.rule("services", [toCluster, mark], undefined, "masquerade all clusterIP traffic");
    else if (outside !== undefined)
      table.rule(
        "services",
        [toCluster, ...outside, mark],
        undefined,
        "masquerade clusterIP traffic from outside cluster",
      );
  }
  table.rule("services", [vmap(destinationKey(family), "service-ips")]);
  table.rule("services", [...nodePortTest(table, view), vmap(portKey, "service-nodeports")]);
}

function writeMasquerading(table: NftTableBuilder, { family, version, config }: ProxyView): void {
  const { masqueradeMark: mark } = config;
  if (!isSince(version, 36)) {
    table.rule("mark-for-masquerade", [setMark("|", mark)]);
    table.rule("masquerading", [marked(mark, "=="), RETURN]);
    table.rule("masquerading", [setMark("^", mark)]);
    table.rule("masquerading", [MASQUERADE]);
    return;
  }
  table.rule("masquerading", [marked(mark, "!="), setMark("^", mark), MASQUERADE]);
  const ip = ipOf(family);
  const key = concat(field(ip, "saddr"), field(ip, "daddr"), meta("l4proto"), field("th", "dport"));
  const translated = match({ kind: "ct", key: "status" }, symbol("dnat"));
  table.rule("masquerading", [translated, match(key, named("hairpin-connections")), MASQUERADE]);
}

function writeChecks(table: NftTableBuilder, view: ProxyView): void {
  const { family, version, config } = view;
  const key = destinationKey(family);
  if (!isSince(version, 30)) {
    table.rule("endpoints-check", [vmap(key, "no-endpoint-services")]);
    table.rule("endpoints-check", [...nodePortTest(table, view), vmap(portKey, "no-endpoint-nodeports")]);
    table.rule("filter-forward", [NEW, jump("endpoints-check")]);
    table.rule("filter-forward", [jump("forward")]);
    table.rule("filter-forward", [NEW, jump("firewall-check")]);
    for (const chain of ["filter-input", "filter-output"]) {
      table.rule(chain, [NEW, jump("endpoints-check")]);
      table.rule(chain, [NEW, jump("firewall-check")]);
    }
    const allowed = concat(
      field(ipOf(family), "daddr"),
      meta("l4proto"),
      field("th", "dport"),
      field(ipOf(family), "saddr"),
    );
    table.rule("firewall-allow-check", [match(allowed, named("firewall-allow")), RETURN]);
    table.rule("firewall-allow-check", [DROP]);
    table.rule("firewall-check", [match(key, named("firewall")), jump("firewall-allow-check")]);
    table.rule("forward", [match({ kind: "ct", key: "state" }, symbol("invalid")), DROP]);
    return;
  }
  const daddr = field(ipOf(family), "daddr");
  table.rule(
    "cluster-ips-check",
    [match(daddr, named("cluster-ips")), REJECT],
    undefined,
    "Reject traffic to invalid ports of ClusterIPs",
  );
  const ranges = (config.serviceCidrs ?? [])
    .flatMap((text) => parsePrefix(text.trim()) ?? [])
    .filter((p) => familyOf(p.address) === family);
  if (ranges.length > 0) {
    const set = { kind: "set", set: { kind: "anonymous", elements: ranges.map((r) => element(network(r))) } } as const;
    table.rule("cluster-ips-check", [match(daddr, set), DROP], undefined, "Drop traffic to unallocated ClusterIPs");
  }
  const checked = (chain: string, ...checks: readonly string[]) => {
    for (const check of checks) table.rule(chain, [NEW, jump(check)]);
  };
  const late = filtersBehindDnat(view);
  checked("filter-forward", "service-endpoints-check", "cluster-ips-check");
  checked("filter-input", "nodeport-endpoints-check", "service-endpoints-check");
  checked("filter-output", "service-endpoints-check", late ? "cluster-ips-check" : "firewall-check");
  if (late) checked("filter-output-pre-dnat", "firewall-check");
  else checked("filter-output-post-dnat", "cluster-ips-check");
  checked(late ? "filter-prerouting-pre-dnat" : "filter-prerouting", "firewall-check");
  table.rule("firewall-check", [vmap(key, "firewall-ips")]);
  // Of the input hook: whatever comes there is for an own address.
  const toNodePort = nodePortTest(table, view).filter((s) => s.kind !== "match" || s.left.kind !== "fib");
  table.rule("nodeport-endpoints-check", [...toNodePort, vmap(portKey, "no-endpoint-nodeports")]);
  writeLocalhostRefusal(table, view);
  table.rule("service-endpoints-check", [vmap(key, "no-endpoint-services")]);
}
