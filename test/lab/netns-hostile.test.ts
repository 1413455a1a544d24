import type { Device, IptablesTable } from "@hairpin/core/model/index.ts";
import { realise, type Stimulus } from "@hairpin/lab/index.ts";
import { describe, expect, test } from "vitest";
import { openLab, support } from "./chain.ts";
import { device, ip, rule, stack, table, veth, world } from "./world.ts";

describe.skipIf(!support.usable)("text of a dump in the lab on the running kernel", () => {
  const { lab } = openLab();

  const pinged = (devices: readonly Device[], tables: readonly IptablesTable[], sysctls: Record<string, string>) => {
    const evil = [device("eth0", "veth", ["10.0.0.1/24"]), ...devices];
    const stacks = [
      stack("evil", "node", evil, [], { netfilter: { nativeNft: [], tables }, sysctls }),
      stack("peer", "node", [device("eth0", "veth", ["10.0.0.2/24"])]),
    ];
    const stimuli: readonly Stimulus[] = [{ kind: "ping", stack: "peer", to: ip("10.0.0.1") }];
    return realise(world(stacks, [veth("evil:eth0", "peer:eth0")]), { stimuli }).plan;
  };
  const commented = (text: string) => rule({ matches: [{ kind: "comment", text }], target: { kind: "accept" } });

  test("text of a dump reaches no shell and no option: nothing of such a plan is run", async () => {
    const other = rule({
      matches: [{ kind: "other", name: "x", options: ["--modprobe=/bin/false"] }],
      target: { kind: "drop" },
    });
    const hostile = {
      'device "q': pinged([device('"q', "veth")], [], {}),
      "device a;touch x": pinged([device("a;touch x", "bridge")], [], {}),
      "a comment of two lines": pinged([], [table("filter", { INPUT: [commented("two\n-P INPUT DROP")] })], {}),
      "an option of another's": pinged([], [table("filter", { INPUT: [other] })], {}),
      "a chain": pinged([], [table("filter", { "-N\nx": [] })], {}),
      "a value": pinged([], [], { "net.ipv4.ip_forward": "0\n1" }),
    };
    for (const [name, plan] of Object.entries(hostile)) {
      await expect(lab().run(plan), name).rejects.toThrow(/is not .* nothing was run/);
    }
  });

  test("a comment may hold anything in one line, and its rule is loaded", async () => {
    const unknown = rule({
      matches: [{ kind: "unknown", name: "x", text: "--modprobe=/bin/false" }],
      target: { kind: "drop" },
    });
    const texts = ['"\\" $(touch x) `y` \\', "-j DROP", "'; #", "--- 好 ---", `"${"q".repeat(900)}`];
    const sysctls = { "net.ipv4.ip_forward": "0", "net.ipv4./../../kernel/hostname": "x", "kernel.hostname": "x" };
    const seen = await lab().run(pinged([], [table("filter", { INPUT: [unknown, ...texts.map(commented)] })], sysctls));
    expect(seen.problems.map((p) => p.what)).toEqual(["legacy filter/INPUT rule 1"]);
    expect(seen.stimuli[0]!.result.outcome).toBe("connected");
    // The second rule is not reached: the first accepts.
    const counts = seen.states[0]!.ruleCounts.filter((c) => c.table === "filter" && c.chain === "INPUT");
    expect(counts.filter((c) => c.rule > 0).map((c) => c.packets)).toEqual([1, 0, 0, 0, 0]);
  });
});
