import { FORWARD_CONNTRACK, is, isNot, type Match } from "../../model/index.ts";
import { ACCEPT, comment, DROP, inState, LOOPBACK, marked, orMark, RETURN, type RuleSpec, xorMark } from "../rules.ts";
import { isSince } from "../version.ts";
import {
  EXTERNAL_SERVICES,
  FIREWALL,
  FORWARD,
  MARK_DROP,
  MARK_MASQ,
  NODEPORTS,
  POSTROUTING,
  PROXY_FIREWALL,
  SERVICES,
} from "./names.ts";
import { localhostNodePorts } from "./node-ports.ts";
import type { Sync } from "./sync.ts";

/** Chains that exist whatever the Services are. */
export function declareBaseChains({ view: { version }, nat, filter }: Sync): void {
  for (const name of [SERVICES, EXTERNAL_SERVICES, FORWARD]) filter.chain(name);
  if (isSince(version, 21)) filter.chain(NODEPORTS);
  if (isSince(version, 25)) filter.chain(PROXY_FIREWALL);
  for (const name of [SERVICES, NODEPORTS, POSTROUTING, MARK_MASQ]) nat.chain(name);
  // kube-proxy only makes sure that kubelet's chain is there to be jumped to.
  if (isSince(version, 20) && !isSince(version, 25)) nat.chain(MARK_DROP);
}

export function writeMasqueradeChains({ view: { version, config }, nat, origin }: Sync): void {
  const mark = config.masqueradeMark;
  const masquerade = {
    target: { kind: "masquerade", random: false, randomFully: config.randomFully || isSince(version, 37) },
  } as const;
  const requiring = comment("kubernetes service traffic requiring SNAT");
  if (isSince(version, 18, 6)) {
    // The mark is cleared, or a packet that comes by again would be masqueraded again.
    nat.append(POSTROUTING, { matches: [marked(mark, true)], target: RETURN }, origin);
    nat.append(POSTROUTING, { matches: [], target: xorMark(mark) }, origin);
    nat.append(POSTROUTING, { matches: [requiring], ...masquerade }, origin);
  } else nat.append(POSTROUTING, { matches: [requiring, marked(mark)], ...masquerade }, origin);
  nat.append(MARK_MASQ, { matches: [], target: orMark(mark) }, origin);
}

const INVALID_COUNTER = "ct_state_invalid_dropped_pkts";

const conntrackRule = (text: string): RuleSpec => ({
  matches: [comment(text), inState(["RELATED", "ESTABLISHED"])],
  target: ACCEPT,
});

export function writeForwardChain({ view: { version, config }, filter, origin }: Sync): void {
  if (!(config.conntrackTcpBeLiberal && isSince(version, 29))) {
    const counted = isSince(version, 31) && config.nfacctCounters.includes(INVALID_COUNTER);
    const matches: Match[] = [inState(["INVALID"])];
    if (counted) matches.push(nfacct(INVALID_COUNTER));
    filter.append(FORWARD, { matches, target: DROP }, origin);
  }
  const accepted = [comment("kubernetes forwarding rules"), marked(config.masqueradeMark)];
  filter.append(FORWARD, { matches: accepted, target: ACCEPT }, origin);
  if (isSince(version, 23)) filter.append(FORWARD, conntrackRule(FORWARD_CONNTRACK), origin);
  else
    for (const side of ["source", "destination"])
      filter.append(FORWARD, conntrackRule(`kubernetes forwarding conntrack pod ${side} rule`), origin);
}

/** Counts and goes on. */
export const nfacct = (name: string): Match => ({ kind: "other", name: "nfacct", options: ["--nfacct-name", name] });

/** Without it route_localnet would let neighbours reach what listens on 127.0.0.1 (kubelet writes the same rule). */
export const LOCALNET_RULE: RuleSpec = {
  source: isNot(LOOPBACK[4]),
  destination: is(LOOPBACK[4]),
  matches: [comment("block incoming localnet connections"), inState(["RELATED", "ESTABLISHED", "DNAT"], true)],
  target: DROP,
};

export function writeLocalnetFirewall(sync: Sync): void {
  const { view, filter, origin } = sync;
  if (isSince(view.version, 27) && view.family === 4 && localhostNodePorts(view))
    filter.append(FIREWALL, LOCALNET_RULE, origin);
}
