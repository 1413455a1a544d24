import {
  type Chain,
  chainNamed,
  chainsCalled,
  type IptablesTable,
  isClusterIpRule,
  type Origin,
  type ProxyChain,
  proxyChain,
  type Rule,
  rulesSaying,
} from "../model/index.ts";
import { formatAddress, formatPrefix, lengthOfMask } from "../net/index.ts";
import type { DetectLocal, ProxyConfig } from "./config.ts";
import { asksClusterIps, isIpvs, isPerPort } from "./inferred-signs.ts";
import { FORWARD, MARK_MASQ, NODEPORTS, POSTROUTING, SERVICES } from "./iptables/names.ts";
import { LOOPBACK } from "./rules.ts";

type Setting =
  | "masqueradeMark"
  | "randomFully"
  | "detectLocal"
  | "masqueradeAll"
  | "nodePortAddresses"
  | "localhostNodePorts"
  | "conntrackTcpBeLiberal"
  | "nfacctCounters";

/** Settings that kube-proxy's own rules give away, each with the rule that does. What they do not tell is absent. */
export interface InferredSettings {
  readonly config: Partial<Pick<ProxyConfig, Setting>>;
  readonly origins: Partial<Readonly<Record<Setting, Origin>>>;
}

const chainIn = (tables: readonly IptablesTable[], table: string, name: string): Chain | undefined => {
  const found = tables.find((t) => t.name === table);
  return found === undefined ? undefined : chainNamed(found, name);
};

const jumpsTo = ({ target }: Rule, chain: string): boolean => target.kind === "jump" && target.chain === chain;

/** By the rules of one family and back end, in iptables or IPVS mode. */
export function inferredSettings(tables: readonly IptablesTable[]): InferredSettings {
  const config: { -readonly [K in Setting]?: ProxyConfig[K] } = {};
  const origins: Partial<Record<Setting, Origin>> = {};
  const tell = <K extends Setting>(key: K, value: ProxyConfig[K], { origin }: { readonly origin: Origin }): void => {
    config[key] = value;
    origins[key] = origin;
  };

  for (const rule of chainIn(tables, "nat", MARK_MASQ)?.rules ?? [])
    if (rule.target.kind === "mark" && rule.target.value !== 0) tell("masqueradeMark", rule.target.value, rule);
  for (const rule of chainIn(tables, "nat", POSTROUTING)?.rules ?? [])
    if (rule.target.kind === "masquerade") tell("randomFully", rule.target.randomFully, rule);

  const marking = outsideRule(tables);
  if (marking !== undefined) {
    const bySource = marking.matches.some((m) => asksClusterIps(m) && m.kind === "set" && m.directions[0] === "src");
    tell("masqueradeAll", !bySource && marking.source === undefined && marking.inInterface === undefined, marking);
    const local: DetectLocal | undefined = bySource ? { mode: "none" } : detectLocalOf(marking);
    if (local !== undefined) tell("detectLocal", local, marking);
  } else {
    const captured = capturesClusterIp(tables);
    if (captured !== undefined) {
      tell("masqueradeAll", false, captured);
      tell("detectLocal", { mode: "none" }, captured);
    }
  }
  if (!isIpvs(tables)) {
    tellNodePorts(tables, tell);
    tellForward(tables, tell);
  }
  return { config, origins };
}

type Tell = <K extends Setting>(key: K, value: ProxyConfig[K], from: { readonly origin: Origin }) => void;

const LEADS_TO_ENDPOINTS = new Set<ProxyChain | undefined>(["services", "service", "local"]);

function servicesOf(tables: readonly IptablesTable[]): Iterable<Chain> {
  const nat = tables.find((t) => t.name === "nat");
  return nat === undefined ? [] : chainsCalled(nat, (name) => LEADS_TO_ENDPOINTS.has(proxyChain(name)));
}

/** The rule that marks clients of a cluster IP who are no pods, of any Service: it is the same for all. */
function outsideRule(tables: readonly IptablesTable[]): Rule | undefined {
  const nat = tables.find((t) => t.name === "nat");
  for (const { name } of servicesOf(tables))
    for (const { rule } of rulesSaying(nat!, MARK_MASQ, [name]))
      if (jumpsTo(rule, MARK_MASQ) && (isClusterIpRule(rule) || rule.matches.some(asksClusterIps))) return rule;
  return undefined;
}

/** A Service's cluster IP that leads to endpoints; only where its chains were shown whole does the missing mark say anything. */
function capturesClusterIp(tables: readonly IptablesTable[]): Rule | undefined {
  for (const { extent } of servicesOf(tables)) if (extent !== "whole") return undefined;
  return chainIn(tables, "nat", SERVICES)?.rules.find(
    (r) => isClusterIpRule(r) && r.target.kind === "jump" && isPerPort(r.target.chain),
  );
}

function detectLocalOf({ source, inInterface }: Rule): DetectLocal | undefined {
  if (source?.negated === true) {
    const length = lengthOfMask(source.value.mask);
    if (length === undefined) return undefined;
    return { mode: "ClusterCIDR", clusterCidrs: [formatPrefix({ address: source.value.address, length })] };
  }
  if (inInterface?.negated !== true) return undefined;
  const name = inInterface.value;
  return name.endsWith("+")
    ? { mode: "InterfaceNamePrefix", prefix: name.slice(0, -1) }
    : { mode: "BridgeInterface", bridge: name };
}

function tellNodePorts(tables: readonly IptablesTable[], tell: Tell): void {
  const nat = tables.find((t) => t.name === "nat");
  const said = nat === undefined ? [] : [...rulesSaying(nat, NODEPORTS, [SERVICES])];
  const jumps = said.map(({ rule }) => rule).filter((r) => jumpsTo(r, NODEPORTS));
  const all = jumps.find((r) => r.matches.some((m) => m.kind === "addrtype"));
  if (all !== undefined) {
    tell("nodePortAddresses", [], all);
    const { destination } = all;
    const excluded = destination?.negated === true && destination.value.address === LOOPBACK[4].address;
    if (typeof destination?.value.address !== "object") tell("localhostNodePorts", !excluded, all);
    return;
  }
  const [first] = jumps;
  if (first === undefined) return;
  const addresses = jumps.flatMap(({ destination }) =>
    destination === undefined
      ? []
      : [`${formatAddress(destination.value.address)}/${lengthOfMask(destination.value.mask)}`],
  );
  tell("nodePortAddresses", addresses, first);
}

function tellForward(tables: readonly IptablesTable[], tell: Tell): void {
  const forward = chainIn(tables, "filter", FORWARD);
  if (forward?.extent !== "whole" || forward.rules.length === 0) return;
  const invalid = forward.rules.some((r) =>
    r.matches.some((m) => m.kind === "conntrack" && m.states?.value.includes("INVALID") === true),
  );
  tell("conntrackTcpBeLiberal", !invalid, forward);
  const counters = new Map<string, Rule>();
  for (const chain of [forward, chainIn(tables, "nat", NODEPORTS)])
    for (const rule of chain?.rules ?? [])
      for (const m of rule.matches)
        if (m.kind === "other" && m.name === "nfacct") for (const name of m.options.slice(1)) counters.set(name, rule);
  for (const rule of counters.values()) tell("nfacctCounters", [...counters.keys()], rule);
}
