import { describe, expect, test } from "vitest";
import { nameHint } from "./file-name.ts";
import { folderHint } from "./folder.ts";
import { matchesPath } from "./path-pattern.ts";

describe("file names", () => {
  test.each([
    ["iptables-save.txt", "iptables-save"],
    ["ip6tables-save", "ip6tables-save"],
    ["iptables-legacy-save.txt", "iptables-legacy-save"],
    ["iptables-nft-save.log", "iptables-nft-save"],
    ["iptables_save.txt", "iptables-save"],
    ["iptables-S.filter.txt", "iptables -S"],
    ["iptables-nvL.raw.txt", "iptables -nvL"],
    ["iptables-L.nat-KUBE-SERVICES.txt", "iptables -L"],
    ["iptables-legacy-S.from-container.txt", "iptables-legacy -S"],
    ["iptables-t-nat-S.txt", "iptables -t nat -S"],
    ["iptables_-t_nat_-nvL", "iptables -t nat -nvL"],
    ["iptables_-vnxL", "iptables -vnxL"],
    ["ip_-o_addr", "ip -o addr"],
    ["ip_-s_-d_neigh_show", "ip -s -d neigh show"],
    ["ip_route_show_table_all", "ip route show table all"],
    ["sysctl_-a", "sysctl -a"],
    ["ip-route-table-1003.txt", "ip route show table 1003"],
    ["ip-route-table-all.txt", "ip route show table all"],
    ["ip-route-show-table-local.txt", "ip route show table local"],
    ["ip-6-route.txt", "ip -6 route"],
    ["ip-d-link.txt", "ip -d link"],
    ["ip-d-addr.txt", "ip -d addr"],
    ["ip-addr.json", "ip -j addr"],
    ["ip-addr.node.txt", "ip addr"],
    ["ip_rule.txt", "ip rule"],
    ["iprule.txt", "ip rule"],
    ["ip-route-get.txt", "ip route get"],
    ["ipset-list.txt", "ipset list"],
    ["ipset-save.txt", "ipset save"],
    ["ipvsadm-ln.txt", "ipvsadm -ln"],
    ["ipvsadm-lnc.txt", "ipvsadm -lnc"],
    ["ipvsadm-Sn.txt", "ipvsadm -Sn"],
    ["ipvsadm-save.txt", "ipvsadm -Sn"],
    ["bridge-fdb.txt", "bridge fdb"],
    ["brctl-show.txt", "brctl show"],
    ["sysctl.txt", "sysctl -a"],
    ["sysctl-a.before.txt", "sysctl -a"],
    ["uname-a.txt", "uname -a"],
    ["lsmod.txt", "lsmod"],
    ["route-n.txt", "route -n"],
    ["tcpdump.eth0-8472.txt", "tcpdump -i eth0"],
    ["tcpdump.flannel.1.txt", "tcpdump -i flannel.1"],
    ["conntrack-L.txt", "conntrack -L"],
    ["nft-list-ruleset.txt", "nft list ruleset"],
    ["subnet.env.txt", "cat /run/flannel/subnet.env"],
    ["node1-iptables-save.txt", "iptables-save"],
    ["node1.ip-route.txt", "ip route"],
    ["notes.txt", undefined],
    ["symptom.md", undefined],
    ["iptables-rules-excerpt.txt", undefined],
    ["ip-route-and-neigh.txt", undefined],
    ["kubectl.txt", undefined],
  ])("%s stands for %s", (name, command) => expect(nameHint(`nodes/n/${name}`).words?.join(" ")).toBe(command));

  test("qualifiers", () => {
    expect(nameHint("iptables-nvL.raw.txt").context.iptablesTable).toEqual({ value: "raw", by: "file name" });
    expect(nameHint("iptables-L.nat-KUBE-SERVICES.txt").context.iptablesTable?.value).toBe("nat");
    expect(nameHint("iptables-legacy-S.txt").context.iptablesBackend?.value).toBe("legacy");
    expect(nameHint("ip6tables-save.txt").context.family?.value).toBe(6);
    expect(nameHint("rules.v6").context.family?.value).toBe(6);
    expect(nameHint("sysctl.before.txt").context.moment?.value).toBe("before");
    expect(nameHint("tcpdump.eth1.pcap").context.captureDevice?.value).toBe("eth1");
    expect(nameHint("iptables-S.txt").context.iptablesTable).toBeUndefined();
  });
  test("what stands before the tool", () => {
    expect(nameHint("node1-iptables-save.txt").prefix).toBe("node1");
    expect(nameHint("node1.ip-route.txt").prefix).toBe("node1");
    expect(nameHint("iptables-save.txt").prefix).toBeUndefined();
  });
});

describe("folders", () => {
  test.each([
    ["nodes/a/ip-rule.txt", "a", undefined],
    ["case/nodes/a/deep/er/ip-rule.txt", "a", undefined],
    ["nodes/a/pods/default/web-1/ip-addr.txt", "a", "default/web-1"],
    ["nodes/a/pods/web-1/ip-addr.txt", "a", "default/web-1"],
    ["nodes/a/netns/blue/ip-addr.txt", "a", "netns:blue"],
    ["ip-rule.txt", undefined, undefined],
  ])("%s", (path, node, stack) => {
    expect(folderHint(path).node).toBe(node);
    expect(folderHint(path).stack).toBe(stack);
  });
  test("before and after", () =>
    expect(folderHint("before/nodes/a/x").moment).toEqual({ value: "before", by: "folder" }));
});

describe("patterns of case.yaml", () => {
  test.each([
    ["a.txt", "a.txt", true],
    ["nodes/a", "nodes/a/x/y.txt", true],
    ["nodes/a/", "nodes/a/x.txt", true],
    ["./a.txt", "a.txt", true],
    ["nodes/*/ip-*.txt", "nodes/b/ip-rule.txt", true],
    ["nodes/*", "nodes/b/ip-rule.txt", true],
    ["nodes/a", "nodes/ab/x.txt", false],
    ["*.txt", "sub/a.md", false],
    ["**********b", `${"a".repeat(3000)}c`, false],
  ])("%s and %s", (pattern, path, matches) => expect(matchesPath(pattern, path)).toBe(matches));
});
