import { describe, expect, test } from "vitest";
import type { CaseFile } from "../../model/index.ts";
import { read } from "../../model/index.ts";
import { readCase } from "./read-case.ts";

const RULES = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";
const nodes = (files: Record<string, string>, caseFile?: CaseFile) =>
  readCase(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    caseFile,
  ).dumps.map((d) => [d.file, d.node.value, d.node.by, d.stack?.value]);

const EMPTY: CaseFile = {
  file: "case.yaml",
  nodes: [],
  stacks: [],
  links: [],
  loadBalancers: [],
  listeners: [],
  assume: [],
  fixes: [],
};
const origin = read("case.yaml", 1);

describe("whose a dump is", () => {
  test("with one node nothing need be said", () => {
    expect(nodes({ "ip-rule.txt": RULES })).toEqual([["ip-rule.txt", "node", "default", undefined]]);
  });
  test("the folder names it", () => {
    expect(nodes({ "nodes/a/ip-rule.txt": RULES, "nodes/a/pods/default/p/ip-rule.txt": RULES })).toEqual([
      ["nodes/a/ip-rule.txt", "a", "folder", undefined],
      ["nodes/a/pods/default/p/ip-rule.txt", "a", "folder", "default/p"],
    ]);
  });
  test("the prompt's name in a node's folder is the same node", () => {
    const text = `root@vm-0-3:~# ip rule\n${RULES}`;
    expect(nodes({ "nodes/a/x.txt": text, "nodes/a/ip-rule.txt": RULES })).toEqual([
      ["nodes/a/x.txt", "a", "folder", undefined],
      ["nodes/a/ip-rule.txt", "a", "folder", undefined],
    ]);
    expect(readCase([{ path: "nodes/a/x.txt", text }]).aliases).toEqual(new Map([["vm-0-3", "a"]]));
  });
  test("two names in one folder are two nodes", () => {
    const text = `root@n1:~# ip rule\n${RULES}root@n2:~# ip rule\n${RULES}`;
    expect(nodes({ "nodes/a/x.txt": text }).map((n) => n[1])).toEqual(["n1", "n2"]);
  });
  test("an unnamed dump beside one named node is that node's", () => {
    expect(nodes({ "a.txt": `[root@n1 ~]# ip rule\n${RULES}`, "b.txt": RULES }).map((n) => [n[1], n[2]])).toEqual([
      ["n1", "prompt"],
      ["n1", "default"],
    ]);
  });
  test("beside several it is not guessed", () => {
    const named = `[root@n1 ~]# ip rule\n${RULES}[root@n2 ~]# ip rule\n${RULES}`;
    expect(nodes({ "a.txt": named, "b.txt": RULES }).at(-1)).toEqual(["b.txt", "node", "default", undefined]);
  });
  test("a folder each without nodes/", () => {
    expect(nodes({ "n1/ip-rule.txt": RULES, "n2/ip-rule.txt": RULES }).map((n) => n[1])).toEqual(["n1", "n2"]);
    expect(nodes({ "dumps/ip-rule.txt": RULES, "logs/ip-rule.txt": RULES }).map((n) => n[1])).toEqual(["node", "node"]);
  });
  test("a prefix that several files share", () => {
    const files = {
      "n1-ip-rule.txt": RULES,
      "n1-ip-route.txt": "default via 10.0.0.1 dev eth0\n",
      "n2-ip-rule.txt": RULES,
      "n2-ip-addr.txt": RULES,
    };
    expect(nodes(files).map((n) => n[1])).toEqual(["n1", "n1", "n2", "n2"]);
    expect(nodes({ "my-ip-rule.txt": RULES }).map((n) => n[1])).toEqual(["node"]);
  });
  test("short and full host name are one machine", () => {
    const text = `[root@n1 ~]# ip rule\n${RULES}root@n1.example.com:~# ip rule\n${RULES}`;
    expect(nodes({ "a.txt": text }).map((n) => n[1])).toEqual(["n1", "n1"]);
  });
  test("case.yaml has the first word", () => {
    const caseFile: CaseFile = {
      ...EMPTY,
      nodes: [{ name: "left", files: [{ path: "a.txt" }], origin }],
      stacks: [{ name: "vm-1", kind: "vm", node: "left", dumps: ["vm"], addresses: [], origin }],
    };
    expect(nodes({ "a.txt": `[root@n1 ~]# ip rule\n${RULES}`, "vm/ip-rule.txt": RULES }, caseFile)).toEqual([
      ["a.txt", "left", "case.yaml", undefined],
      ["vm/ip-rule.txt", "left", "case.yaml", "vm-1"],
    ]);
  });
  test("case.yaml says what a file is", () => {
    const files = [{ path: "r.txt", command: "ip -6 route show table 9", routeTable: 7, moment: "after" as const }];
    const [dump] = readCase([{ path: "r.txt", text: "default via fe80::1 dev eth0\n" }], {
      ...EMPTY,
      nodes: [{ name: "n", files, origin }],
    }).dumps;
    expect(dump?.context).toMatchObject({
      command: ["ip", "-6", "route", "show", "table", "9"],
      family: { value: 6, by: "case.yaml" },
      routeTable: { value: 7, by: "case.yaml" },
      moment: { value: "after", by: "case.yaml" },
    });
  });
  test("a command above the dump outranks the file's name", () => {
    const [dump] = readCase([{ path: "iptables-S.raw.txt", text: "$ iptables -t nat -S\n-P INPUT ACCEPT\n" }]).dumps;
    expect(dump?.context.iptablesTable).toEqual({ value: "nat", by: "command" });
  });
});
