import type { World } from "@hairpin/core/model/index.ts";
import { lookup } from "@hairpin/core/model/lookup.ts";
import { type Address, formatAddress } from "@hairpin/core/net/index.ts";

export interface Names {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

const KINDS: Readonly<Record<string, string>> = lookup({ node: "node", pod: "pod" });

/** What can be asked of a World: its stacks and their addresses; Services and everything that is balanced or translated. */
export function namesOf(world: World): Names {
  const stacks = world.stacks.filter((s) => s.assumed === undefined);
  const named = stacks.map((s) => `${KINDS[s.kind] ?? "stack"}/${s.name}`);
  const addresses = stacks.flatMap((s) =>
    s.devices.items.flatMap((d) =>
      d.kind === "loopback" ? [] : d.addresses.map((a) => formatAddress(a.prefix.address)),
    ),
  );
  const pods = world.kubernetes.pods.map((p) => `pod/${p.namespace}/${p.name}`);
  const services = world.kubernetes.services.flatMap((s) =>
    s.ports.map((p) => `svc/${s.namespace}/${s.name}:${p.port}`),
  );
  const virtual = stacks.flatMap((s) =>
    s.ipvs.services.flatMap(({ key }) => (key.kind === "address" ? [target(key.address, key.port)] : [])),
  );
  const balanced = world.loadBalancers.flatMap((l) => l.ports.map((p) => target(l.address, p.port)));
  const unique = (list: readonly string[]): readonly string[] => [...new Set(list)];
  return {
    from: unique([...named, ...pods, "external", ...addresses]),
    to: unique([...services, ...balanced, ...virtual, ...translated(world), ...named, ...addresses]),
  };
}

const target = (address: Address, port: number): string => {
  const text = formatAddress(address);
  return text.includes(":") ? `[${text}]:${port}` : `${text}:${port}`;
};

const WHOLE = new Set(["255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]);

/** Single addresses with a port that a rule of table nat asks for: what kube-proxy writes for a Service. */
function translated(world: World): readonly string[] {
  const tables = world.stacks.flatMap((s) => s.netfilter.tables.filter((t) => t.name === "nat"));
  const found = new Set<string>();
  for (const { destination, matches } of tables.flatMap((t) => t.chains.flatMap((c) => c.rules))) {
    if (destination === undefined || destination.negated || !WHOLE.has(formatAddress(destination.value.mask))) continue;
    for (const match of matches) {
      if (match.kind !== "tcp" && match.kind !== "udp" && match.kind !== "sctp") continue;
      const { dport } = match;
      if (dport !== undefined && !dport.negated && dport.value.from === dport.value.to)
        found.add(target(destination.value.address, dport.value.from));
    }
  }
  return [...found];
}

const MOST = 40;

/** What begins with the text, then what contains it. */
export function completions(names: readonly string[], text: string): readonly string[] {
  const sought = text.trim().toLowerCase();
  const found: string[] = [];
  const later: string[] = [];
  for (const name of names) {
    const at = name.toLowerCase().indexOf(sought);
    if (at === 0) found.push(name);
    else if (at > 0 && later.length < MOST) later.push(name);
    if (found.length >= MOST) break;
  }
  return [...found, ...later].slice(0, MOST);
}
