import { readFileSync } from "node:fs";
import { addressesOf, assembled, routesOf, shown, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";
import { applyPatch } from "../../packages/core/src/assemble/index.ts";
import { isIpv4 } from "../../packages/core/src/net/index.ts";

interface Recorded {
  readonly name: string;
  readonly commands: readonly string[];
  readonly refused: readonly (readonly [string, string])[];
  readonly before: Listings;
  readonly after: Listings;
}
interface Listings {
  readonly addr: string;
  readonly routes: string;
  readonly rules: string;
}

/** Each case was typed in a network namespace of a 6.18 kernel: what ip(8) showed before and after. */
const recorded = JSON.parse(readFileSync(new URL("fixtures/fib.json", import.meta.url), "utf8")) as Recorded[];

const files = (l: Listings) => ({
  "ip-addr.txt": l.addr,
  "ip-route-show-table-all.txt": l.routes,
  "ip-rule.txt": l.rules,
});
const TABLES = [254, 255, 100];

describe.each(recorded)("$name", ({ commands, refused, before, after }) => {
  const kernel = stackOf(assembled(files(after)).world);

  it("derives the local table and the connected routes that the kernel shows", () => {
    const derived = stackOf(assembled({ "ip-addr.txt": after.addr }).world);
    expect(routesOf(kernel, 255).length).toBeGreaterThan(2);
    expect(routesOf(derived, 255).map(shown).sort()).toEqual(routesOf(kernel, 255).map(shown).sort());
    const connected = routesOf(kernel, 254).filter((r) => r.protocol === "kernel");
    const own = routesOf(derived, 254).filter((r) => r.origin.kind === "derived");
    expect(own.map(shown).sort()).toEqual(connected.map(shown).sort());
  });

  it("ends up, after the same commands, where the kernel did", () => {
    const { world, problems } = applyPatch(assembled(files(before)).world, commands);
    expect(problems.map((p) => p.command)).toEqual(refused.map(([command]) => command));
    const stack = stackOf(world);
    for (const table of TABLES) {
      expect(routesOf(stack, table).map(shown).sort(), `table ${table}`).toEqual(
        routesOf(kernel, table).map(shown).sort(),
      );
    }
    for (const device of kernel.devices.items) {
      const v4 = device.addresses.filter((a) => isIpv4(a.prefix.address)).length;
      expect(addressesOf(stack, device.name).slice(0, v4)).toEqual(addressesOf(kernel, device.name).slice(0, v4));
    }
    const rules = (s: typeof stack) =>
      s.routingRules.items.map(({ preference, from, to, fwmark, action }) => ({
        preference,
        from,
        to,
        fwmark,
        action,
      }));
    expect(rules(stack)).toEqual(rules(kernel));
  });
});
