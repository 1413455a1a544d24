import { TABLE_LOCAL } from "./route.ts";
import type { Stack } from "./stack.ts";
import type { StackProgramme } from "./world.ts";

/** A stack with kube-proxy's part in place of what it had of another mode. */
export function withProgramme(stack: Stack, programme: StackProgramme, instead?: StackProgramme): Stack {
  const gone = new Set(instead?.devices.map((d) => d.name));
  const devices = [...stack.devices.items.filter((d) => !gone.has(d.name)), ...programme.devices];
  const before = new Set(instead?.routes);
  return {
    ...stack,
    netfilter: programme.netfilter,
    ipsets: programme.ipsets,
    ipvs: programme.ipvs,
    sysctls: programme.sysctls,
    devices: { ...stack.devices, items: devices },
    routeTables: stack.routeTables.map((t) =>
      t.id === TABLE_LOCAL
        ? {
            ...t,
            routes: [
              ...t.routes.filter((r) => !before.has(r)),
              ...programme.routes.filter((r) => r.family === t.family),
            ],
          }
        : t,
    ),
  };
}
