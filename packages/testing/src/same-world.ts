import type { Stack, World } from "@hairpin/core/model/index.ts";

/** What a World comes down to: everything but where it was read, with lists whose order means nothing sorted. */
export function meaning(world: World): unknown {
  return { world: bare({ ...world, stacks: [] }), stacks: world.stacks.map(stackMeaning) };
}

/** Where it was read, how it is called elsewhere, and what only counts. Carrier and flags are for the far side to say. */
const NO_MEANING: ReadonlySet<string> = new Set([
  "origin",
  "fieldOrigins",
  "kindOrigin",
  "counters",
  "protocolName",
  "activeConnections",
  "inactiveConnections",
  "carrier",
  "flags",
  "operState",
]);

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (value instanceof Map) return [...value].map(([k, v]) => [k, bare(v)]);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, v]) => v !== undefined && !NO_MEANING.has(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, v]) => [key, bare(v)]));
}

const sorted = (items: readonly unknown[]): readonly unknown[] => items.map((i) => JSON.stringify(bare(i))).sort();

function stackMeaning(stack: Stack): unknown {
  const { sysctls, netfilter, routeTables, ipsets, ipvs, devices, routingRules, ...rest } = stack;
  return {
    rest: bare(rest),
    // A device of which nobody said otherwise forwards as the node does.
    sysctls: [...sysctls.values()]
      .filter((e) => !e.key.endsWith(".forwarding") || e.value !== sysctls.get("net.ipv4.ip_forward")?.value)
      .map((e) => `${e.key}=${e.value}`)
      .sort(),
    // A table that a command brought along, and that is empty again, does nothing.
    tables: netfilter.tables
      .map((t) => ({ ...t, chains: t.chains.filter((c) => c.rules.length > 0 || c.policy !== "ACCEPT") }))
      .filter((t) => t.chains.length > 0)
      .map((t) => ({ ...t, chains: [...t.chains].sort((a, b) => (a.name < b.name ? -1 : 1)) }))
      .map(bare),
    routes: sorted(routeTables.flatMap((t) => t.routes)),
    rules: sorted(routingRules.items),
    sets: ipsets.items.map((s) => [bare({ ...s, entries: [] }), sorted(s.entries)]),
    services: sorted(ipvs.services.map((s) => [{ ...s, realServers: [] }, sorted(s.realServers)])),
    devices: devices.items.map((d) => [
      bare({ ...d, addresses: [], port: { ...d.port, hairpin: d.port?.hairpin ?? false } }),
      sorted(d.addresses.map((a) => ({ ...a, label: a.label ?? d.name }))),
    ]),
  };
}
