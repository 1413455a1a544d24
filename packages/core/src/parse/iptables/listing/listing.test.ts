import { describe, expect, it } from "vitest";
import type { DumpContext } from "../../dialect.ts";
import { sourceOf } from "../../source.ts";
import { printRuleSpec } from "../rule/print.ts";
import { readListing } from "./reader.ts";

const read = (text: string, context: DumpContext = {}) => {
  const { facts, diagnostics } = readListing(sourceOf("list", text), context);
  const tables = facts.flatMap((f) => (f.kind === "iptables" ? f.tables : []));
  return {
    tables,
    diagnostics,
    codes: diagnostics.map((d) => d.code),
    rules: tables.flatMap((t) => t.chains.flatMap((c) => c.rules.map((r) => printRuleSpec(r, t.family)))),
  };
};

const NAT = `Chain PREROUTING (policy ACCEPT 12 packets, 3K bytes)
 pkts bytes target     prot opt in     out     source               destination         
  162M   64G KUBE-SERVICES  all  --  *      *       0.0.0.0/0            0.0.0.0/0            /* kubernetes service portals */

Chain INPUT (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination         

Chain OUTPUT (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination         

Chain POSTROUTING (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination         
    5   300 MASQUERADE  all  --  *      !docker0  172.17.0.0/16        0.0.0.0/0            random-fully

Chain KUBE-SERVICES (1 references)
 pkts bytes target     prot opt in     out     source               destination         
    0     0 KUBE-SVC-X  tcp  --  *      *      !10.244.0.0/16        10.96.0.1            /* default/kubernetes:https cluster IP */ tcp dpt:443
    0     0            6    --  cni0   *       0.0.0.0/0            0.0.0.0/0            [goto]  mark match ! 0x4000/0x4000

Chain KUBE-SVC-X (1 references)
 pkts bytes target     prot opt in     out     source               destination         
    0     0 DNAT       tcp  --  *      *       0.0.0.0/0            0.0.0.0/0            /* default/kubernetes:https */ statistic mode random probability 0.50000000000 tcp to:172.18.0.2:6443
    0     0 MARK       all  --  *      *       0.0.0.0/0            0.0.0.0/0            ! match-set A src match-set B dst,dst MARK or 0x4000
`;

describe("iptables -nvL", () => {
  it("gives the rules that iptables-save would print", () => {
    const { tables, rules, codes } = read(NAT);
    expect(codes).toEqual(["iptables-lossy-listing"]);
    expect(tables[0]).toMatchObject({ name: "nat", family: 4, extent: "whole" });
    expect(rules).toEqual([
      '-m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
      "-s 172.17.0.0/16 ! -o docker0 -j MASQUERADE --random-fully",
      '! -s 10.244.0.0/16 -d 10.96.0.1/32 -p tcp -m comment --comment "default/kubernetes:https cluster IP" -m tcp --dport 443 -j KUBE-SVC-X',
      "-i cni0 -p tcp -m mark ! --mark 0x4000/0x4000",
      '-p tcp -m comment --comment "default/kubernetes:https" -m statistic --mode random --probability 0.50000000000 -m tcp -j DNAT --to-destination 172.18.0.2:6443',
      "-m set ! --match-set A src -m set --match-set B dst,dst -j MARK --set-xmark 0x4000/0x4000",
    ]);
  });
  it("keeps exact counters and drops rounded ones", () => {
    const { tables } = read(NAT);
    const [prerouting, , , postrouting] = tables[0]!.chains;
    expect(prerouting!.counters).toBeUndefined();
    expect(prerouting!.rules[0]!.counters).toBeUndefined();
    expect(postrouting!.rules[0]!.counters).toEqual({ packets: 5, bytes: 300 });
    expect(postrouting!.rules[0]!.lossy).toBeUndefined();
  });
});

describe("iptables -L without -v", () => {
  const text = `Chain INPUT (policy DROP)
num  target     prot opt source               destination         
1    ACCEPT     all  --  anywhere             anywhere             ctstate RELATED,ESTABLISHED
2    ACCEPT     all  --  anywhere             anywhere            
3    REJECT     tcp  --  10.0.0.1             anywhere             tcp dpt:ssh flags:FIN,SYN,RST,ACK/SYN reject-with tcp-reset
`;
  it("hides interfaces: every rule is marked, and it is said once", () => {
    const { tables, diagnostics, rules } = read(text, { iptablesTable: { value: "filter", by: "command" } });
    expect(tables[0]!.chains[0]!.rules.every((r) => r.lossy)).toBe(true);
    expect(diagnostics.filter((d) => d.code === "iptables-lossy-listing").length).toBe(1);
    expect(diagnostics[0]!.message).toMatch(/interfaces/);
    expect(rules).toEqual([
      "-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
      "-j ACCEPT",
      "-s 10.0.0.1/32 -p tcp -m tcp --dport 22 --tcp-flags FIN,SYN,RST,ACK SYN -j REJECT --reject-with tcp-reset",
    ]);
  });
  it("takes kube-proxy's own rules at their word: it writes those of its chains without interfaces", () => {
    const { tables, rules, diagnostics } = read(
      `Chain KUBE-MARK-MASQ (8 references)
target     prot opt source               destination         
MARK       all  --  anywhere             anywhere             MARK or 0x4000

Chain KUBE-NODEPORTS (1 references)
target     prot opt source               destination         
KUBE-EXT-62GZHOJW2PQVC6NE  tcp  --  anywhere             127.0.0.0/8          /* till */ tcp dpt:30256 nfacct-name  localhost_nps_accepted_pkts

Chain IP-MASQ-AGENT (1 references)
target     prot opt source               destination         
MASQUERADE  all  --  anywhere             anywhere            
`,
      { iptablesTable: { value: "nat", by: "command" } },
    );
    expect(tables[0]!.chains.map((c) => [c.name, c.rules[0]!.lossy === true])).toEqual([
      ["KUBE-MARK-MASQ", false],
      ["KUBE-NODEPORTS", false],
      ["IP-MASQ-AGENT", true],
    ]);
    expect(rules[1]).toContain("-m nfacct --nfacct-name  localhost_nps_accepted_pkts");
    expect(diagnostics.filter((d) => d.severity !== "note")).toEqual([]);
  });
  it("of one chain is a partial table with a whole chain", () => {
    const { tables } = read(text, { command: ["iptables", "-L", "INPUT", "--line-numbers"] });
    expect(tables[0]).toMatchObject({
      extent: "partial",
      chains: [{ name: "INPUT", extent: "whole", policy: "DROP" }],
    });
  });
  it("reads columns that were set anew", () => {
    const { rules } = read(
      "Chain X (2 references)\ntarget           prot  opt  source    destination\nKUBE-MARK-MASQ   tcp   --   !10.200.0.0/16  10.32.0.1    /* a/b:c cluster IP */ tcp   dpt:https\n",
    );
    expect(rules).toEqual([
      '! -s 10.200.0.0/16 -d 10.32.0.1/32 -p tcp -m comment --comment "a/b:c cluster IP" -m tcp --dport 443 -j KUBE-MARK-MASQ',
    ]);
  });
});

describe("what a listing does not tell", () => {
  it("a rule whose chain was filtered away cannot be used, unless the command names it", () => {
    const line = "    0     0 DROP       all  --  *      *       10.0.0.1             0.0.0.0/0           \n";
    expect(read(line, { partial: { value: "grep", by: "command" } }).codes).toContain("iptables-no-chain");
    const named = read(line, { command: ["iptables", "-nvL", "INPUT"], partial: { value: "grep", by: "command" } });
    expect(named.tables[0]).toMatchObject({ chains: [{ name: "INPUT", extent: "partial" }] });
  });
  it("text that is not understood stays text; at the end it may be the target's", () => {
    const { tables, diagnostics } = read(
      "Chain X (1 references)\ntarget     prot opt source               destination         \nDROP       all  --  0.0.0.0/0            0.0.0.0/0            whatever 5 /* c */\nHMARK      all  --  0.0.0.0/0            0.0.0.0/0            HMARK mod 5\n",
    );
    expect(tables[0]!.chains[0]!.rules[0]!.matches).toContainEqual({
      kind: "unknown",
      name: "whatever",
      text: "whatever 5",
    });
    expect(tables[0]!.chains[0]!.rules[1]!.target).toEqual({
      kind: "unknown",
      name: "HMARK",
      text: "-j HMARK HMARK mod 5",
    });
    expect(diagnostics.find((d) => d.code === "iptables-unknown-text")).toMatchObject({
      line: 3,
      column: 63,
      length: 10,
    });
  });
  it("host names are no addresses", () => {
    const { tables, codes } = read(
      "Chain X (1 references)\ntarget     prot opt source               destination         \nDROP       all  --  node1.example        anywhere            \n",
    );
    expect(codes).toContain("iptables-bad-value");
    expect(tables[0]!.chains[0]!.rules[0]!.matches[0]).toMatchObject({ kind: "unknown", name: "-s" });
  });
  it("reads ip6tables, with and without the column opt", () => {
    const six =
      "Chain INPUT (policy ACCEPT)\ntarget     prot opt source               destination         \nACCEPT     tcp      fe80::/64            ::/0                 tcp dpt:22\nACCEPT     tcp  --  fe80::/64            ::/0                 tcp dpt:22\n";
    const wanted = "-s fe80::/64 -p tcp -m tcp --dport 22 -j ACCEPT";
    expect(read(six).rules).toEqual([wanted, wanted]);
    expect(read(six).tables[0]?.family).toBe(6);
  });
  it("starts a new table where the built-in chains come again", () => {
    const one = (policy: string) =>
      `Chain INPUT (policy ${policy})\ntarget     prot opt source               destination         \n\nChain FORWARD (policy ACCEPT)\n\nChain OUTPUT (policy ACCEPT)\n\n`;
    expect(read(one("ACCEPT") + one("DROP")).tables.length).toBe(2);
  });
});
