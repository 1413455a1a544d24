import { haveReference, referenceFiles, referenceText } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { check } from "../../packages/core/src/check/index.ts";
import { type CaseReading, type Facts, readCase } from "../../packages/core/src/parse/index.ts";

const FILES = [
  "000_14bb5d1f7852a702",
  "001_d896be209be6cb8a",
  "002_b656ce9fd90f71e5",
  "003_f784638ae3ca639f",
  "004_70f7e914daa19207",
].map((n) => `${n}.txt`);
const inputOf = (n: number) => ({ path: FILES[n]!, text: referenceText("seeds", FILES[n]!) });
const seed = (n: number): CaseReading => readCase([inputOf(n)]);

const rows = (reading: CaseReading) =>
  reading.dumps.map((d) => [d.node.value, d.stack?.value ?? null, d.dialect.id, d.lines[0], d.lines[1]]);
const factsOf = <K extends Facts["kind"]>(
  reading: CaseReading,
  kind: K,
  stack?: string,
): Extract<Facts, { kind: K }>[] =>
  reading.dumps
    .filter((d) => d.stack?.value === stack)
    .flatMap((d) => d.reading.facts.flatMap((f) => (f.kind === kind ? [f as Extract<Facts, { kind: K }>] : [])));

/** What is not understood in a document, as line and text. */
const complaints = (n: number) => {
  const input = inputOf(n);
  return check(readCase([input]), [input]).notUnderstood.map((d) => [d.line, d.code]);
};

describe.skipIf(!haveReference)("the five documents Hairpin was born from", () => {
  test("nothing else is among them", () => {
    expect(
      referenceFiles("seeds")
        .filter((f) => f.endsWith(".txt"))
        .map((f) => f.split("/").at(-1)),
    ).toEqual(FILES);
  });

  describe("0: a VM cannot reach a load balancer", () => {
    test("captures of two machines, rules of one that nobody names, and the proposed command", () => {
      expect(rows(seed(0))).toEqual([
        ["k8s-1", null, "tcpdump", 27, 37],
        ["k8s-2", null, "tcpdump", 42, 53],
        ["node", null, "iptables-save", 82, 87],
        ["node", null, "iptables-save", 92, 97],
        ["node", null, "iptables-save", 102, 107],
        ["node", null, "iptables-commands", 123, 123],
      ]);
    });
    test("sixteen rules, none of them known to be all", () => {
      const tables = factsOf(seed(0), "iptables").flatMap((f) => f.tables);
      expect(tables.flatMap((t) => t.chains.flatMap((c) => c.rules)).length).toBe(16);
      expect(tables.every((t) => t.extent === "partial")).toBe(true);
      expect(
        factsOf(seed(0), "iptables-commands")
          .flatMap((f) => f.commands)
          .map((c) => [c.table, c.operation.kind]),
      ).toEqual([["nat", "insert"]]);
    });
    test("all of it is understood", () => expect(complaints(0)).toEqual([]));
  });

  describe("1: a node cannot reach a Service by its physical card", () => {
    test("what is in it", () => {
      expect(rows(seed(1)).map((r) => r.slice(2))).toEqual([
        ["client", 45, 61],
        ["client", 66, 66],
        ["iptables-commands", 72, 75],
        ["iptables-commands", 80, 94],
        ["kernel-log", 98, 103],
        ["kernel-log", 107, 112],
        ["tcpdump", 128, 137],
        ["tcpdump", 141, 150],
        ["tcpdump", 157, 161],
        ["tcpdump", 166, 170],
      ]);
    });
    test("the log names the machine", () => {
      expect(
        seed(1)
          .dumps.filter((d) => d.dialect.id === "kernel-log")
          .map((d) => d.node),
      ).toEqual([
        { value: "slave1", by: "content" },
        { value: "slave1", by: "content" },
      ]);
    });
    test("eighteen commands: four tables flushed, fourteen LOG rules", () => {
      const commands = factsOf(seed(1), "iptables-commands").flatMap((f) => f.commands.map((c) => c.operation));
      expect(commands.filter((c) => c.kind === "flush")).toHaveLength(4);
      const rules = commands.flatMap((c) => ("rule" in c ? [c.rule.target.kind] : []));
      expect(rules).toEqual(Array<string>(14).fill("log"));
    });
    test("the device of the two captures whose command is shown", () => {
      expect(
        seed(1).dumps.flatMap((d) => (d.context.captureDevice === undefined ? [] : [d.context.captureDevice.value])),
      ).toEqual(["flannel0", "flannel0"]);
    });
    test("all of it is understood", () => expect(complaints(1)).toEqual([]));
  });

  describe("2: a CNI plugin cannot reach the LoadBalancer address", () => {
    test("what is in it, and the pod behind nsenter", () => {
      expect(rows(seed(2))).toEqual([
        ["node", "nsenter:188058", "client", 14, 14],
        ["node", null, "ipvsadm-ln", 29, 37],
        ["node", null, "ip-rule", 115, 137],
        ["node", "nsenter:188058", "ip-addr", 139, 146],
        ["node", null, "ip-route", 148, 156],
        ["node", null, "ip-route", 159, 160],
        ["node", null, "ip-link", 163, 184],
        ["node", null, "ipset-list", 269, 281],
        ["node", null, "iptables-save", 284, 345],
        ["node", null, "tcpdump", 362, 370],
        ["node", null, "tcpdump", 385, 393],
        ["node", null, "iptables-commands", 466, 467],
        ["node", null, "ip-commands", 468, 470],
      ]);
    });
    test("23 routing rules", () => {
      const [rules] = factsOf(seed(2), "routing-rules");
      expect(rules?.rules).toHaveLength(23);
      expect(rules?.extent).toBe("whole");
    });
    test("two route tables", () => {
      const routes = factsOf(seed(2), "routes");
      expect(routes.map((r) => [r.tables, r.routes.length, r.extent])).toEqual([
        [[254], 9, "whole"],
        [[1003], 2, "whole"],
      ]);
    });
    test("one ipset with five members, which proves nothing about other sets", () => {
      const [sets] = factsOf(seed(2), "ipset");
      expect(sets?.sets.map((s) => [s.name, s.entries.length, s.extent])).toEqual([["KUBE-LOAD-BALANCER", 5, "whole"]]);
      expect(sets?.extent).toBe("partial");
    });
    test("three iptables tables", () => {
      const tables = factsOf(seed(2), "iptables").flatMap((f) => f.tables);
      expect(tables.map((t) => [t.name, t.chains.length, t.chains.flatMap((c) => c.rules).length, t.extent])).toEqual([
        ["mangle", 6, 0, "whole"],
        ["filter", 7, 9, "whole"],
        ["nat", 12, 16, "whole"],
      ]);
    });
    test("two IPVS services through grep: partial", () => {
      const [ipvs] = factsOf(seed(2), "ipvs");
      expect(ipvs?.services.map((s) => s.realServers.length)).toEqual([3, 3]);
      expect(ipvs?.extent).toBe("partial");
    });
    test("the pod's own addresses, its eth0 paired with index 29; the node's devices without addresses", () => {
      const [pod] = factsOf(seed(2), "devices", "nsenter:188058");
      expect(pod?.devices.map((d) => [d.name, d.index, d.peer?.index, d.addresses.length])).toEqual([
        ["lo", 1, undefined, 1],
        ["eth0", 28, 29, 1],
      ]);
      const [node] = factsOf(seed(2), "devices");
      expect(node?.devices).toHaveLength(11);
      expect(node?.devices.find((d) => d.index === 29)?.peer?.index).toBe(28);
      expect(node?.devices.every((d) => d.addresses.length === 0 && !d.addressesKnown)).toBe(true);
    });
    test("all of it is understood", () => expect(complaints(2)).toEqual([]));
  });

  describe("3: a pod cannot reach itself from outside", () => {
    test("what is in it", () => {
      expect(rows(seed(3)).map((r) => r.slice(2))).toEqual([
        ["client", 27, 30],
        ["client", 50, 52],
        ["tcpdump", 65, 66],
      ]);
    });
    test("the placeholder is unified with the address the ICMP message quotes", () => {
      expect(seed(3).placeholders.map((p) => [p.name, p.value, p.origins.map((o) => o.line)])).toEqual([
        ["<SLB-IP>", "139.224.167.163", [66]],
      ]);
    });
    test("all of it is understood", () => expect(complaints(3)).toEqual([]));
  });

  describe("4: a load balancer that loops back", () => {
    test("what is in it, per machine", () => {
      expect(rows(seed(4))).toEqual([
        ["M-46-151-centos", null, "diff", 34, 66],
        ["node", null, "iptables-save", 81, 81],
        ["tx-ms-k8s-node-32160", null, "iptables-save", 89, 96],
        ["tx-ms-k8s-node-32160", null, "ipset-list", 98, 99],
        ["tx-ms-k8s-node-32160", null, "iptables-save", 101, 104],
        ["VM-96-12-centos", null, "iptables-save", 118, 125],
        ["VM-96-12-centos", null, "ipset-list", 127, 138],
        ["VM-96-12-centos", null, "iptables-save", 140, 144],
        ["VM-96-12-centos", null, "ipset-list", 146, 155],
      ]);
    });
    test("what went through grep is partial", () => {
      expect(
        seed(4)
          .dumps.filter((d) => d.context.partial !== undefined)
          .map((d) => d.lines[0]),
      ).toEqual([89, 98, 101, 118, 140]);
    });
    test("the sets of the two machines stay apart", () => {
      const sets = seed(4).dumps.flatMap((d) =>
        d.reading.facts.flatMap((f) =>
          f.kind === "ipset" ? f.sets.map((s) => [d.node.value, s.name, s.entries.length]) : [],
        ),
      );
      expect(sets).toEqual([
        ["tx-ms-k8s-node-32160", "KUBE-LOAD-BALANCER", 2],
        ["VM-96-12-centos", "KUBE-LOAD-BALANCER", 4],
        ["VM-96-12-centos", "KUBE-LOAD-BALANCER-LOCAL", 2],
      ]);
    });
    test("only the lines a screenshot reader damaged are not understood", () => {
      const lines = complaints(4).map(([line]) => line);
      // `-m addtype` for addrtype, on both machines; the chain that jumps to itself.
      expect([...new Set(lines)].sort()).toEqual([123, 142, 94]);
    });
    test("the chain that jumps to itself is a contradiction", () => {
      const input = inputOf(4);
      expect(
        check(readCase([input]), [input])
          .contradictions.filter((c) => c.code === "CHAIN_LOOP")
          .map((c) => c.evidence.map((e) => e.line)),
      ).toEqual([[142]]);
    });
  });
});
