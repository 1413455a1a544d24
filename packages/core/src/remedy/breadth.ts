import type { Change, PatchStep } from "../assemble/index.ts";
import type { Rule } from "../model/index.ts";
import { isHost, isHostMask } from "../net/index.ts";
import { isPortSetting } from "./touch.ts";

/** How much traffic of its node a change can meet: one flow, one peer or Service, a device or network, everything. */
export type Breadth = 0 | 1 | 2 | 3;

export const breadthOf = (steps: readonly PatchStep[]): Breadth =>
  steps.flatMap((s) => s.changes.map(ofChange)).reduce<Breadth>((most, b) => (b > most ? b : most), 0);

function ofChange(change: Change): Breadth {
  switch (change.kind) {
    case "iptables": {
      const { operation } = change.command;
      return "rule" in operation ? ofRule(operation.rule) : 3;
    }
    case "nft":
      return ofNft(change.command);
    case "ip":
      return isPortSetting(change) ? 1 : ofIp(change);
    case "ipset":
    case "ipvs":
    case "hairpin":
      return 1;
    case "sysctl":
      return /\.conf\.(?!all\.|default\.)[^.]+\.[a-z_]+$/.test(change.command.key) ? 2 : 3;
    case "service":
      return 1;
    case "conntrack":
      return change.selector.sport === undefined ? 1 : 0;
    case "offload":
      return 2;
    case "module":
      return 3;
  }
}

/** By what the command says: it names both ends, one of them, something, or nothing. */
function ofNft(command: string): Breadth {
  const one = (field: string): boolean => new RegExp(`\\b${field} [0-9a-f.:]+(?: |$)`).test(command);
  const ends = Number(one("saddr")) + Number(one("daddr"));
  return ends === 2 ? 0 : ends === 1 ? 1 : /\b(?:iif|oif|saddr|daddr|dport)/.test(command) ? 2 : 3;
}

function ofRule(rule: Rule): Breadth {
  const host = (a: Rule["source"]): boolean => a !== undefined && !a.negated && isHostMask(a.value.mask);
  const called = rule.matches.some((m) => m.kind === "conntrack" && m.originalDestination?.negated === false);
  const to = host(rule.destination) || called;
  if (host(rule.source) && to) return 0;
  if (to || host(rule.source)) return 1;
  const bounded = [rule.source, rule.destination, rule.inInterface, rule.outInterface].some((x) => x !== undefined);
  return bounded || rule.matches.some((m) => m.kind !== "comment") ? 2 : 3;
}

function ofIp({ command }: Extract<Change, { kind: "ip" }>): Breadth {
  switch (command.kind) {
    case "route":
      return isHost(command.route.destination) ? 1 : 2;
    case "route-removal":
      return command.selector.destination !== undefined && isHost(command.selector.destination) ? 1 : 2;
    case "rule": {
      const { from, to } = command.rule;
      return [from, to].some((p) => p !== undefined && isHost(p)) ? 1 : 2;
    }
    case "address":
    case "neighbour":
      return 1;
    default:
      return 2;
  }
}
