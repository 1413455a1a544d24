import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";
import { generateIptablesSave } from "../../../../../bench/generate-iptables.ts";
import type { Chain, IptablesTable, Stack } from "../../model/index.ts";
import { parseAddress } from "../../net/index.ts";
import { Pieces, Slices } from "./slice.ts";

const text = generateIptablesSave({ services: 400, endpoints: 3 }).replace(
  "-A KUBE-SERVICES -m comment",
  "-A KUBE-SERVICES -d 10.200.0.0/16 -p tcp -m tcp --dport 9 -j ACCEPT\n-A KUBE-SERVICES -m comment",
);
const lazy = stackOf(assembled({ "nodes/a/iptables-save.txt": text }).world, "a");

/** The same with every rule read. */
const read: Stack = {
  ...lazy,
  netfilter: {
    ...lazy.netfilter,
    tables: lazy.netfilter.tables.map(({ name, family, backend, extent, origin, chains }): IptablesTable => {
      const own = chains.map(
        (c): Chain => ({ name: c.name, policy: c.policy!, rules: c.rules, extent: c.extent, origin: c.origin }),
      );
      return { name, family, backend, extent, origin, chains: own };
    }),
  },
};

describe("what packets can meet of rules that are known as text", () => {
  it("is read from the few lines that speak of them", () => {
    expect(lazy.netfilter.tables.some((t) => t.unread !== undefined)).toBe(true);
    expect(read.netfilter.tables.some((t) => t.unread !== undefined)).toBe(false);
  });

  it.each([
    ["a Service and who asks it", ["10.96.0.12", "192.0.2.1"]],
    ["a Service and an endpoint of another", ["10.96.0.12", "10.200.0.20"]],
    ["two Services", ["10.96.0.12", "10.96.1.60"]],
    ["nobody whom a rule names", ["192.0.2.1"]],
    ["nobody of IPv4", ["2001:db8::1"]],
  ])("%s", (_, addresses) => {
    const asked = addresses.map((a) => parseAddress(a)!);
    const sliceOf = (stack: Stack): string => new Slices(stack, new Pieces()).of(asked).text();
    const slice = sliceOf(lazy);
    expect(slice).toBe(sliceOf(read));
    expect(slice.includes("namespace-2/service-2:http")).toBe(addresses.includes("10.96.0.12"));
  });
});
