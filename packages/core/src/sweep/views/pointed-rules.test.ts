import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { NODE } from "@hairpin/testing/dumps.ts";
import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../../net/index.ts";
import { PointedRules } from "./pointed-rules.ts";

const rulesOf = (lines: string): PointedRules => {
  const text = `0:\tfrom all lookup local\n${lines}32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n`;
  return new PointedRules(stackOf(assembled({ ...NODE, "nodes/a/ip-rule.txt": text }).world, "a"));
};

/** The asker is called the same, whoever it is. */
const met = (rules: PointedRules, address: string, other = "10.9.9.9"): string => {
  const own = parseAddress(address)!;
  return rules.text([own, parseAddress(other)!], (a) => (a === own ? "C" : formatAddress(a)));
};

const OWN = "512:\tfrom all to 10.1.0.5 lookup main\n512:\tfrom all to 10.1.0.6 lookup main\n";

describe("rules of routing by address", () => {
  it("are the same for everybody where none is for some", () => {
    expect(rulesOf("100:\tfrom all fwmark 0x1 lookup 7\n").isEmpty).toBe(true);
    expect(rulesOf(OWN).isEmpty).toBe(false);
  });

  it("tell nobody apart for whom the same is done by a rule of his own", () => {
    expect(met(rulesOf(OWN), "10.1.0.5")).toBe(met(rulesOf(OWN), "10.1.0.6"));
    expect(rulesOf(OWN).isAbout(parseAddress("10.1.0.6")!)).toBe(true);
    expect(rulesOf(OWN).isAbout(parseAddress("10.1.0.7")!)).toBe(false);
  });

  it.each([
    ["one without", "", "10.1.0.7"],
    ["another table", "1536:\tfrom 10.1.0.5 lookup 2\n1536:\tfrom 10.1.0.6 lookup 3\n", "10.1.0.6"],
    ["another place", "100:\tfrom all to 10.1.0.6 lookup main\n200:\tfrom all fwmark 0x1 lookup 7\n", "10.1.0.6"],
    ["a network", "1536:\tfrom 10.1.0.6/31 lookup 2\n", "10.1.0.6"],
    ["a blackhole", "100:\tfrom 10.1.0.6 blackhole\n", "10.1.0.6"],
    ["all but one", "100:\tnot from 10.1.0.6 lookup 7\n", "10.1.0.6"],
  ])("tell apart: %s", (_, more, other) => {
    const rules = rulesOf(more + OWN);
    expect(met(rules, "10.1.0.5")).not.toBe(met(rules, other));
  });

  it("are met in another order where they do something else in between", () => {
    const first =
      "100:\tfrom all to 10.1.0.5 lookup 7\n100:\tfrom 10.2.0.0/16 lookup 8\n100:\tfrom all to 10.1.0.6 lookup 7\n";
    const rules = rulesOf(first);
    expect(met(rules, "10.1.0.5", "10.2.0.1")).not.toBe(met(rules, "10.1.0.6", "10.2.0.1"));
    expect(met(rules, "10.1.0.5", "10.3.0.1")).toBe(met(rules, "10.1.0.6", "10.3.0.1"));
  });

  it("that are for who has not chosen a source yet are for everybody", () => {
    const rules = rulesOf("100:\tfrom 0.0.0.0/8 lookup 7\n");
    expect(met(rules, "10.1.0.5")).not.toBe(met(rulesOf("100:\tfrom 11.0.0.0/8 lookup 7\n"), "10.1.0.5"));
  });
});
