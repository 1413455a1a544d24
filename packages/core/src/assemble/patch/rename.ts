import type { Device, Stack, SysctlEntry } from "../../model/index.ts";

/** Routes, neighbours and ports hold the device itself, so they follow its new name; rules hold the name alone. */
export function renamed(stack: Stack, from: string, to: string): Stack {
  const name = (x: string): string => (x === from ? to : x);
  const sysctls = new Map<string, SysctlEntry>();
  const dotted = (x: string) => `.conf.${x.replaceAll(".", "/")}.`;
  for (const [key, entry] of stack.sysctls) {
    const moved = key.replace(dotted(from), dotted(to));
    sysctls.set(moved, moved === key ? entry : { ...entry, key: moved });
  }
  return {
    ...stack,
    devices: {
      ...stack.devices,
      items: stack.devices.items.map(
        (d): Device => ({
          ...d,
          ...(d.master === undefined ? {} : { master: name(d.master) }),
          ...(d.lower === undefined ? {} : { lower: name(d.lower) }),
        }),
      ),
    },
    routeTables: stack.routeTables.map((t) => ({
      ...t,
      routes: t.routes.map((r) => ({
        ...r,
        nexthops: r.nexthops.map((n) => (n.device === undefined ? n : { ...n, device: name(n.device) })),
      })),
    })),
    neighbours: { ...stack.neighbours, items: stack.neighbours.items.map((n) => ({ ...n, device: name(n.device) })) },
    fdb: { ...stack.fdb, items: stack.fdb.items.map((f) => ({ ...f, device: name(f.device) })) },
    sysctls,
  };
}

/** What hung on devices that are gone. */
export function withoutGone(stack: Stack): Stack {
  const names = new Set(stack.devices.items.map((d) => d.name));
  const there = (x: { readonly device: string }): boolean => names.has(x.device);
  return {
    ...stack,
    devices: {
      ...stack.devices,
      items: stack.devices.items.map((d): Device => {
        if (d.master === undefined || names.has(d.master)) return d;
        const { master: _, port: __, ...rest } = d;
        return rest;
      }),
    },
    neighbours: { ...stack.neighbours, items: stack.neighbours.items.filter(there) },
    fdb: { ...stack.fdb, items: stack.fdb.items.filter(there) },
  };
}
