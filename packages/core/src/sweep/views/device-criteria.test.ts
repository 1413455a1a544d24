import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { filter, NODE, nat } from "@hairpin/testing/dumps.ts";
import { describe, expect, it } from "vitest";
import { chainNamed, type Rule } from "../../model/index.ts";
import { devicesTaken, inOrderOfDevices, takenText } from "./device-criteria.ts";

const rulesOf = (...criteria: readonly string[]): readonly Rule[] => {
  const lines = criteria.map((c) => `-A FORWARD ${c} -j DROP\n`).join("");
  const { world } = assembled({ ...NODE, "nodes/a/iptables-save.txt": nat() + filter(lines) });
  const table = stackOf(world, "a").netfilter.tables.find((t) => t.name === "filter")!;
  return chainNamed(table, "FORWARD")!.rules;
};

/** Packets come by the port of who asks, and go by the card. */
const USED = [
  { name: "veth12", called: "@C0" },
  { name: "eth0", called: "eth0" },
];

const taken = (criterion: string): string | undefined => {
  const found = devicesTaken(rulesOf(criterion)[0]!, USED);
  return found && takenText(found);
};

describe("what a rule says of devices", () => {
  it.each([
    ["a port by whose it is", "-i veth12", " -i {@C0}"],
    ["a device of the node by its name", "-o eth0", " -o {eth0}"],
    ["a wildcard by whom it takes", "-i veth1+", " -i {@C0}"],
    ["all but one, the same", "! -i eth0", " -i {@C0}"],
    ["all but somebody else's: nothing", "! -i veth13", ""],
    ["all: nothing", "-i +", ""],
    ["both", "-i veth12 -o eth0", " -i {@C0} -o {eth0}"],
  ])("%s", (_, criterion, text) => {
    expect(taken(criterion)).toBe(text);
  });

  it.each(["-i veth13", "-i veth1", "-o cali+", "! -i +", "-i veth12 -o veth13"])(
    "%s is for none of them",
    (criterion) => {
      expect(taken(criterion)).toBeUndefined();
    },
  );
});

describe("the order of lines for devices", () => {
  const linesOf = (...criteria: readonly string[]) =>
    inOrderOfDevices(
      rulesOf(...criteria).map((rule, at) => ({ line: `${at} ${criteria[at]}`, taken: devicesTaken(rule, USED)! })),
    ).map((l) => l.line.slice(2));

  it("says nothing where each is for others", () => {
    expect(linesOf("-i veth12", "-i eth0")).toEqual(linesOf("-i eth0", "-i veth12"));
  });

  it.each([
    ["-i veth12", "-i +"],
    ["-i veth12", "-o eth0"],
    ["! -i eth0", "-i veth12"],
  ])("counts where a packet may be taken by both: %s, %s", (one, other) => {
    expect(linesOf(one, other)).not.toEqual(linesOf(other, one));
  });

  it("counts beside a line between them that is for both", () => {
    expect(linesOf("-i veth12", "-i +", "-i eth0")).toEqual(["-i veth12", "-i +", "-i eth0"]);
  });
});
