import { formatAddress, formatIpv4, formatPrefix, ipv4Of } from "@hairpin/core/net/index.ts";
import { printRoute } from "@hairpin/core/parse/iproute2/route/route-print.ts";
import { printRule } from "@hairpin/core/parse/iproute2/rule/rule-print.ts";
import { printTable } from "@hairpin/core/parse/iptables/rule/print.ts";
import { printRuleset } from "@hairpin/core/parse/nft/index.ts";
import type { SoakStep } from "./scenario.ts";
import type { Mismatch } from "./soak.ts";

/** A mismatch as a person reads it. */
export function shown({ seed, world, scenario, judgement }: Mismatch): string {
  const out: string[] = [`seed ${seed}, world ${world}, step ${judgement.step}`];
  for (const s of scenario.world.stacks) {
    out.push(`== ${s.name} (${s.kind})`);
    for (const d of s.devices.items) {
      if (d.name === "lo" && d.addresses.length === 1) continue;
      const rest = [
        d.up === false ? "down" : "",
        d.mtu === undefined || d.mtu === 1500 ? "" : `mtu ${d.mtu}`,
        d.master === undefined ? "" : `master ${d.master}`,
        d.port?.hairpin ? "hairpin" : "",
        d.lower === undefined ? "" : `on ${d.lower}`,
        d.vlan === undefined ? "" : `vlan ${d.vlan.id}`,
        d.tunnel === undefined ? "" : JSON.stringify(d.tunnel, addresses),
      ];
      out.push(
        `dev ${d.name} ${d.kind} ${d.mac ?? ""} ${d.addresses.map((a) => formatPrefix(a.prefix)).join(" ")} ${rest.join(" ")}`,
      );
    }
    for (const n of s.neighbours.items) out.push(`neigh ${formatAddress(n.address)} dev ${n.device} ${n.mac}`);
    for (const e of s.fdb.items)
      out.push(`fdb ${e.mac} dev ${e.device} dst ${e.destination === undefined ? "-" : formatAddress(e.destination)}`);
    for (const r of s.routingRules.items)
      if (r.preference > 0 && r.preference < 32766) out.push(`rule ${printRule(r)}`);
    for (const t of s.routeTables)
      for (const r of t.routes) if (r.protocol !== "kernel") out.push(`route table ${t.id} ${printRoute(r)}`);
    const set = [...s.sysctls.values()].filter((e) => e.value !== "0");
    out.push(...set.map((e) => `sysctl ${e.key}=${e.value}`));
    for (const x of s.ipvs.services) {
      const servers = x.realServers.map((r) => `${formatAddress(r.address)}:${r.port} w${r.weight}`);
      out.push(`ipvs ${JSON.stringify(x.key)} ${x.scheduler} ${servers.join(", ")}`);
    }
    for (const t of s.netfilter.tables) out.push(`# ${t.backend}`, printTable(t));
    if (s.netfilter.nft !== undefined) out.push("# nft", printRuleset(s.netfilter.nft));
  }
  for (const l of scenario.world.links) out.push(`link ${l.ends.map((e) => `${e.stack}:${e.device}`).join(" ")}`);
  for (const [i, step] of scenario.steps.entries()) out.push(`step ${i}: ${shownStep(step)}`);
  out.push(...judgement.differences.map((d) => `DIFFERS ${d}`));
  const steps = judgement.run?.sights[judgement.step]?.steps ?? [];
  out.push(
    ...steps.map(
      (x) => `walk ${JSON.stringify({ ...x, packet: undefined, origins: undefined, origin: undefined }, addresses)}`,
    ),
  );
  return out.join("\n");
}

export const shownStep = (step: SoakStep): string => JSON.stringify(step, addresses);

const addresses = (key: string, value: unknown): unknown =>
  typeof value === "number" && /^(to|src|dst|address|gateway|source|target|local|remote)$/.test(key)
    ? formatIpv4(ipv4Of(value))
    : value;
