import { text } from "../../messages/index.ts";
import {
  assumed,
  type Chain,
  type IptablesTable,
  KUBELET_CHAIN,
  type Match,
  PROXY_CHAIN,
  type Rule,
  type Target,
} from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import type { Ledger } from "../ledger.ts";
import { endpointChains } from "./endpoint-chains.ts";

const origin = assumed("kube-proxy's own chains, which every node has alike");
const MASQUERADE_MARK = 0x4000;
const DROP_MARK = 0x8000;

const rule = (target: Target, ...matches: readonly Match[]): Rule => ({ matches, target, origin });
const jump = (chain: string, ...matches: readonly Match[]): Rule =>
  rule({ kind: "jump", chain, goto: false }, ...matches);
const setMark = (value: number, mask: number): Rule => rule({ kind: "mark", value, mask });

/** What kube-proxy puts into nat whatever the Services are (BASE CHAINS of its iptables and ipvs modes). */
const MARK_MASQ: readonly Rule[] = [setMark(MASQUERADE_MARK, MASQUERADE_MARK)];
const POSTROUTING: readonly Rule[] = [
  rule({ kind: "return" }, { kind: "mark", value: MASQUERADE_MARK, mask: MASQUERADE_MARK, negated: true }),
  setMark(MASQUERADE_MARK, 0),
  rule({ kind: "masquerade", random: false, randomFully: true }),
];
const JUMPS: readonly (readonly [from: string, to: string])[] = [
  ["PREROUTING", PROXY_CHAIN.services],
  ["OUTPUT", PROXY_CHAIN.services],
  ["POSTROUTING", PROXY_CHAIN.postrouting],
];

/** The same in filter: who calls which chain, and whether for new connections only (iptables mode). */
const FILTER_JUMPS: readonly (readonly [from: string, to: string, state?: "NEW"])[] = [
  ["INPUT", PROXY_CHAIN["ipvs-filter"]],
  ["OUTPUT", PROXY_CHAIN["ipvs-out-filter"]],
  ["INPUT", PROXY_CHAIN["proxy-firewall"], "NEW"],
  ["FORWARD", PROXY_CHAIN["proxy-firewall"], "NEW"],
  ["OUTPUT", PROXY_CHAIN["proxy-firewall"], "NEW"],
  ["INPUT", PROXY_CHAIN["external-services"], "NEW"],
  ["FORWARD", PROXY_CHAIN["external-services"], "NEW"],
  ["FORWARD", PROXY_CHAIN.services, "NEW"],
  ["OUTPUT", PROXY_CHAIN.services, "NEW"],
  ["FORWARD", PROXY_CHAIN.forward],
];
const NEW: Match = { kind: "conntrack", states: { negated: false, value: ["NEW"] } };

/**
 * An excerpt often lacks what leads to it: the jumps from the built-in chains, the chain that marks, the one that masquerades. Where a
 * table was not shown whole and holds chains of kube-proxy, these are filled in as kube-proxy writes them with its default mark,
 * and listed.
 */
export function withBaseChains(
  tables: readonly IptablesTable[],
  stack: string,
  ledger: Ledger,
): readonly IptablesTable[] {
  const marked = FAMILIES.reduce((grown, family) => withMarkDrop(grown, family, stack, ledger), tables);
  return marked.map((table) => {
    if (table.extent === "whole") return table;
    const has = (name: string): boolean => table.chains.some((c) => c.name === name);
    const { chains, added } =
      table.name === "nat" && (has(PROXY_CHAIN.services) || has(PROXY_CHAIN["node-ports"]))
        ? withEndpointChains(withJumps(withNodePorts(withOwn(table.chains)), JUMPS))
        : table.name === "filter"
          ? withJumps(
              { chains: table.chains, added: [] },
              FILTER_JUMPS.filter(([, to]) => has(to)),
            )
          : { chains: table.chains, added: [] };
    if (added.length === 0) return table;
    const names = added.join(", ");
    ledger.assume(
      `${stack}/kube-proxy/${table.name}${suffix(table.family)}`,
      names,
      text("assume.base-chains", { stack, chains: names, table: table.name }),
    );
    return { ...table, chains };
  });
}

const FAMILIES: readonly Family[] = [4, 6];
const suffix = (family: Family): string => (family === 6 ? "6" : "");

const MARK_DROP: readonly Rule[] = [setMark(DROP_MARK, DROP_MARK)];
const FIREWALL: readonly Rule[] = [
  rule({ kind: "drop" }, { kind: "mark", value: DROP_MARK, mask: DROP_MARK, negated: false }),
];

const leadsTo = (table: IptablesTable, name: string): boolean =>
  table.chains.some((c) => c.rules.some((r) => r.target.kind === "jump" && r.target.chain === name));

/**
 * Before 1.28 kubelet kept the chain that marks what is to be dropped, and in filter the one that drops it. Where rules that were shown lead to the first
 * and neither was shown, both are there.
 */
function withMarkDrop(
  tables: readonly IptablesTable[],
  of: Family,
  stack: string,
  ledger: Ledger,
): readonly IptablesTable[] {
  const [marking, dropping] = [KUBELET_CHAIN["mark-drop"], KUBELET_CHAIN.firewall];
  const nat = tables.find((t) => t.name === "nat" && t.family === of && t.extent !== "whole" && leadsTo(t, marking));
  const filter = tables.find((t) => t.name === "filter" && t.family === of);
  const isKnown = (t: IptablesTable | undefined, name: string): boolean =>
    t?.chains.some((c) => c.name === name) === true;
  if (nat === undefined || isKnown(nat, marking) || filter?.extent === "whole" || isKnown(filter, dropping))
    return tables;
  const chain = (name: string, rules: readonly Rule[]): Chain => ({ name, rules, extent: "partial", origin });
  const marks: IptablesTable = { ...nat, chains: [...nat.chains, chain(marking, MARK_DROP)] };
  const { chains } = withJumps({ chains: [...(filter?.chains ?? []), chain(dropping, FIREWALL)], added: [] }, [
    ["INPUT", dropping],
    ["OUTPUT", dropping],
  ]);
  const { backend, family } = nat;
  const drops: IptablesTable = { name: "filter", family, backend, extent: "partial", origin, ...filter, chains };
  const chainNames = [marking, dropping].join(", ");
  ledger.assume(
    `${stack}/kube-proxy/mark-drop${suffix(of)}`,
    chainNames,
    text("assume.base-chains", { stack, chains: chainNames, table: "nat, filter" }),
  );
  const rest = tables.filter((t) => t !== filter).map((t) => (t === nat ? marks : t));
  return [...rest, drops];
}

/** With the chains of endpoints that the comments of their callers tell. */
function withEndpointChains({ chains, added }: Filled): Filled {
  const made = endpointChains(chains);
  return { chains: [...chains, ...made], added: [...added, ...made.map((c) => c.name)] };
}

interface Filled {
  readonly chains: readonly Chain[];
  readonly added: readonly string[];
}

/** With the chains of nat that every node has alike. */
function withOwn(shown: readonly Chain[]): Filled {
  const own: readonly (readonly [string, readonly Rule[]])[] = [
    [PROXY_CHAIN["mark-masq"], MARK_MASQ],
    [PROXY_CHAIN.postrouting, POSTROUTING],
  ];
  const missing = own.filter(([name]) => !shown.some((c) => c.name === name));
  const chains = missing.map(([name, rules]): Chain => ({ name, rules, extent: "partial", origin }));
  return { chains: [...shown, ...chains], added: missing.map(([name]) => name) };
}

const LOCAL: Match = {
  kind: "addrtype",
  destination: { negated: false, value: ["LOCAL"] },
  limitIn: false,
  limitOut: false,
};

/** The last rule of KUBE-SERVICES, and that chain itself, where only the one of node ports was shown (iptables mode). */
function withNodePorts({ chains, added }: Filled): Filled {
  const services = chains.find((c) => c.name === PROXY_CHAIN.services);
  const leads = (c: Chain): boolean =>
    c.rules.some((r) => r.target.kind === "jump" && r.target.chain === PROXY_CHAIN["node-ports"]);
  const known = chains.some((c) => c.name === PROXY_CHAIN["node-ports"]);
  if (!known || services?.extent === "whole" || (services !== undefined && leads(services))) return { chains, added };
  const last = jump(PROXY_CHAIN["node-ports"], LOCAL);
  const grown: Chain =
    services === undefined
      ? { name: PROXY_CHAIN.services, rules: [last], extent: "partial", origin }
      : { ...services, rules: [...services.rules, last] };
  return {
    chains: services === undefined ? [...chains, grown] : chains.map((c) => (c === services ? grown : c)),
    added: [...added, `${PROXY_CHAIN.services} -> ${PROXY_CHAIN["node-ports"]}`],
  };
}

/** With the jumps that no shown chain lacks: one that was shown whole is as it is. */
function withJumps({ chains, added }: Filled, jumps: typeof FILTER_JUMPS): Filled {
  return jumps.reduce<Filled>(
    (filled, [from, to, state]) => {
      const known = filled.chains.find((c) => c.name === from);
      if (known?.extent === "whole" || known?.rules.some((r) => r.target.kind === "jump" && r.target.chain === to))
        return filled;
      const leads = state === undefined ? jump(to) : jump(to, NEW);
      const grown: Chain =
        known === undefined
          ? { name: from, policy: "ACCEPT", rules: [leads], extent: "partial", origin }
          : { ...known, rules: [leads, ...known.rules] };
      return {
        chains: known === undefined ? [...filled.chains, grown] : filled.chains.map((c) => (c === known ? grown : c)),
        added: [...filled.added, `${from} -> ${to}`],
      };
    },
    { chains, added },
  );
}
