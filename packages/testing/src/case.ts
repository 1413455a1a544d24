import { type Assembly, assemble } from "@hairpin/core/assemble/index.ts";
import { check } from "@hairpin/core/check/index.ts";
import type { CaseFile, Device, Route, Stack, World } from "@hairpin/core/model/index.ts";
import { formatAddress, formatPrefix } from "@hairpin/core/net/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";

/** Dumps by the path each would have in a case folder, put together. */
export function assembled(files: Readonly<Record<string, string>>, caseFile?: CaseFile): Assembly {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return assemble(readCase(inputs, caseFile), caseFile);
}

/** The codes of the contradictions that `check` finds in these dumps. */
export function contradictionsIn(files: Readonly<Record<string, string>>): readonly string[] {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return check(readCase(inputs), inputs).contradictions.map((c) => c.code);
}

export const caseOf = (stated: Partial<CaseFile>): CaseFile => ({
  file: "case.yaml",
  nodes: [],
  stacks: [],
  links: [],
  loadBalancers: [],
  listeners: [],
  assume: [],
  fixes: [],
  ...stated,
});

export function stackOf(world: World, name = "node"): Stack {
  const stack = world.stacks.find((s) => s.name === name);
  if (stack === undefined) throw new Error(`no stack ${name} among ${world.stacks.map((s) => s.name).join(", ")}`);
  return stack;
}

export function deviceOf(stack: Stack, name: string): Device {
  const device = stack.devices.items.find((d) => d.name === name);
  if (device === undefined)
    throw new Error(`no device ${name} among ${stack.devices.items.map((d) => d.name).join(", ")}`);
  return device;
}

export const addressesOf = (stack: Stack, name: string): readonly string[] =>
  deviceOf(stack, name).addresses.map((a) => formatPrefix(a.prefix));

export const routesOf = (stack: Stack, table: number | string): readonly Route[] =>
  stack.routeTables.find((t) => t.id === table && t.family === 4)?.routes ?? [];

/** A route as a line, near to what ip(8) prints. */
export function shown(route: Route): string {
  const hops = route.nexthops.map((n) =>
    [n.gateway === undefined ? "" : `via ${formatAddress(n.gateway)}`, `dev ${n.device ?? "?"}`, ...n.flags]
      .join(" ")
      .trim(),
  );
  return [
    route.type === "unicast" ? "" : route.type,
    formatPrefix(route.destination),
    hops.join(" + "),
    route.protocol === undefined ? "" : `proto ${route.protocol}`,
    route.scope === undefined || route.scope === "global" ? "" : `scope ${route.scope}`,
    route.prefSrc === undefined ? "" : `src ${formatAddress(route.prefSrc)}`,
    route.metric === undefined ? "" : `metric ${route.metric}`,
    route.mtu === undefined ? "" : `mtu ${route.mtu}`,
  ]
    .filter((w) => w !== "")
    .join(" ");
}

export const readAt = (file: string, line: number) => ({ kind: "read", file, line }) as const;
