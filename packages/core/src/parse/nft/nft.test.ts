import { describe, expect, test } from "vitest";
import { sourceOf } from "../source.ts";
import { isRuleset } from "./claim.ts";
import { printNftRule, printRuleset, readRuleset, rulesetText } from "./index.ts";

const read = (text: string) => readRuleset(sourceOf("ruleset.nft", text));
const rule = (text: string) => read(`table inet t {\n\tchain c {\n\t\t${text}\n\t}\n}\n`);
const without = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, v) =>
      key === "origin" || key === "handle" ? undefined : typeof v === "bigint" ? `${v}` : v,
    ),
  );

/** Each is printed as it is read, word for word. */
const RULES = [
  'meta iifname "eth0" tcp dport 22 accept',
  "ip saddr 10.0.0.0/8 ip daddr != 10.96.0.0-10.96.0.9 drop",
  "ct state established,related accept",
  "ct state vmap { established : accept, invalid : drop, new : jump fresh }",
  "ip daddr . tcp dport vmap @services",
  "fib saddr . iif oif missing drop",
  "fib daddr type local tcp dport 30000-32767 jump nodeports",
  "numgen random mod 3 vmap { 0 : goto a, 1 : goto b, 2 : goto c }",
  "meta l4proto { 6, 17 } th dport 53 redirect to :5353",
  "dnat ip to 10.0.0.1:8080",
  "dnat ip6 to [fd00::1]:8080",
  "dnat ip to tcp dport map { 80 : 10.0.0.1 . 8080 }",
  "snat to 192.0.2.1-192.0.2.9 persistent",
  "masquerade fully-random",
  "meta mark set meta mark | 16384",
  "tcp flags & (syn | ack) == syn counter packets 3 bytes 180",
  "limit rate over 10/second burst 5 packets drop",
  "update @seen { ip saddr timeout 1m limit rate 5/second }",
  'log prefix "refused " level warn reject with icmpx admin-prohibited',
  "dnat ip to jhash ip saddr . tcp sport mod 2 seed 0xdead map { 0 : 10.0.0.1, 1 : 10.0.0.2 }",
];

describe("nft rules", () => {
  test.each(RULES)("%s", (text) => {
    const { tables, diagnostics } = rule(text);
    expect(diagnostics).toEqual([]);
    expect(printNftRule(tables[0]!.chains[0]!.rules[0]!)).toBe(text);
  });

  test("the forms of older and newer releases mean the same", () => {
    const same = (a: string, b: string) =>
      expect(without(rule(a).tables[0]!.chains)).toEqual(without(rule(b).tables[0]!.chains));
    same("tcp flags syn / syn,ack accept", "tcp flags & (syn,ack) == syn accept");
    same('iifname "eth0" accept', 'meta iifname "eth0" accept');
    same("reject with icmpx type port-unreachable", "reject with icmpx port-unreachable");
    same("mark and 0xff eq 0x4 accept", "meta mark & 0xff == 0x4 accept");
  });
});

describe("nft rulesets", () => {
  test("a listing with sets, maps, base chains and handles", () => {
    const text = `table inet fw { # handle 3
	set hosts {
		type ipv4_addr . inet_service
		flags interval
		elements = { 10.0.0.1 . 80, 10.0.1.0/24 . 443,
			     10.0.2.1-10.0.2.9 . 1024-2048 }
	}
	map services {
		typeof ip daddr . tcp dport : verdict
		elements = { 10.96.0.1 . 443 comment "default/kubernetes" : goto svc }
	}
	chain in {
		type filter hook input priority filter - 5; policy drop;
# Warning: table ip filter is managed by iptables-nft, do not touch!
		ip saddr . tcp dport @hosts accept # handle 7
	}
	chain svc {
	}
}
`;
    const { tables, diagnostics, counts } = read(text);
    expect(diagnostics).toEqual([]);
    expect(counts).toEqual({ tables: 1, chains: 2, rules: 1, sets: 2, elements: 4 });
    expect(tables[0]!.chains[0]).toMatchObject({
      name: "in",
      base: { type: "filter", hook: "input", priority: -5, policy: "drop", devices: [] },
      rules: [{ handle: 7, origin: { file: "ruleset.nft", line: 15 } }],
    });
    expect(without(read(printRuleset(tables)).tables)).toEqual(without(tables));
  });

  test("a script: define, add, insert, flush, delete", () => {
    const { tables, diagnostics } = read(`#!/usr/sbin/nft -f
flush ruleset
define lan = { "eth1", "eth2" }
add table ip fw
add chain ip fw in { type filter hook input priority 0; policy accept; }
add rule ip fw in tcp dport 22 accept
insert rule ip fw in iifname $lan accept
nft add rule ip fw in drop
`);
    expect(diagnostics).toEqual([]);
    expect(tables[0]!.chains[0]!.rules.map(printNftRule)).toEqual([
      'meta iifname { "eth1", "eth2" } accept',
      "tcp dport 22 accept",
      "drop",
    ]);
  });

  test("what is not understood is named by its line, and the rest is read", () => {
    const { tables, diagnostics } = read(`table ip t {
	chain c {
		frobnicate the packet
		tcp dport 80 accept
	}
}
`);
    expect(diagnostics).toMatchObject([{ code: "nft-not-understood", line: 3 }]);
    expect(tables[0]!.chains[0]!.rules.map((r) => r.statements[0]!.kind)).toEqual(["not understood", "match"]);
  });

  test("what an include holds, and a name nobody defines, is said", () => {
    const { diagnostics, tables, more } = read(
      'include "/etc/nftables.d/*.nft"\ntable ip t {\n\tchain c {\n\t\tiifname $nobody drop\n\t}\n}\n',
    );
    expect(diagnostics.map((d) => d.code).sort()).toEqual(["nft-include", "nft-not-understood", "nft-undefined"]);
    // Neither a device of that name nor all there is.
    expect(tables[0]!.chains[0]!.rules[0]!.statements.map((s) => s.kind)).toEqual(["not understood"]);
    expect([more, tables[0]!.extent]).toEqual([true, "partial"]);
  });

  test("objects are added with and without braces, rules replaced by their handle", () => {
    const { tables, diagnostics, more } = read(`table ip t {
	chain c {
		tcp dport 22 accept # handle 5
	}
}
add counter ip t seen
add limit ip t few { rate 10/second; }
add quota ip t much over 25 mbytes
replace rule ip t c handle 5 tcp dport 22 limit name few drop
`);
    expect(diagnostics).toEqual([]);
    expect(more).toBe(false);
    expect(tables[0]!.objects.map((o) => `${o.kind} ${o.name}`)).toEqual(["counter seen", "limit few", "quota much"]);
    expect(tables[0]!.chains[0]!.rules.map(printNftRule)).toEqual(['tcp dport 22 limit name "few" drop']);
  });

  test("behind a command that is not followed the ruleset may be another one", () => {
    expect(read("table ip t { chain c { accept; }; }\nreplace rule ip t c handle 9 drop\n").more).toBe(true);
    expect(read("table ip t { chain c { accept; }; }\nrename chain ip t c d\n").more).toBe(true);
  });

  test("a policy or device that nothing defines leaves its chain unread", () => {
    const chain = (head: string) =>
      read(`table netdev t {\n\tchain c {\n\t\ttype filter hook ingress ${head}\n\t}\n}\n`).tables[0]!.chains[0]!
        .unread;
    expect(chain("device eth0 priority 0; policy drop;")).toBeUndefined();
    expect(chain("device $wan priority 0; policy drop;")).toBe(true);
    expect(chain("devices = { eth0, $wan } priority 0;")).toBe(true);
    expect(chain("device eth0 priority 0; policy $p;")).toBe(true);
  });

  test("an element keeps what it limits", () => {
    const { tables } = read(
      "table ip t {\n\tset s {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.1 limit rate over 10/second, 10.0.0.2 counter packets 1 bytes 2 }\n\t}\n}\n",
    );
    expect(tables[0]!.sets[0]!.elements.map((e) => e.decides?.map((s) => s.kind))).toEqual([["limit"], undefined]);
  });

  test.each([
    ["#!/usr/sbin/nft -f", "define wan = eth0", "table inet t {", "chain c {", "accept", "}", "}"],
    ['include "/etc/nft/*.nft"', "table ip t { chain c { accept; }; }"],
    ["define a = 1", "add table ip t"],
  ])("a script is one from its first line to its last: %s", (...lines) => {
    expect(isRuleset(lines)).toBe(true);
  });
  test.each([
    ['include "a.conf"', "server {", "}"],
    ["define x = 1", "y = 2", "}"],
  ])("and this is none: %s", (...lines) => {
    expect(isRuleset(lines)).toBe(false);
  });

  test("a chain pasted without its table is a chain", () => {
    const { tables } = read("chain forward {\n\ttype filter hook forward priority 0; policy drop;\n}\n");
    expect(tables[0]!.chains[0]!.base?.policy).toBe("drop");
  });

  test("names that would grow without end are left", () => {
    const lines = ["define a = 10.0.0.1"];
    for (let i = 0; i < 40; i++)
      lines.push(`define ${"b".repeat(i + 1)} = $${i === 0 ? "a" : "b".repeat(i)}, $${i === 0 ? "a" : "b".repeat(i)}`);
    expect(
      read(
        `${lines.join("\n")}\ntable ip t {\n\tset s {\n\t\ttype ipv4_addr\n\t\telements = { $${"b".repeat(40)} }\n\t}\n}\n`,
      ).diagnostics.length,
    ).toBeGreaterThan(0);
  });
});

describe("nft -j list ruleset", () => {
  const head = `{"nftables": [{"metainfo": {"version": "1.1.3"}}, {"table": {"family": "inet", "name": "t", "handle": 1}},`;
  const chain = `{"chain": {"family": "inet", "table": "t", "name": "c", "handle": 1, "type": "filter", "hook": "input", "prio": 0, "policy": "drop"}},`;
  const ruleOf = (...expr: readonly unknown[]) =>
    JSON.stringify({ rule: { family: "inet", table: "t", chain: "c", handle: 2, expr } });
  const printed = (text: string) => printRuleset(readRuleset(rulesetText(sourceOf("nft.json", text)).source).tables);
  const saddr = { payload: { protocol: "ip", field: "saddr" } };

  test("rules, sets and verdict maps read as their text", () => {
    const rule = ruleOf(
      { match: { op: "!=", left: saddr, right: { prefix: { addr: "10.0.0.0", len: 8 } } } },
      {
        vmap: {
          key: { concat: [{ meta: { key: "l4proto" } }, { payload: { protocol: "th", field: "dport" } }] },
          data: "@m",
        },
      },
    );
    const map = `{"map": {"family": "inet", "name": "m", "table": "t", "type": ["inet_proto", "inet_service"], "handle": 3, "map": "verdict", "elem": [[{"concat": ["tcp", 80]}, {"drop": null}]]}},`;
    expect(printed(`${head}${chain}${map}${rule}]}`)).toBe(
      "table inet t {\n\tmap m {\n\t\ttype inet_proto . inet_service : verdict\n\t\telements = { tcp . 80 : drop }\n\t}\n" +
        "\tchain c {\n\t\ttype filter hook input priority 0; policy drop;\n" +
        "\t\tip saddr != 10.0.0.0/8 meta l4proto . th dport vmap @m\n\t}\n}\n",
    );
  });

  test("a statement that is not known makes its rule one that is not understood", () => {
    const { source } = rulesetText(sourceOf("nft.json", `${head}${chain}${ruleOf({ "new thing": { a: 1 } })}]}`));
    const { diagnostics, tables } = readRuleset(source);
    expect(diagnostics.map((d) => d.code)).toEqual(["nft-not-understood"]);
    expect(tables[0]!.chains[0]!.rules[0]!.statements[0]!.kind).toBe("not understood");
  });

  test("a chain at a device that was not printed is one of which nobody knows where it hangs", () => {
    const odd = `{"chain": {"family": "inet", "table": "t", "name": "i", "type": "filter", "hook": "ingress", "prio": 0, "policy": "drop"}}`;
    const { source } = rulesetText(sourceOf("nft.json", `${head}${odd}]}`));
    expect(readRuleset(source).tables[0]!.chains[0]!.unread).toBe(true);
  });

  test("JSON that ends too early is cut", () => {
    expect(rulesetText(sourceOf("nft.json", `${head}${chain}`)).cut).toBe(true);
    expect(rulesetText(sourceOf("nft.json", `${head}${chain.slice(0, -1)}]}`)).cut).toBe(false);
  });
});
