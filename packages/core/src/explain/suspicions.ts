import { type Text, text } from "../messages/index.ts";
import type { Origin, Stack, World } from "../model/index.ts";
import { contains, formatAddress, sameAddress } from "../net/index.ts";
import type { Question } from "../trace/index.ts";
import type { ClaimedCause } from "./index.ts";

/** A counter that was shown, of some node. */
export interface ShownCounter {
  readonly node: string;
  readonly name: string;
  readonly value: number;
  readonly origin: Origin;
}

/**
 * Causes of time and load that no single walk can show, where the dumps give them away. Never more than `possible`; and a
 * walk that delivers beside one of them is not the last word.
 */
export function suspicions(
  world: World,
  question: Question,
  counters: readonly ShownCounter[],
): readonly ClaimedCause[] {
  const nodes = world.stacks.filter((s) => s.assumed === undefined);
  return [
    ...arpNotStrict(nodes, question),
    ...nodes.flatMap(twRecycle),
    ...nodes.flatMap((s) => connectionReuse(s, question)),
    ...insertRace(counters),
  ];
}

const suspect = (code: string, stack: string, summary: Text, evidence: readonly Origin[]): ClaimedCause => ({
  code,
  certainty: "possible",
  direction: "request",
  stack,
  step: "over time",
  drop: null,
  summary,
  evidence,
});

/** Several nodes have the address on a dummy device and may answer ARP for it: who gets a client's packets is a race. */
function arpNotStrict(nodes: readonly Stack[], question: Question): readonly ClaimedCause[] {
  const holders = nodes.flatMap((stack) => {
    const address = stack.devices.items
      .filter((d) => d.kind === "dummy")
      .flatMap((d) => d.addresses)
      .find((a) => sameAddress(a.prefix.address, question.to));
    const onLink = stack.devices.items.some(
      (d) => d.kind !== "dummy" && d.addresses.some((a) => a.prefix.length < 32 && contains(a.prefix, question.to)),
    );
    const ignores = [...stack.sysctls.values()].some((e) => e.key.endsWith(".arp_ignore") && Number(e.value) > 0);
    return address === undefined || !onLink || ignores ? [] : [{ stack, origin: address.origin }];
  });
  const [first] = holders;
  if (first === undefined || holders.length < 2) return [];
  const summary = text("cause.arp_not_strict", { stacks: holders.map((h) => h.stack.name) });
  return [
    suspect(
      "ARP_NOT_STRICT",
      first.stack.name,
      summary,
      holders.map((h) => h.origin),
    ),
  ];
}

function twRecycle(stack: Stack): readonly ClaimedCause[] {
  const entry = stack.sysctls.get("net.ipv4.tcp_tw_recycle");
  if (entry === undefined || entry.value === "0") return [];
  const summary = text("cause.tcp_tw_recycle_nat", { stack: stack.name });
  return [suspect("TCP_TW_RECYCLE_NAT", stack.name, summary, [entry.origin])];
}

/** conn_reuse_mode 0: a reused source port goes where the old connection went, even to a server that was taken out. */
function connectionReuse(stack: Stack, question: Question): readonly ClaimedCause[] {
  const mode = stack.sysctls.get("net.ipv4.vs.conn_reuse_mode");
  const service = stack.ipvs.services.find(
    (s) => s.key.kind === "address" && sameAddress(s.key.address, question.to) && s.key.port === question.port,
  );
  const drained = service?.realServers.find((r) => r.weight === 0 && (r.inactiveConnections ?? 0) > 0);
  if (mode?.value !== "0" || drained === undefined) return [];
  const summary = text("cause.ipvs_conn_reuse", { address: formatAddress(drained.address) });
  return [suspect("IPVS_CONN_REUSE", stack.name, summary, [drained.origin, mode.origin])];
}

/** Entries that lost the race into the table: one of two packets sent at once, or ports drawn alike, is dropped. */
function insertRace(counters: readonly ShownCounter[]): readonly ClaimedCause[] {
  const failed = counters.filter((c) => c.name === "conntrack.insert_failed" && c.value > 0);
  const [first] = failed;
  if (first === undefined) return [];
  const total = failed.reduce((n, c) => n + c.value, 0);
  const summary = text("cause.conntrack_insert_race", { count: total });
  return [
    suspect(
      "CONNTRACK_INSERT_RACE",
      first.node,
      summary,
      failed.map((c) => c.origin),
    ),
  ];
}
