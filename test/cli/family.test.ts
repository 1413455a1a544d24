import { describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";

const CASE = "cases/dual-stack-firewall";
interface Answer {
  readonly verdict: string;
  readonly families?: readonly {
    readonly family: number;
    readonly verdict: string;
    readonly causes: readonly string[];
  }[];
  readonly familiesText?: string;
  readonly causes: readonly { readonly code: string }[];
}
const ask = async (...more: readonly string[]) => {
  const { out, status } = await hairpin("diagnose", CASE, "--json", ...more);
  return { status, answer: JSON.parse(out) as Answer };
};

describe("--family", () => {
  test("both: the failing family leads, and what becomes of clients is said", async () => {
    const { answer, status } = await ask("--family", "both");
    expect(answer.verdict).toBe("intermittent");
    expect(answer.families?.map((f) => [f.family, f.verdict])).toEqual([
      [6, "unreachable"],
      [4, "reachable"],
    ]);
    expect(answer.causes.map((c) => c.code)).toEqual(["NEIGHBOUR_DISCOVERY_FILTERED"]);
    expect(answer.familiesText).toMatch(/^IPv6 fails, IPv4 works: clients connect late/);
    expect(status).toBe(1);
  });

  test("4 and 6 ask one", async () => {
    const four = await ask("--family", "4");
    expect([four.answer.verdict, four.answer.families]).toEqual(["reachable", undefined]);
    const six = await ask("--family", "6");
    expect([six.answer.verdict, six.answer.families]).toEqual(["unreachable", undefined]);
  });

  test("an address is of the family it is of", async () => {
    const { status, err } = await hairpin("diagnose", CASE, "--to", "10.61.2.7:8080", "--family", "6");
    expect(status).toBeGreaterThanOrEqual(64);
    expect(err).toContain("--family 6");
  });
});
