import { rulesSaying, type Stack } from "../../model/index.ts";
import { printRuleset } from "../../parse/nft/index.ts";

/** Where something beside criteria of rules is for packets of a device: entries of sets, native tables, bridges, rules of routing, sockets. */
export function portsNamedBy(stack: Stack): (port: string) => boolean {
  let said: { readonly names: ReadonlySet<string>; readonly starts: readonly string[] } | undefined;
  return (port) => {
    said ??= deviceNamesIn(stack);
    return said.names.has(port) || said.starts.some((start) => port.startsWith(start));
  };
}

function deviceNamesIn({ netfilter, ipsets, routingRules, bridgeVlans, listeners }: Stack): {
  readonly names: ReadonlySet<string>;
  readonly starts: readonly string[];
} {
  const names = new Set<string>();
  const starts: string[] = [];
  const note = (name: string | undefined, isStart = false): void => {
    if (name === undefined) return;
    if (isStart) starts.push(name);
    else names.add(name);
  };
  for (const { entries } of ipsets.items)
    for (const { parts } of entries) for (const p of parts) if (p.kind === "iface") note(p.name, p.wildcard);
  for (const [, name, star] of printRuleset(netfilter.nft ?? []).matchAll(/"([^"*\s]+)(\*?)"/g))
    note(name, star === "*");
  for (const table of netfilter.tables)
    for (const { rule } of rulesSaying(table, "--physdev-"))
      for (const match of rule.matches)
        if (match.kind === "physdev")
          for (const wanted of [match.in, match.out]) {
            const name = wanted?.value;
            note(name?.replace(/\+$/, ""), name?.endsWith("+") === true);
          }
  for (const { iif, oif } of routingRules.items) for (const name of [iif, oif]) note(name);
  for (const { device } of bridgeVlans.items) note(device);
  for (const { device } of listeners.items) note(device);
  return { names, starts };
}
