import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadCase } from "./load.ts";

let top = "";
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hairpin-base-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function files(texts: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
}

const TOPOLOGY = {
  "topologies/pair/case.yaml":
    "stacks:\n  - { name: a, kind: node, dumps: nodes/a }\nlisteners:\n  - { stack: a, port: 80 }\n",
  "topologies/pair/nodes/a/ip-route.txt": "default via 10.0.0.1 dev eth0\n",
  "topologies/pair/nodes/a/sysctl.txt": "net.ipv4.ip_forward = 1\n",
};

test("a case holds what differs from its topology", () => {
  files({
    ...TOPOLOGY,
    "one/case.yaml": "base: pair\nlisteners:\n  - { stack: a, port: 53 }\n",
    "one/nodes/a/sysctl.txt": "net.ipv4.ip_forward = 0\n",
    "one/nodes/a/ip-addr.txt": "1: lo: <LOOPBACK> mtu 65536\n",
  });
  const { inputs, caseFile } = loadCase([join(top, "one")]);
  expect(inputs.map((i) => [i.path, i.text?.trim().split("\n")[0]])).toEqual([
    ["case.yaml", "base: pair"],
    ["topologies/pair/case.yaml", "stacks:"],
    ["nodes/a/ip-addr.txt", "1: lo: <LOOPBACK> mtu 65536"],
    ["nodes/a/ip-route.txt", "default via 10.0.0.1 dev eth0"],
    ["nodes/a/sysctl.txt", "net.ipv4.ip_forward = 0"],
  ]);
  expect(caseFile?.stacks.map((s) => [s.name, s.origin])).toEqual([
    ["a", { kind: "read", file: "topologies/pair/case.yaml", line: 2 }],
  ]);
  expect(caseFile?.listeners.map((l) => l.port)).toEqual([53]);
});

test.each(["../secret", "/etc", "a/b", ".."])("base %s is no name", (base) => {
  files({ ...TOPOLOGY, "one/case.yaml": `base: ${base}\n` });
  expect(() => loadCase([join(top, "one")])).toThrow("case.yaml:1: base is not the name of a folder in topologies");
});

test("a topology that is missing, or that a link stands for, is an error and not an empty network", () => {
  files({ ...TOPOLOGY, "one/case.yaml": "base: other\n" });
  symlinkSync(join(top, "topologies/pair"), join(top, "topologies/other"));
  expect(() => loadCase([join(top, "one")])).toThrow("case.yaml:1: base other: no folder ../topologies/other");
});
