import { shopInput } from "@hairpin/testing/iptables/shop.ts";
import { describe, expect, test } from "vitest";
import type { Family } from "../../net/index.ts";
import { printTables } from "../../parse/iptables/index.ts";
import { type Programmed, programme } from "../index.ts";

function familyOf(input: ReturnType<typeof shopInput>, family: Family): Programmed {
  const made = programme(input);
  if (made.kind !== "programmed") throw new Error(made.mode);
  return made.families.find((f) => f.family === family)!;
}

/** One release each side of every change that shows in rules. `npx vitest run -u` writes the texts anew; read them then. */
const RELEASES = [
  "1.18.3",
  "1.18.20",
  "1.20.15",
  "1.21.14",
  "1.22.17",
  "1.23.17",
  "1.24.17",
  "1.25.16",
  "1.27.16",
  "1.37.0",
];

describe("the shop's rules, as iptables-save would print them", () => {
  test.each(RELEASES)("IPv4, kube-proxy %s", async (version) => {
    const { tables } = familyOf(shopInput(version), 4);
    await expect(printTables(tables)).toMatchFileSnapshot(`./shop/v${version}.txt`);
  });

  test.each(["1.24.17", "1.37.0"])("IPv6, kube-proxy %s", async (version) => {
    const { tables } = familyOf(shopInput(version), 6);
    await expect(printTables(tables)).toMatchFileSnapshot(`./shop/v${version}-ipv6.txt`);
  });
});
