import { readCaseFile } from "@hairpin/case/index.ts";
import { Askable } from "@hairpin/core/diagnose/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";
import { lineOf } from "@hairpin/core/remedy/commands.ts";
import type { Remedy } from "@hairpin/core/remedy/fix.ts";
import { deleteRule } from "@hairpin/core/remedy/fixes/netfilter/delete-rule.ts";
import { exemptFromMasquerade } from "@hairpin/core/remedy/fixes/netfilter/exempt-from-masquerade.ts";
import { masqueradeFlow } from "@hairpin/core/remedy/fixes/netfilter/masquerade-flow.ts";
import { scenesOf } from "@hairpin/core/remedy/scene.ts";
import { resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { describe, expect, test } from "vitest";

const CASE = `stacks:
  - { name: a, kind: client, dumps: nodes/a }
  - { name: r, kind: node, dumps: nodes/r }
  - { name: b, kind: client, dumps: nodes/b }
links:
  - { type: veth, ends: ["a:eth0", "r:ra"] }
  - { type: veth, ends: ["r:rb", "b:eth0"] }
listeners:
  - { stack: b, protocol: tcp, port: 8080 }
question: { from: stack/a, to: "10.2.0.2:8080", proto: tcp }
`;
const device = (index: number, name: string, address: string) =>
  `${index}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:00:00:00:0${index} brd ff:ff:ff:ff:ff:ff\n    inet ${address} scope global ${name}\n`;
const LO = "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536\n    inet 127.0.0.1/8 scope host lo\n";

/** A client, a router with these rules, a server with those; the server knows no way to the client unless it is told one. */
function worldWith(router: string, server: string, back = "10.1.0.0/24 via 10.2.0.1 dev eth0\n", to = "10.2.0.2:8080") {
  const files = {
    "nodes/a/ip-addr.txt": LO + device(2, "eth0", "10.1.0.2/24"),
    "nodes/a/ip-route.txt": "default via 10.1.0.1 dev eth0\n10.1.0.0/24 dev eth0 scope link src 10.1.0.2\n",
    "nodes/r/ip-addr.txt": LO + device(3, "ra", "10.1.0.1/24") + device(4, "rb", "10.2.0.1/24"),
    "nodes/r/ip-route.txt": "10.1.0.0/24 dev ra scope link src 10.1.0.1\n10.2.0.0/24 dev rb scope link src 10.2.0.1\n",
    "nodes/r/sysctl.txt": "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\n",
    "nodes/r/nft-list-ruleset.txt": router,
    "nodes/b/ip-addr.txt": LO + device(5, "eth0", "10.2.0.2/24"),
    "nodes/b/ip-route.txt": `${back}10.2.0.0/24 dev eth0 scope link src 10.2.0.2\n`,
    "nodes/b/nft-list-ruleset.txt": server,
  };
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const caseFile = readCaseFile("case.yaml", CASE.replace("10.2.0.2:8080", to));
  return new Askable({ inputs, reading: readCase(inputs, caseFile), notes: [], caseFile }, []);
}

/** What a fix proposes for the way that fails, and what becomes of it after each. */
function proposed(askable: Askable, remedy: Remedy) {
  const ask = (world: typeof askable.world) => {
    const resolved = resolveQuestion(world, askable.spec({}) as never);
    if (resolved.ok !== true) throw new Error("no question");
    return { question: resolved.question, exploration: trace(resolved.world, resolved.question, {}) };
  };
  const { question, exploration } = ask(askable.world);
  return scenesOf(question, exploration).flatMap((scene) =>
    remedy.propose(scene).map(({ commands }) => {
      const after = commands.reduce(
        (world, c) => askable.patched(`${c.stack}: ${lineOf(c)}`, world).world,
        askable.world,
      );
      return { lines: commands.map(lineOf), sees: ask(after).exploration.branches.map((b) => b.clientSees) };
    }),
  );
}

const PASSES = "table inet own {\n\tchain in {\n\t\ttype filter hook input priority filter; policy accept;\n\t}\n}\n";

describe("on a node of native nftables fixes are nft's", () => {
  test("MASQUERADE_FLOW makes a table of its own", () => {
    const router =
      "table ip site {\n\tchain dnat {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n\t\ttcp dport 80 dnat to 10.2.0.2:8080\n\t}\n}\n";
    const found = proposed(worldWith(router, PASSES, "", "10.1.0.1:80"), masqueradeFlow);
    expect(found.length).toBeGreaterThan(1);
    expect(new Set(found.flatMap((f) => f.sees))).toEqual(new Set(["connected"]));
    expect(found[0]?.lines).toEqual([
      "nft add table ip hairpin",
      "nft add chain ip hairpin postrouting '{ type nat hook postrouting priority 100 ; }'",
      `nft add rule ip hairpin postrouting meta l4proto tcp ct original ip daddr 10.1.0.1 ct original proto-dst 80 oifname '"rb"' masquerade comment '"hairpin"'`,
    ]);
  });

  test("EXEMPT_FROM_MASQUERADE accepts in the very chain that translates: in another it would not be asked", () => {
    const router =
      'table ip site {\n\tchain out {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t\toifname "rb" masquerade\n\t}\n}\n';
    const server =
      "table inet own {\n\tchain in {\n\t\ttype filter hook input priority filter; policy accept;\n\t\tip saddr 10.2.0.1 drop\n\t}\n}\n";
    const found = proposed(worldWith(router, server), exemptFromMasquerade);
    expect(found.map((f) => f.sees)).toEqual([["connected"], ["connected"]]);
    expect(found[1]?.lines).toEqual([
      `nft insert rule ip site out ip saddr 10.1.0.2 ip daddr 10.2.0.2 tcp dport 8080 accept comment '"hairpin"'`,
    ]);
  });

  test("beside kube-proxy's own table it translates to the same address: an accept would not keep that from being asked", () => {
    const router = `table ip kube-proxy {
	chain nat-prerouting {
		type nat hook prerouting priority dstnat; policy accept;
		ip daddr 10.96.0.1 tcp dport 80 meta mark set mark or 0x4000 dnat to 10.2.0.2:8080
	}
	chain nat-postrouting {
		type nat hook postrouting priority srcnat; policy accept;
		meta mark & 0x4000 != 0x0 masquerade fully-random
	}
}
`;
    const server =
      "table inet own {\n\tchain in {\n\t\ttype filter hook input priority filter; policy accept;\n\t\tip saddr 10.2.0.1 drop\n\t}\n}\n";
    const found = proposed(worldWith(router, server, undefined, "10.96.0.1:80"), exemptFromMasquerade);
    expect(found.map((f) => f.sees)).toEqual([["connected"], ["connected"]]);
    expect(found[1]?.lines).toEqual([
      "nft add table ip hairpin",
      "nft add chain ip hairpin postrouting '{ type nat hook postrouting priority 99 ; }'",
      `nft add rule ip hairpin postrouting ip saddr 10.1.0.2 ip daddr 10.2.0.2 tcp dport 8080 snat to 10.1.0.2 comment '"hairpin"'`,
    ]);
  });

  test("DELETE_RULE names a handle where the listing shows it, and nothing where it does not", () => {
    const rule = (handle: string) =>
      `table inet own {\n\tchain pass {\n\t\ttype filter hook forward priority filter; policy accept;\n\t\ttcp dport 8080 drop${handle}\n\t}\n}\n`;
    expect(proposed(worldWith(rule(" # handle 7"), PASSES), deleteRule)).toEqual([
      { lines: ["nft delete rule inet own pass handle 7"], sees: ["connected"] },
    ]);
    expect(proposed(worldWith(rule(""), PASSES), deleteRule)).toEqual([]);
  });
});
