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
const rows = [
  { what: "an address", table: WITH_ADDRESS, patch: [] },
  { what: "no address", table: WITHOUT_ADDRESS, patch: ["n: ip addr del 10.12.200.9/24 dev eth1"] },
].flatMap(({ what, table, patch }) =>
  table.flatMap((row, all) =>
    row.map((expected, own) => ({
      name: `eth1 has ${what}, all ${all}, eth1 ${own}: ${expected}`,
      expected,
      patch: [
        ...patch,
        `n: sysctl -w net.ipv4.conf.all.rp_filter=${all}`,
        `n: sysctl -w net.ipv4.conf.eth1.rp_filter=${own}`,
      ],
    })),
  ),
);
const BASE = "rp-filter-strict-drops";

describe("rp_filter of all, of the device, with and without an address", () => {
  test.each(rows)("walk: $name", ({ expected, patch }) => {
    const { exploration } = loadConformance(BASE, patch);
    expect(exploration.facts).toEqual([]);
    const [branch] = exploration.branches;
    const leg = decisiveLeg(branch!);
    expect(expected === "taken" ? branch!.clientSees : `${leg.stack} ${leg.drop}`).toBe(
      expected === "taken" ? "connected" : "n IP_RPFILTER",
    );
  });

  describe.skipIf(!support.usable)("the running kernel", () => {
    let lab: LabBackend;
    beforeAll(async () => {
      lab = await openNetns();
    });
    afterAll(async () => {
      await lab?.close();
    });
    test.each(rows)("kernel: $name", async ({ expected, patch }) => {
      const { exploration, question } = loadConformance(BASE, patch);
      const result = await conform(lab, exploration, question, new Map());
      expect(result.differences).toEqual([]);
      expect(result.clientSees).toBe(expected === "taken" ? "connected" : "timeout");
    });
  });
});
