import { dialect } from "@hairpin/testing/segments.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printFdb } from "../../packages/core/src/parse/bridge/fdb.ts";
import type { Facts } from "../../packages/core/src/parse/facts.ts";
import { fdbCommand } from "../../packages/core/src/parse/iproute2/command/to-commands.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { bare, canNetns, haveTool, Netns } from "./netns.ts";

function factsOf<K extends Facts["kind"]>(kind: K, id: string, text: string, command?: readonly string[]) {
  const reading = dialect(id).read(sourceOf("x", text), command === undefined ? {} : { command });
  expect(reading.diagnostics).toEqual([]);
  const facts = reading.facts.find((f): f is Extract<Facts, { kind: K }> => f.kind === kind);
  if (facts === undefined) throw new Error(`no ${kind} in ${text}`);
  return facts;
}

function build(ns: Netns): void {
  for (const command of [
    "link add br0 type bridge",
    "link add v0 type veth peer name v1",
    "link add v2 type veth peer name v3",
    "link add vx0 type vxlan id 42 local 10.0.0.1 dev v1 dstport 8472 nolearning",
    "link set v0 master br0",
    "link set v2 master br0",
    "link set v0 type bridge_slave hairpin on",
    "link set v2 type bridge_slave isolated on learning off",
    "link set br0 up",
    "link set v0 up",
    "link set v1 up",
    "link set v2 up",
    "link set v3 up",
    "link set vx0 up",
  ])
    ns.must(...command.split(" "));
}
const ENTRIES: readonly string[] = [
  "02:00:00:00:00:01 dev v0 master permanent",
  "02:00:00:00:00:02 dev v0 master static",
  "02:00:00:00:00:03 dev vx0 dst 10.0.0.9 self permanent",
  "02:00:00:00:00:03 dev vx0 dst 10.0.0.10 self permanent",
  "02:00:00:00:00:04 dev vx0 dst fd00::9 self permanent",
  "02:00:00:00:00:05 dev vx0 dst 10.0.0.9 port 4789 vni 77 via v1 self permanent",
  "00:00:00:00:00:00 dev vx0 dst 10.0.0.11 self permanent",
];

describe.skipIf(!canNetns || !haveTool("bridge"))("bridges of a real kernel", () => {
  let ns: Netns;
  const opened: Netns[] = [];
  beforeAll(() => {
    ns = new Netns();
    opened.push(ns);
    build(ns);
    for (const entry of ENTRIES) {
      const result = ns.exec("bridge", "fdb", "append", ...entry.split(" "));
      if (!result.ok && !entry.includes("fd00")) throw new Error(`${entry}: ${result.error}`);
    }
  });
  afterAll(() => {
    for (const n of opened) n.close();
  });

  test("bridge link", () => {
    const details = ns.exec("bridge", "-d", "link").out;
    const facts = factsOf("devices", "bridge-link", details, ["bridge", "-d", "link"]);
    const json = factsOf("devices", "bridge-json", ns.exec("bridge", "-j", "-d", "link").out, [
      "bridge",
      "-j",
      "-d",
      "link",
    ]);
    expect(bare(json.devices)).toEqual(bare(facts.devices));
    const byContent = factsOf("devices", "ip-json", ns.exec("bridge", "-j", "-d", "link").out);
    expect(bare(byContent.devices)).toEqual(bare(facts.devices));
    expect(facts.devices.map((d) => [d.name, d.master, d.port?.hairpin, d.port?.isolated, d.port?.learning])).toEqual([
      ["v0", "br0", true, false, true],
      ["v2", "br0", false, true, false],
      ["br0", undefined, undefined, undefined, undefined],
    ]);
    const plain = factsOf("devices", "bridge-link", ns.exec("bridge", "link").out, ["bridge", "link"]);
    expect(plain.devices.map((d) => [d.name, d.port?.hairpin])).toEqual([
      ["v0", undefined],
      ["v2", undefined],
      ["br0", undefined],
    ]);
    const linked = factsOf("devices", "ip-link", ns.must("-d", "link"), ["ip", "-d", "link"]);
    for (const d of facts.devices.filter((x) => x.port !== undefined)) {
      const { proxyArp: _, ...same } = linked.devices.find((x) => x.name === d.name)!.port!;
      expect(bare(d.port)).toEqual(bare(same));
    }
  });

  test("bridge fdb: read alike in every form, printed back, made again", () => {
    const text = ns.exec("bridge", "fdb").out;
    const facts = factsOf("fdb", "bridge-fdb", text, ["bridge", "fdb"]);
    expect(`${facts.entries.map(printFdb).join("\n")}\n`).toBe(text);
    const json = factsOf("fdb", "bridge-json", ns.exec("bridge", "-j", "fdb").out, ["bridge", "-j", "fdb"]);
    const key = (e: (typeof facts.entries)[number]) => ({ ...(bare(e) as object), flags: [...e.flags].sort() });
    expect(json.entries.map(key)).toEqual(facts.entries.map(key));
    const one = factsOf("fdb", "bridge-fdb", ns.exec("bridge", "fdb", "show", "dev", "vx0").out, [
      "bridge",
      "fdb",
      "show",
      "dev",
      "vx0",
    ]);
    expect(one.extent).toBe("partial");
    expect(bare(one.entries)).toEqual(bare(facts.entries.filter((e) => e.device === "vx0")));

    const second = new Netns();
    opened.push(second);
    build(second);
    const made = facts.entries.filter((e) => e.destination !== undefined || /^02:00:00/.test(e.mac));
    for (const entry of made) expect(second.exec("bridge", ...fdbCommand(entry)).error).toBe("");
    const again = factsOf("fdb", "bridge-fdb", second.exec("bridge", "fdb").out, ["bridge", "fdb"]).entries;
    // The kernel lists a hash table: in another order in each namespace.
    const own = (list: typeof again): string[] =>
      list
        .filter((e) => /^(02:00:00|00:00:00)/.test(e.mac))
        .map(printFdb)
        .sort();
    expect(own(again)).toEqual(own(facts.entries));
  });

  test.skipIf(!haveTool("brctl"))("brctl", () => {
    const facts = factsOf("devices", "brctl-show", ns.exec("brctl", "show").out, ["brctl", "show"]);
    expect(facts.devices.map((d) => [d.name, d.kind, d.master]).sort()).toEqual([
      ["br0", "bridge", undefined],
      ["v0", "unknown", "br0"],
      ["v2", "unknown", "br0"],
    ]);
    const macs = factsOf("fdb", "brctl-showmacs", ns.exec("brctl", "showmacs", "br0").out, [
      "brctl",
      "showmacs",
      "br0",
    ]);
    expect(macs.entries.some((e) => e.mac === "02:00:00:00:00:01" && e.master === "br0")).toBe(true);
  });

  test("hairpin_mode files, however they were printed", () => {
    const path = (port: string): string => `/sys/class/net/${port}/brport/hairpin_mode`;
    const want = [
      ["v0", true],
      ["v2", false],
    ];
    const seen = (text: string, command?: readonly string[]): unknown =>
      factsOf("devices", "hairpin-mode", text, command).devices.map((d) => [d.name, d.port?.hairpin]);
    // Linux shows the /sys of the process that mounted it; ip netns exec mounts one for the namespace.
    const grep = ["grep", ".", path("v0"), path("v2")];
    expect(seen(ns.exec(...grep).out, grep)).toEqual(want);
    expect(seen(ns.exec(...grep).out)).toEqual(want);
    const cat = ["cat", path("v0"), path("v2")];
    expect(seen(ns.exec(...cat).out, cat)).toEqual(want);
    const head = ["head", path("v0"), path("v2")];
    expect(seen(ns.exec(...head).out, head)).toEqual(want);
    expect(seen("/sys/devices/virtual/net/br0/brif/v0 1\n/sys/devices/virtual/net/br0/brif/v2 0")).toEqual(want);
    expect(seen("v0: 1\nv2: 0")).toEqual(want);
  });
});
