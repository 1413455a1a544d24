import { readHooks } from "@hairpin/core/parse/nft/hooks.ts";
import { sourceOf } from "@hairpin/core/parse/source.ts";
import { resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, test } from "vitest";

const entries = (text: string) => {
  const { facts, diagnostics } = readHooks(sourceOf("h", text), {});
  const [fact] = facts;
  return {
    said: diagnostics.map((d) => d.code),
    hooks:
      fact?.kind !== "nft-hooks"
        ? []
        : fact.hooks.map((h) => {
            const who = h.object === undefined ? h.function : Object.values(h.object).join(" ");
            return `${h.family} ${h.hook}${h.device === undefined ? "" : `@${h.device}`} ${h.priority} ${who} ${h.module}`;
          }),
  };
};

describe("nft list hooks", () => {
  test("is read in the form of 1.1, devices and flowtables included", () => {
    const text = `family ip {
	hook prerouting {
		-0000000400 ipv4_conntrack_defrag [nf_defrag_ipv4]
		-0000000200 ipv4_conntrack_in [nf_conntrack]
	}
	hook forward {
		 0000000000 chain inet shop gate [nf_tables]
		 0000000000 ipt_do_table [ip_tables]
		+0000000010 chain ip late last [nf_tables]
	}
}
family netdev {
	hook ingress device eth0 {
		 0000000000 flowtable inet shop fast [nf_flow_table]
	}
}
`;
    expect(entries(text)).toEqual({
      said: [],
      hooks: [
        "ip prerouting -400 ipv4_conntrack_defrag nf_defrag_ipv4",
        "ip prerouting -200 ipv4_conntrack_in nf_conntrack",
        "ip forward 0 chain inet shop gate nf_tables",
        "ip forward 0 ipt_do_table ip_tables",
        "ip forward 10 chain ip late last nf_tables",
        "netdev ingress@eth0 0 flowtable inet shop fast nf_flow_table",
      ],
    });
  });

  test("is read in the older form, and what is no such line is said", () => {
    const text = "family ip hook input {\n\t-0000000100 chain ip a b [nf_tables]\n\tnonsense\n}\n";
    expect(entries(text)).toEqual({ said: ["nft-hooks-bad-line"], hooks: ["ip input -100 chain ip a b nf_tables"] });
  });
});

const ADDRESSES = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: ra: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    inet 10.1.0.1/24 scope global ra
3: rb: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    inet 10.2.0.1/24 scope global rb
`;
const ROUTES = "10.1.0.0/24 dev ra scope link src 10.1.0.1\n10.2.0.0/24 dev rb scope link src 10.2.0.1\n";
const SYSCTLS = "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.ra.rp_filter = 0\n";
/** Which of the two runs first decides: the mark is dropped only by who comes behind. */
const TWO = `table inet one {
	chain forward {
		type filter hook forward priority filter; policy accept;
		meta mark set 0x1
	}
}
table inet two {
	chain forward {
		type filter hook forward priority filter; policy accept;
		meta mark 0x1 drop
	}
}
`;
const MARKED = TWO.slice(0, TWO.indexOf("table inet two"));
const LEGACY =
  "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -m mark --mark 0x1 -j DROP\nCOMMIT\n";
const hooks = (...lines: readonly string[]) =>
  `family ip {\n\thook forward {\n${lines.map((l) => `\t\t 0000000000 ${l}\n`).join("")}\t}\n}\n`;
const [ONE, OTHER] = ["chain inet one forward [nf_tables]", "chain inet two forward [nf_tables]"];

function drops(
  files: Readonly<Record<string, string>>,
  settled: ReadonlyMap<string, string> = new Map(),
): { readonly dropped: boolean[]; readonly open: string[] } {
  const { world } = assembled({ "ip-addr.txt": ADDRESSES, "ip-route.txt": ROUTES, "sysctl.txt": SYSCTLS, ...files });
  const resolved = resolveQuestion(world, { from: "10.1.0.2", to: "10.2.0.2:80", proto: "tcp" });
  if (resolved.ok !== true) throw new Error("no question");
  const { branches } = trace(resolved.world, resolved.question, { fixed: settled });
  const names = branches
    .flatMap((b) => [...b.hypothesis.keys(), ...b.assumptions.map((a) => a.id)])
    .filter((n) => n.includes("/netfilter/"));
  return {
    dropped: [...new Set(branches.map((b) => b.request.drop === "NETFILTER_DROP"))],
    open: [...new Set(names)],
  };
}

describe("of two at one priority, the order that nft list hooks shows is that of running", () => {
  const nft = { "nft-list-ruleset.txt": TWO };
  test("without it the table shown last is taken to run first, and that is said: a table may have got its chain later", () => {
    const id = "node/netfilter/native-order";
    expect(drops(nft)).toEqual({ dropped: [false], open: [id] });
    expect(drops(nft, new Map([[id, "reversed"]]))).toEqual({ dropped: [true], open: [] });
  });
  test("but not where either order comes to the same", () => {
    const dropped = TWO.replace("meta mark set 0x1", "ip daddr 10.2.0.2 accept").replace("meta mark 0x1 drop", "drop");
    expect(drops({ "nft-list-ruleset.txt": dropped })).toEqual({ dropped: [true], open: [] });
    const other = TWO.replace("meta mark 0x1 drop", "ct mark 0x1 drop");
    expect(drops({ "nft-list-ruleset.txt": other })).toEqual({ dropped: [false], open: [] });
    const one = TWO.replace("}\ntable inet two {\n\tchain forward", "\tchain behind");
    expect(drops({ "nft-list-ruleset.txt": one })).toEqual({ dropped: [false], open: [] });
  });
  test("and where one changes it in a chain that a map leads to", () => {
    const led = TWO.replace(
      "meta mark set 0x1\n\t}",
      "ip protocol vmap { tcp : jump mark }\n\t}\n\tchain mark {\n\t\tmeta mark set 0x1\n\t}",
    );
    expect(drops({ "nft-list-ruleset.txt": led }).open).toEqual(["node/netfilter/native-order"]);
  });
  test("with it it is not", () => {
    expect(drops({ ...nft, "nft-list-hooks.txt": hooks(OTHER, ONE) }).dropped).toEqual([false]);
    expect(drops({ ...nft, "nft-list-hooks.txt": hooks(ONE, OTHER) }).dropped).toEqual([true]);
  });
  test("of three only the first is sure: nft prints the others backwards", () => {
    const third = "chain inet three forward [nf_tables]";
    const table =
      "table inet three {\n\tchain forward {\n\t\ttype filter hook forward priority 0; policy accept;\n\t}\n}\n";
    const three = { "nft-list-ruleset.txt": `${nft["nft-list-ruleset.txt"]}${table}` };
    expect(drops({ ...three, "nft-list-hooks.txt": hooks(ONE, third, OTHER) }).dropped).toEqual([true]);
    expect(drops({ ...three, "nft-list-hooks.txt": hooks(third, ONE, OTHER) })).toEqual({
      dropped: [false],
      open: ["node/netfilter/native-order"],
    });
  });
  test("beside iptables it is open until it is shown", () => {
    const both = { "nft-list-ruleset.txt": MARKED, "iptables-legacy-save.txt": LEGACY };
    expect(drops(both)).toMatchObject({ open: ["node/netfilter/native-registered"] });
    expect(drops(both).dropped).toHaveLength(2);
    const shown = (...lines: readonly string[]) => drops({ ...both, "nft-list-hooks.txt": hooks(...lines) });
    expect(shown(ONE, "ipt_do_table [ip_tables]")).toEqual({ dropped: [true], open: [] });
    expect(shown("ipt_do_table [ip_tables]", ONE)).toEqual({ dropped: [false], open: [] });
  });
});

describe("listings of a part", () => {
  const chainsOf = (files: Readonly<Record<string, string>>) =>
    stackOf(assembled(files).world).netfilter.nft?.map(
      (t) =>
        `${t.name} ${t.extent}: ${t.chains.map((c) => `${c.name}/${c.rules.length}`)} ${t.sets.map((s) => s.name)}`,
    );
  const gate =
    "table inet shop {\n\tchain gate {\n\t\ttype filter hook forward priority 0; policy drop;\n\t\tjump in\n\t}\n}\n";
  const inner = "table inet shop {\n\tchain in {\n\t\tip saddr @good accept\n\t}\n}\n";
  const good = "table inet shop {\n\tset good {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.1 }\n\t}\n}\n";
  test("chains and sets listed singly are one table", () => {
    const text = [
      `[root@node ~]# nft list chain inet shop gate\n${gate}`,
      `[root@node ~]# nft list chain inet shop in\n${inner}`,
      `[root@node ~]# nft list set inet shop good\n${good}`,
    ].join("");
    expect(chainsOf({ "session.txt": text })).toEqual(["shop partial: gate/1,in/1 good"]);
  });
  test("nft list table shows all of one, and the ruleset in part", () => {
    const files = { "session.txt": `[root@node ~]# nft list table inet shop\n${gate}` };
    expect(chainsOf(files)).toEqual(["shop whole: gate/1 "]);
    expect(stackOf(assembled(files).world).netfilter.nftCut).toBe("part");
  });
  test("nft list chains shows no rule, and that is not the same as none", () => {
    const heads =
      "table inet shop {\n\tchain gate {\n\t\ttype filter hook forward priority filter; policy drop;\n\t}\n}\n";
    expect(chainsOf({ "session.txt": `[root@node ~]# nft list chains\n${heads}` })).toEqual(["shop partial:  "]);
  });
});
