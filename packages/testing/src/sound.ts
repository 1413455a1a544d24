import type { World } from "@hairpin/core/model/index.ts";
import { expect } from "vitest";

/** What holds of every World, whatever it was made of. */
export function expectSound(world: World): void {
  const names = world.stacks.map((s) => s.name);
  expect(new Set(names).size, "stack names").toBe(names.length);
  const ids = world.assumptions.map((a) => a.id);
  expect(new Set(ids).size, "assumption ids").toBe(ids.length);
  const ends = world.links.flatMap((l) => l.ends.map((e) => `${e.stack}\n${e.device}`));
  expect(new Set(ends).size, "a device hangs on one link").toBe(ends.length);
  for (const stack of world.stacks) {
    const devices = new Set(stack.devices.items.map((d) => d.name));
    expect(devices.size, `${stack.name}: device names`).toBe(stack.devices.items.length);
    expect(stack.devices.items[0]!.name, `${stack.name}: lo first`).toBe("lo");
    const tables = stack.routeTables.map((t) => `${t.family} ${t.id}`);
    expect(new Set(tables).size, `${stack.name}: one record a table`).toBe(tables.length);
    expect(tables).toEqual(expect.arrayContaining(["4 255", "4 254"]));
    for (const table of stack.routeTables) {
      for (const { nexthops } of table.routes) {
        for (const hop of nexthops) if (hop.device !== undefined) expect(devices).toContain(hop.device);
      }
    }
    for (const rule of stack.routingRules.items) {
      if (rule.action.kind !== "lookup" || rule.l3mdev === true) continue;
      expect(tables, `${stack.name}: a rule's table has a place`).toContain(`${rule.family} ${rule.action.table}`);
    }
    for (const device of stack.devices.items) {
      for (const a of device.addresses) expect(a.origin).toBeDefined();
    }
  }
  const ofStack = new Map(world.stacks.map((s) => [s.name, new Set(s.devices.items.map((d) => d.name))]));
  for (const { ends: both } of world.links) {
    for (const end of both) expect(ofStack.get(end.stack), `${end.stack}:${end.device}`).toContain(end.device);
  }
}
