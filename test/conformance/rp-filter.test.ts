import { decisiveLeg } from "@hairpin/core/trace/index.ts";
import { conform } from "@hairpin/lab/conform.ts";
import { type LabBackend, netnsSupport, openNetns } from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConformance } from "./cases.ts";

const support = netnsSupport();
if (!support.usable) console.warn(`SKIPPED: rp_filter on the running kernel: ${support.reasons.join("; ")}`);

/**
 * SPEC 7; experiment 03 (A, B). A packet comes in by eth1, its way back is eth0. Rows: net.ipv4.conf.all.rp_filter; columns:
 * that of eth1. With an address on eth1 the larger of the two decides: 0 and 2 take it, 1 does not. Without one only 0 does.
 */
const WITH_ADDRESS = [
  //  0        1        2
  ["taken", "dropped", "taken"], // all = 0
  ["dropped", "dropped", "taken"], // all = 1
  ["taken", "taken", "taken"], // all = 2
];
const WITHOUT_ADDRESS = [
  ["taken", "dropped", "dropped"],
  ["dropped", "dropped", "dropped"],
  ["dropped", "dropped", "dropped"],
];
/** Experiment 03 (C, C2): no way back, or one that leads nowhere, is refused by any rp_filter but 0. */
const NO_WAY_BACK = WITHOUT_ADDRESS;
/** Experiment 03 (D): an answer that is given back its pod's address before it is validated; eth0 has an address. */
const AFTER_DE_NAT = WITH_ADDRESS;

const STRICT = "rp-filter-strict-drops";
const NO_DEFAULT = "n: ip route del default";
const rows = [
  { base: STRICT, device: "eth1", what: "it has an address", table: WITH_ADDRESS, answered: true, patch: [] },
  {
    base: STRICT,
    device: "eth1",
    what: "it has no address",
    table: WITHOUT_ADDRESS,
    answered: true,
    patch: ["n: ip addr del 10.12.200.9/24 dev eth1"],
  },
  { base: STRICT, device: "eth1", what: "no way back", table: NO_WAY_BACK, answered: false, patch: [NO_DEFAULT] },
  ...["unreachable", "blackhole", "prohibit"].map((type) => ({
    base: STRICT,
    device: "eth1",
    what: `the way back is ${type}`,
    table: NO_WAY_BACK,
    answered: false,
    patch: [`n: ip route add ${type} 198.51.100.0/24`],
  })),
  {
    base: "rp-filter-after-de-nat",
    device: "eth0",
    what: "after de-NAT",
    table: AFTER_DE_NAT,
    answered: true,
    patch: [],
  },
].flatMap(({ base, device, what, table, answered, patch }) =>
  table.flatMap((row, all) =>
    row.map((expected, own) => ({
      base,
      name: `${what}: all ${all}, ${device} ${own}: ${expected}`,
      expected,
      // Where there is no way back, what is taken is not answered.
      answered,
      patch: [
        ...patch,
        `n: sysctl -w net.ipv4.conf.all.rp_filter=${all}`,
        `n: sysctl -w net.ipv4.conf.${device}.rp_filter=${own}`,
      ],
    })),
  ),
);

describe("rp_filter of all, of the device, with and without an address", () => {
  test.each(rows)("walk: $name", ({ base, expected, answered, patch }) => {
    const { exploration } = loadConformance(base, patch);
    expect(exploration.facts).toEqual([]);
    const [branch] = exploration.branches;
    const leg = decisiveLeg(branch!);
    const fate = branch!.clientSees === "connected" ? "connected" : `${leg.stack} ${leg.drop}`;
    expect(fate).toBe(expected === "dropped" ? "n IP_RPFILTER" : answered ? "connected" : "n IP_OUTNOROUTES");
  });

  describe.skipIf(!support.usable)("the running kernel", () => {
    let lab: LabBackend;
    beforeAll(async () => {
      lab = await openNetns();
    });
    afterAll(async () => {
      await lab?.close();
    });
    test.each(rows)("kernel: $name", async ({ base, expected, answered, patch }) => {
      const { exploration, question } = loadConformance(base, patch);
      const result = await conform(lab, exploration, question, new Map());
      expect(result.differences).toEqual([]);
      expect(result.clientSees).toBe(expected === "taken" && answered ? "connected" : "timeout");
    });
  });
});
