import { join } from "node:path";
import { diagnose, diagnosisJson } from "@hairpin/core/diagnose/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { CASES, openCase } from "../cases/bundled.ts";

const open = (name: string) => openCase(join(CASES, name)).askable;
const tried = (askable: Askable, patch: string) => {
  const fix = diagnose(askable, {}, [patch]).tried[0]?.fix;
  if (fix === undefined) throw new Error("nothing was tried");
  return { ...fix, said: fix.remarks.map((r) => say(r)) };
};

describe("a typed rule that matches nothing", () => {
  const vm = open("vm-behind-bridge-masqueraded");

  test("the rule as it was published: where the packet differs, and the nearest that does match", () => {
    const fix = tried(vm, "hv-1: iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -d 10.40.12.0/24 -j ACCEPT");
    expect(fix.proof.verdict).toBe("unreachable");
    expect(fix.said[0]).toContain("no packet of this flow matches");
    expect(fix.said.slice(1)).toEqual(["the rule requires -d 10.40.12.0/24; the packet has 10.40.30.200"]);
    expect(fix.nearest?.commands).toEqual([
      "hv-1: iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -d 10.40.30.0/24 -j ACCEPT",
    ]);
    expect(fix.nearest?.proof.verdict).toBe("reachable");
    expect(fix.nearest?.proof.flowsChecked).toBeGreaterThan(0);
  });

  test("every condition that fails is named and replaced, those that hold stay", () => {
    const fix = tried(
      vm,
      "hv-1: iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -d 10.9.9.9/32 -o eth7 -p tcp --dport 443 -j ACCEPT",
    );
    expect(fix.said.slice(1).map((s) => s.replace(/^the rule requires /, ""))).toEqual([
      "-d 10.9.9.9/32; the packet has 10.40.30.200",
      "-o eth7; the packet has brvm",
      "--dport 443; the packet has 8443",
    ]);
    const [command] = fix.nearest?.commands ?? [];
    expect(command).toBe(
      "hv-1: iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -d 10.40.30.200/32 -o brvm -p tcp -m tcp --dport 8443 -j ACCEPT",
    );
    expect(fix.nearest?.proof.verdict).toBe("reachable");
  });

  test("a rule that comes too late is moved to the front", () => {
    const fix = tried(vm, "hv-1: iptables -t nat -A POSTROUTING -s 10.40.12.0/24 -d 10.40.30.0/24 -j ACCEPT");
    expect(fix.proof.verdict).toBe("unreachable");
    expect(fix.said[1]).toMatch(/earlier rule of POSTROUTING .* has already decided/);
    expect(fix.nearest?.commands[0]).toContain("-I POSTROUTING -s 10.40.12.0/24 -d 10.40.30.0/24 -j ACCEPT");
    expect(fix.nearest?.proof.verdict).toBe("reachable");
  });

  test("a chain that the flow does not pass", () => {
    const fix = tried(vm, "hv-1: iptables -t nat -I OUTPUT -s 10.40.12.0/24 -j ACCEPT");
    expect(fix.said[1]).toMatch(/traverse .* in table nat of hv-1, not OUTPUT/);
    expect(fix.nearest).toBeDefined();
  });

  test("one that does match needs no neighbour", () => {
    const fix = tried(vm, "hv-1: iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -d 10.40.30.0/24 -j ACCEPT");
    expect([fix.proof.verdict, fix.remarks, fix.nearest]).toEqual(["reachable", [], undefined]);
    expect(fix.undo).toEqual(["hv-1: iptables -t nat -D POSTROUTING -s 10.40.12.0/24 -d 10.40.30.0/24 -j ACCEPT"]);
  });

  test("one that matches and does not help is not said to match nothing", () => {
    const fix = tried(vm, "hv-1: iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -j MASQUERADE");
    expect([fix.proof.verdict, fix.remarks]).toEqual(["unreachable", []]);
  });
});

describe("other typed patches", () => {
  const cards = open("pod-to-lb-two-cards");

  test("a value that was so before", () => {
    const fix = tried(cards, "sysctl -w net.ipv4.conf.eth0.rp_filter=1");
    expect([fix.proof.verdict, fix.said]).toEqual(["unreachable", ["net.ipv4.conf.eth0.rp_filter was 1 before"]]);
  });

  test("a routing rule that decides nothing", () => {
    const fix = tried(cards, "ip rule add from 10.99.0.0/16 lookup main pref 5");
    expect(fix.said[0]).toContain("no packet of this flow is routed by");
  });

  test("a routing rule that decides is not said to decide nothing, though it does not help", () => {
    const fix = tried(cards, "ip rule add fwmark 0x4000/0x4000 lookup main pref 900");
    expect([fix.proof.verdict, fix.remarks]).toEqual(["unreachable", []]);
  });

  test("what breaks other flows is listed", () => {
    const fix = tried(cards, "sysctl -w net.ipv4.ip_forward=0");
    expect(fix.proof.flowsChanged).toContainEqual(
      expect.objectContaining({ before: "reachable", after: "unreachable" }),
    );
  });

  test("a patch that does not say where is tried where the flow passes", () => {
    const vm = open("vm-behind-bridge-masqueraded");
    const fix = tried(vm, "iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -d 10.40.30.0/24 -j ACCEPT");
    expect([fix.proof.verdict, fix.said]).toEqual(["reachable", ["no node was given for it: tried on hv-1"]]);
  });

  test("a patch that no node takes is refused", () => {
    expect(() => diagnose(cards, {}, ["iptables -t nat -D POSTROUTING 99"])).toThrow(/has \d+ rules/);
  });
});

test("JSON has what was typed first, then the nearest rule, then what is proposed", () => {
  const vm = open("vm-behind-bridge-masqueraded");
  const typed = "hv-1: iptables -t nat -I POSTROUTING -s 10.40.12.0/24 -d 10.40.12.0/24 -j ACCEPT";
  const json = diagnosisJson(diagnose(vm, {}, [typed]), () => undefined) as {
    fixes: { code: string; proof: { verdict: string; kernel: null } }[];
  };
  expect(json.fixes.map((f) => [f.code, f.proof.verdict])).toEqual([
    ["TRIED", "unreachable"],
    ["NEAREST_RULE", "reachable"],
    ["EXEMPT_FROM_MASQUERADE", "reachable"],
    ["BRIDGE_NF_OFF", "reachable"],
  ]);
  expect(json.fixes.every((f) => f.proof.kernel === null)).toBe(true);
});

interface Expected {
  readonly question: { readonly from: string; readonly to: string; readonly proto: string };
  readonly tryFix?: Readonly<Record<string, string>>;
}

/** Documents whose fixes are known to work or not; they carry only part of the facts. */
describe.skipIf(!haveReference)("the printed cures", () => {
  const entries = haveReference
    ? Object.entries(referenceJson<Record<string, Expected>>("seeds", "expected.json")).flatMap(([file, e]) =>
        Object.entries(e.tryFix ?? {}).map(([patch, says]) => [file, patch, says, e.question] as const),
      )
    : [];
  test.each(entries)("%s: %s: %s", (file, patch, says, question) => {
    const askable = new Askable(loadCase([referencePath("seeds", file)]), []);
    const { judgement, fix } = diagnose(askable, question, [patch]).tried[0]!;
    const nothing = fix?.remarks.some((r) => r.id === "try.matches_nothing");
    expect(nothing).toBe(says === "matches nothing");
    // Where the document does not carry enough for a walk, nothing is claimed either way.
    expect(["undetermined", says === "works" ? "reachable" : "unreachable"]).toContain(judgement.verdict);
    if (says === "matches nothing") expect(fix?.nearest?.commands.join()).toContain("-d 172.32.4.0/24");
  });
});

describe("a field of a Service, typed", () => {
  const askable = open("nodeport-local-policy");
  const service = askable.world.kubernetes.services.find((s) => s.externalTrafficPolicy === "Local");
  const name = `svc/${service?.namespace}/${service?.name}`;

  test("is judged as everything else is, and lasts", () => {
    const fix = tried(askable, `${name} spec.externalTrafficPolicy=Cluster`);
    expect([fix.proof.verdict, fix.where, fix.undo]).toEqual([
      "reachable",
      [name],
      [`${name} spec.externalTrafficPolicy=Local`],
    ]);
    const costs = fix.costs.map((c) => c.id);
    expect(costs).toContain("cost.cluster");
    expect(costs).not.toContain("cost.reboot");
    expect(fix.lasting[0]?.lines[0]).toMatch(/^kubectl -n \S+ patch service \S+ -p /);
  });

  test("that is so already changes nothing", () => {
    const fix = tried(askable, `${name} spec.externalTrafficPolicy=Local`);
    expect(fix.proof.verdict).toBe(diagnose(askable, {}).judgement.verdict);
    expect(fix.proof.flowsChanged).toEqual([]);
  });
});
