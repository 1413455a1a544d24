import { describe, expect, it } from "vitest";
import { sourceOf } from "../../source.ts";
import { printRuleSpec } from "../rule/print.ts";
import { readCommands } from "./commands.ts";

const read = (text: string) => {
  const { facts, diagnostics } = readCommands(sourceOf("script", text), {});
  const commands = facts.flatMap((f) => (f.kind === "iptables-commands" ? f.commands : []));
  return { commands, diagnostics, codes: diagnostics.map((d) => d.code) };
};
const shown = (text: string) =>
  read(text).commands.map(({ table, family, operation: o }) =>
    [
      family,
      table,
      o.kind,
      "chain" in o ? o.chain : "",
      "position" in o ? o.position : "",
      "rule" in o ? printRuleSpec(o.rule, family) : "",
    ]
      .join(" ")
      .trim(),
  );

describe("iptables commands", () => {
  it("reads every operation, the table wherever it stands", () => {
    expect(
      shown(`
iptables -t nat -I POSTROUTING -s 172.31.12.0/24 -m comment --comment "edge fix" -j ACCEPT
iptables -I POSTROUTING 3 -t nat -o eth0 -j MASQUERADE
	sudo iptables -w 5 -A PREROUTING -i veth0 -t mangle -s ! 172.30.187.226  -j CONNMARK --set-mark 42
ip6tables --table=filter --append INPUT --protocol icmpv6 --jump ACCEPT
/sbin/iptables-legacy -D INPUT 4
iptables -D INPUT -i lo -j ACCEPT
iptables -R INPUT 2 -j DROP
iptables -F
iptables -t raw -F OUTPUT
iptables -N X; iptables -X X && iptables -E A B
iptables -P FORWARD ACCEPT
iptables -Z INPUT
iptables -C INPUT -j DROP || iptables -A INPUT -j DROP
`),
    ).toEqual([
      '4 nat insert POSTROUTING 1 -s 172.31.12.0/24 -m comment --comment "edge fix" -j ACCEPT',
      "4 nat insert POSTROUTING 3 -o eth0 -j MASQUERADE",
      "4 mangle append PREROUTING  ! -s 172.30.187.226/32 -i veth0 -j CONNMARK --set-xmark 0x2a/0xffffffff",
      "6 filter append INPUT  -p ipv6-icmp -j ACCEPT",
      "4 filter delete-number INPUT 4",
      "4 filter delete INPUT  -i lo -j ACCEPT",
      "4 filter replace INPUT 2 -j DROP",
      "4 filter flush",
      "4 raw flush OUTPUT",
      "4 filter new-chain X",
      "4 filter delete-chain X",
      "4 filter rename-chain A",
      "4 filter policy FORWARD",
      "4 filter zero INPUT",
      "4 filter check INPUT  -j DROP",
      "4 filter append INPUT  -j DROP",
    ]);
  });

  it("follows a line that goes on, and points into the line it means", () => {
    const { commands, diagnostics } = read(
      "iptables -t nat -A X \\\n  -p tcp --dport 99999 \\\n  -j DNAT --to 10.0.0.1:80\n",
    );
    expect(commands.length).toBe(1);
    expect(commands[0]!.origin).toMatchObject({ line: 1 });
    expect(diagnostics).toEqual([expect.objectContaining({ code: "iptables-bad-value", line: 2, column: 18 })]);
  });

  it("reads scripts: variables for the tool, keywords, pipes", () => {
    expect(
      shown("if ! $IPT -C INPUT -j DROP; then\n  $IP6TABLES -A INPUT -j DROP\nfi\niptables -nL | grep x\n"),
    ).toEqual(["4 filter check INPUT  -j DROP", "6 filter append INPUT  -j DROP"]);
    expect(read("if ! $IPT -C INPUT -j DROP; then\nfi\niptables -nL | grep x\n").codes).toEqual([]);
  });

  it("knows the back end by the tool's name", () => {
    expect(read("iptables-nft -F").commands[0]?.backend).toBe("nft");
    expect(read("iptables -F").commands[0]?.backend).toBe("unknown");
  });

  it("passes over what changes nothing, and says what it cannot read", () => {
    expect(read("iptables -nvL\niptables -t nat -S\niptables -V\n")).toMatchObject({ commands: [], codes: [] });
    expect(read("echo hello").codes).toEqual(["iptables-unknown-line"]);
    expect(read("iptables -t nta -F").codes).toEqual(["iptables-unknown-table"]);
    expect(read("iptables -A").codes).toEqual(["iptables-missing-chain"]);
    expect(read("iptables -P INPUT MAYBE").codes).toEqual(["iptables-bad-policy"]);
    expect(read("iptables -A INPUT -s $NET -j DROP").codes).toEqual(["iptables-bad-value"]);
  });
});
