import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { readRule } from "../rule/rule.ts";
import { splitWords } from "../rule/words.ts";
import { type ChainBuilder, TableBuilder } from "../table/table-builder.ts";
import { FastReader } from "./fast.ts";

const ORIGIN = { kind: "read", file: "f", line: 1 } as const;

/** Both ways over the same line: where the fast one answers, it answers what the general one does, without complaint. */
function compare(spec: string, table: TableBuilder, fast: FastReader<ChainBuilder>, chain: string): "fast" | "general" {
  const quick = fast.read(spec, 0, table.entry(chain), 0, ORIGIN, undefined);
  if (quick === undefined) return "general";
  let complaints = 0;
  const rules = readRule(splitWords(spec), 0, {
    family: table.family,
    backend: table.backend,
    table: table.name,
    chain,
    origin: ORIGIN,
    counters: undefined,
    report: () => complaints++,
  });
  expect(complaints, spec).toBe(0);
  expect(rules.length, spec).toBe(1);
  expect(quick, spec).toEqual(rules[0]);
  return "fast";
}

const pieces = [
  "-s 10.0.0.1/32",
  "-s 10.0.0.0/8",
  "! -s 10.0.0.0/8",
  "-s 10.0.0.1",
  "-s 10.0.0.1/8",
  "-s 0.0.0.0/0",
  "-s 1.2.3.4/255.0.255.0",
  "-d 10.96.0.1/32",
  "! -d 127.0.0.0/8",
  "-d 10.0.0.1,10.0.0.2",
  "-s ::1/128",
  "-d 2001:db8::/32",
  "-i eth0",
  "! -o docker0",
  "-i +",
  "-i thisnameistoolong0",
  '-o a"b',
  "-p tcp",
  "-p udp",
  "! -p tcp",
  "-p icmp",
  "-p 6",
  "-p all",
  "-p ipv6-icmp",
  "-p nonsense",
  "-f",
  "! -f",
  "-c 1 2",
  '-m comment --comment "default/x:y cluster IP"',
  "-m comment --comment plain",
  '-m comment --comment "with -j inside"',
  '-m comment --comment "a\\"b"',
  '-m comment --comment "same"',
  '-m comment --comment "same"',
  '-m comment --comment "same"x',
  "-m comment --comment",
  '-m comment --comment "open',
  "-m tcp",
  "-m tcp --dport 80",
  "-m tcp ! --sport 1:2",
  "-m udp --dport 53",
  "-m multiport --dports 1,2",
  "-m mark --mark 0x1",
  "-m mark ! --mark 0x4000/0x4000",
  "-m addrtype --dst-type LOCAL",
  "-m set --match-set S dst,dst",
  "-m statistic --mode random --probability 0.5",
  "-m conntrack --ctstate NEW",
  "-m owner --uid-owner 1",
  "-m addtype --dst-type LOCAL",
  '-m string --algo bm --string "a -j b"',
  '-m string --string "a -m b" --algo bm',
  "-m mark --mark 0x1 -i eth0",
  "-j ACCEPT",
  "-j KUBE-X",
  "-j UNDECLARED",
  "-g KUBE-X",
  "-j MASQUERADE",
  "-j MARK --or-mark 0x4000",
  "-j DNAT --to-destination 10.0.0.1:80",
  "-j DNAT --to-destination 10.0.0.1:080",
  "-j DNAT --to-destination 10.0.0.1:80 --random",
  "-j DNAT --to-destination 10.0.0.256:80",
  "-j REJECT",
  "-j TCPMSS --set-mss 9",
  '-j LOG --log-prefix "a -m b "',
  "-j",
  "-m",
  "!",
  "-x",
  "--dport 80",
  "stray",
  "",
];

describe("the fast way and the general way", () => {
  for (const family of [4, 6] as const)
    for (const name of ["nat", "filter"] as const)
      for (const chain of ["KUBE-X", "PREROUTING"]) {
        it(`agree on random lines: IPv${family} ${name} ${chain}`, () => {
          const table = new TableBuilder(name, family, "unknown", ORIGIN, "whole");
          table.declare("KUBE-X", ORIGIN);
          const fast = new FastReader(table);
          let quick = 0;
          const part = fc.tuple(
            fc.constantFrom(...pieces),
            fc.constantFrom(" ", " ", " ", " ", " ", " ", "  ", "\t", ""),
          );
          fc.assert(
            fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
              const spec = parts.flatMap(([text, blank], at) => (at === 0 ? [text] : [blank, text])).join("");
              if (compare(spec, table, fast, chain) === "fast") quick++;
            }),
            { numRuns: 3000, seed: 7 },
          );
          expect(quick).toBeGreaterThan(50);
        });
      }

  it("takes the lines that kube-proxy writes", () => {
    const table = new TableBuilder("nat", 4, "unknown", ORIGIN, "whole");
    table.declare("KUBE-SVC-X", ORIGIN);
    const fast = new FastReader(table);
    for (const spec of [
      '-d 10.96.0.1/32 -p tcp -m comment --comment "a/b:c cluster IP" -m tcp --dport 443 -j KUBE-SVC-X',
      '! -s 10.244.0.0/16 -d 10.96.0.1/32 -p tcp -m comment --comment "a/b:c cluster IP" -m tcp --dport 443 -j KUBE-SVC-X',
      '-m comment --comment "a/b:c -> 10.0.0.1:6443" -m statistic --mode random --probability 0.33333333349 -j KUBE-SVC-X',
      '-p tcp -m comment --comment "a/b:c" -m tcp -j DNAT --to-destination 10.0.0.1:6443',
      "-m mark ! --mark 0x4000/0x4000 -j RETURN",
      "-j MARK --set-xmark 0x4000/0x4000",
    ])
      expect(compare(spec, table, fast, "KUBE-Y"), spec).toBe("fast");
  });
});
