import { assembled, contradictionsIn, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";
import type { Chain, Stack } from "../../model/index.ts";
import { printRuleSpec } from "../../parse/iptables/rule/print.ts";

const chainOf = (stack: Stack, table: string, chain: string): Chain => {
  const found = stack.netfilter.tables.find((t) => t.name === table)?.chains.find((c) => c.name === chain);
  if (found === undefined) throw new Error(`no ${table} ${chain}`);
  return found;
};
const rules = (stack: Stack, table: string, chain: string) =>
  chainOf(stack, table, chain).rules.map((r) => printRuleSpec(r, 4));

const FILTER = `*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
-A FORWARD -i eth0 -j ACCEPT
-A FORWARD -i eth1 -j ACCEPT
-A FORWARD -i eth2 -j DROP
COMMIT
`;

describe("a table shown more than once", () => {
  const forward = (...greps: readonly string[]) =>
    assembled({ "s.txt": greps.map((g) => `[root@n ~]# iptables -t filter -S FORWARD | grep x\n${g}\n`).join("") });
  const [one, two, three] = [
    "-A FORWARD -i eth0 -j ACCEPT",
    "-A FORWARD -i eth1 -j ACCEPT",
    "-A FORWARD -i eth2 -j DROP",
  ];

  it("is put together from excerpts in the order of its rules", () => {
    const { world } = forward(`${one}\n${three}`, `${two}\n${three}`, `${one}\n${two}`);
    expect(rules(stackOf(world, "n"), "filter", "FORWARD")).toEqual([
      "-i eth0 -j ACCEPT",
      "-i eth1 -j ACCEPT",
      "-i eth2 -j DROP",
    ]);
    const clear = forward(`${one}\n${three}`, `${one}\n${two}\n${three}`);
    expect(rules(stackOf(clear.world, "n"), "filter", "FORWARD")).toHaveLength(3);
  });

  it("is the whole one where there is one, and other rules elsewhere are a contradiction", () => {
    const files = {
      "iptables-save.txt": FILTER,
      "iptables-S.txt": "-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n-A FORWARD -i eth9 -j ACCEPT\n",
    };
    const { world } = assembled(files);
    expect(rules(stackOf(world), "filter", "FORWARD")).toHaveLength(3);
    expect([...new Set(contradictionsIn(files))].sort()).toEqual(["POLICY_DIFFERS", "RULE_ONLY_IN_ONE"]);
  });

  it("gives exact rules rather than those of a listing, and says where they disagree", () => {
    const files = {
      "iptables-nvL.filter.txt": `Chain FORWARD (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination
    0     0 ACCEPT     all  --  eth0   *       0.0.0.0/0            0.0.0.0/0
`,
      "iptables-S.filter.txt": "-A FORWARD -i eth0 -j DROP\n",
    };
    const { world } = assembled(files);
    expect(rules(stackOf(world), "filter", "FORWARD")).toEqual(["-i eth0 -j DROP"]);
    expect(contradictionsIn(files)).toHaveLength(1);
  });
});

describe("back ends", () => {
  it("are kept apart, and a plain dump of the same rules is not a third", () => {
    const legacy = FILTER.replace("-A FORWARD -i eth2 -j DROP\n", "");
    const { world } = assembled({
      "iptables-legacy-save.txt": legacy,
      "iptables-nft-save.txt": FILTER,
      "iptables-save.txt": FILTER,
    });
    const { tables } = stackOf(world).netfilter;
    expect(tables.map((t) => t.backend).sort()).toEqual(["legacy", "nft"]);
  });

  it("are told by iptables -V, but not by that of a container's own tool", () => {
    const told = assembled({ "iptables-save.txt": FILTER, "iptables-V.txt": "iptables v1.8.9 (nf_tables)\n" });
    expect(stackOf(told.world).netfilter.tables[0]!.backend).toBe("nft");
    const container = assembled({
      "iptables-S.filter.txt": "-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n-A INPUT -j DROP\n",
      "iptables-legacy-save.txt": `# iptables -V\niptables v1.8.4 (legacy)\n${FILTER}`,
    });
    expect(
      stackOf(container.world)
        .netfilter.tables.map((t) => t.backend)
        .sort(),
    ).toEqual(["legacy", "unknown"]);
  });
});

describe("tables that nobody showed", () => {
  const ids = (files: Record<string, string>) => assembled(files).world.assumptions.map((a) => a.id);

  it("are assumed empty one by one", () => {
    expect(ids({ "iptables-S.nat.txt": "-P PREROUTING ACCEPT\n" })).toEqual(
      expect.arrayContaining(["node/iptables/raw", "node/iptables/mangle", "node/iptables/filter"]),
    );
    expect(ids({ "iptables-save.txt": FILTER }).filter((id) => id.startsWith("node/iptables"))).toEqual([]);
    expect(ids({ "sysctl.txt": "net.ipv4.ip_forward = 1\n" })).toContain("node/iptables");
  });

  it("are native where nft shows tables that are not those of iptables", () => {
    const nft =
      "table ip filter {\n\tchain FORWARD {\n\t\ttype filter hook forward priority filter; policy drop;\n\t}\n}\ntable ip kube-proxy {\n\tchain services {\n\t}\n}\n";
    const both = stackOf(assembled({ "nft-list-ruleset.txt": nft, "iptables-save.txt": FILTER }).world);
    expect(both.netfilter.nft?.map((t) => `${t.family} ${t.name}`)).toEqual(["ip kube-proxy"]);
    const alone = stackOf(assembled({ "nft-list-ruleset.txt": nft, "sysctl.txt": "net.ipv4.ip_forward = 1\n" }).world);
    expect(alone.netfilter.nft?.map((t) => `${t.family} ${t.name}`)).toEqual(["ip filter", "ip kube-proxy"]);
  });
});

describe("an excerpt of kube-proxy's nat", () => {
  const excerpt = `-A KUBE-SERVICES -d 10.96.0.10/32 -p udp -m udp --dport 53 -j KUBE-SVC-TCOU7JCQXEZGVUNU
-A KUBE-SVC-TCOU7JCQXEZGVUNU -j KUBE-SEP-AAAAAAAAAAAAAAAA
-A KUBE-SEP-AAAAAAAAAAAAAAAA -s 10.244.0.3/32 -j KUBE-MARK-MASQ
-A KUBE-SEP-AAAAAAAAAAAAAAAA -p udp -m udp -j DNAT --to-destination 10.244.0.3:53
`;

  it("is led to and masquerades as kube-proxy always does, and that is listed", () => {
    const { world } = assembled({ "s.txt": `[root@n ~]# iptables-save -t nat | grep KUBE-S\n${excerpt}` });
    const node = stackOf(world, "n");
    expect(rules(node, "nat", "PREROUTING")).toEqual(["-j KUBE-SERVICES"]);
    expect(rules(node, "nat", "OUTPUT")).toEqual(["-j KUBE-SERVICES"]);
    expect(rules(node, "nat", "KUBE-MARK-MASQ")).toEqual(["-j MARK --set-xmark 0x4000/0x4000"]);
    expect(rules(node, "nat", "KUBE-POSTROUTING").at(-1)).toBe("-j MASQUERADE --random-fully");
    expect(world.assumptions.map((a) => a.id)).toContain("n/kube-proxy/nat");
    expect(chainOf(node, "nat", "OUTPUT").origin.kind).toBe("assumed");
  });

  it("gets nothing added where the whole table was shown", () => {
    const whole = `*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:KUBE-SERVICES - [0:0]\nCOMMIT\n`;
    const { world } = assembled({ "iptables-save.txt": whole });
    expect(rules(stackOf(world), "nat", "PREROUTING")).toEqual([]);
    expect(world.assumptions.map((a) => a.id)).not.toContain("node/kube-proxy/nat");
  });

  it("has route_localnet on, as kube-proxy in iptables mode sets it, unless it is shown", () => {
    const key = "net.ipv4.conf.all.route_localnet";
    const text = `[root@n ~]# iptables-save -t nat | grep KUBE-S\n${excerpt}`;
    expect(stackOf(assembled({ "s.txt": text }).world, "n").sysctls.get(key)).toMatchObject({
      value: "1",
      origin: { kind: "assumed" },
    });
    const shown = assembled({ "s.txt": `${text}[root@n ~]# sysctl ${key}\n${key} = 0\n` });
    expect(stackOf(shown.world, "n").sysctls.get(key)!.value).toBe("0");
  });
});
