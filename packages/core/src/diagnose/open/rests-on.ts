import { type Text, text } from "../../messages/index.ts";
import { GROUND_VALUES, type Ground, groundId, rulesNaming, type Stack, type World } from "../../model/index.ts";
import { shell } from "../../model/shell.ts";
import { type Address, formatAddress, PROTO, protocolName } from "../../net/index.ts";
import type { Proof } from "../../remedy/index.ts";
import {
  type ClientSees,
  type Exploration,
  failsOnceOnly,
  groundsOf,
  isInternal,
  isPlacedElsewhere,
  type Judgement,
  judge,
  knowledgeOf,
  type Question,
  trace,
  type Verdict,
} from "../../trace/index.ts";

import { agreesWith, type SentFrom } from "./sent-from.ts";

/** Something that an answer rests on although nobody showed it, and what it would be called if it were otherwise. */
export interface RestsOn {
  /** As `--assume` takes it: `ID=VALUE`, the first value being what the walk took. */
  readonly id: string;
  readonly values: readonly [string, string];
  readonly ground: Ground;
  readonly fact: Text;
  readonly why: Text;
  readonly command: string;
  /** On which machine it is run; absent: it does not matter. */
  readonly node?: string;
  readonly otherwise: {
    readonly verdict: Verdict;
    readonly clientSees: ClientSees | null;
    readonly cause: string | null;
  };
}

/** What stands above the list. */
export const restsLead = ({ leaning: leans }: Judgement): Text =>
  text(leans === undefined ? "rests.lead-open" : "rests.lead");

/** A client that the question puts outside: the network up to the node's card is no part of the answer, and that is said once. */
export function beyond(
  { client }: Question,
  { world }: Exploration,
  { verdict, leaning: leans }: Judgement,
): Text | null {
  const stack = world.stacks.find((s) => s.name === client);
  const address = stack?.devices.items.find((d) => d.kind !== "loopback")?.addresses[0]?.prefix.address;
  if (stack?.assumed !== "outside" || address === undefined) return null;
  if ((verdict !== "reachable" && leans === undefined) || isInternal(world, address)) return null;
  return text("rests.beyond", { address: formatAddress(address) });
}

/** What would become of the flow, in words. */
export function otherwiseText({ otherwise: { verdict, clientSees, cause } }: RestsOn): Text {
  const phrase = text(`verdict.${verdict}`);
  if (clientSees === null) return text("rests.otherwise", { verdict: phrase });
  const sees = text(`sees.${clientSees}`);
  return cause === null
    ? text("rests.otherwise-sees", { verdict: phrase, sees })
    : text("rests.otherwise-cause", { verdict: phrase, sees, cause });
}

/** The verdict of a walk where its grounds count: it says no more than that nothing shown stops it. */
export const cautious = (judged: Judgement, exploration: Exploration): Judgement =>
  delivers(judged, exploration) && groundsOf(exploration).length > 0 ? leaning(judged) : judged;

/** Always, or but for the first datagram. */
export const delivers = ({ verdict }: Judgement, exploration: Exploration): boolean =>
  verdict === "reachable" || (verdict === "intermittent" && failsOnceOnly(exploration));

export const leaning = (judged: Judgement): Judgement => ({
  ...judged,
  verdict: "undetermined",
  reachableShare: null,
  clientSees: null,
  leaning: "reachable",
});

/** What the walk with a fix comes to, in words. */
export const proofText = ({ verdict, exploration }: Pick<Proof, "verdict" | "exploration">): Text =>
  verdict === "reachable" && groundsOf(exploration).length > 0 ? text("rests.proof") : text(`verdict.${verdict}`);

/** The likeliest to be otherwise first. */
const DOUBT: Readonly<Record<Ground["kind"], number>> = {
  service: 1,
  endpoint: 2,
  client: 3,
  table: 4,
  routes: 5,
  gateway: 6,
  source: 3,
  addresses: 3,
  "legacy-tables": 4,
  "nft-rules": 4,
  "route-table": 5,
  "routing-rules": 5,
  connections: 4,
  node: 7,
  mtu: 7,
  peers: 5.5,
  owner: 6,
  transparent: 8,
  listener: 8,
};

const doubtOf = (ground: Ground): number => {
  if (ground.kind === "gateway" && ground.routedBy !== undefined) return 0;
  return DOUBT[ground.kind] + (ground.kind === "table" && ground.how !== "cut" ? 0.5 : 0);
};

/** Other values that are walked; what is behind them is told without. */
const MOST = 12;
/** A world of more chances than this says no more about what a doubt would mean. */
const MAX_RUNS = 500;

export const byDoubt = (grounds: readonly Ground[]): readonly Ground[] =>
  [...grounds].sort((a, b) => doubtOf(a) - doubtOf(b));

/**
 * All that a walk rests on, most doubtful first, each walked with its other value. `sent`: where the request was captured on its way; what could not be
 * otherwise without its never having come there was shown by that.
 */
export function restsOn(
  question: Question,
  exploration: Exploration,
  sent: readonly SentFrom[] = [],
): readonly RestsOn[] {
  const grounds = byDoubt(groundsOf(exploration)).slice(0, MOST);
  const walked = grounds.map((ground) => ({ ground, walk: otherwise(ground, question, exploration, sent.length > 0) }));
  const left = walked.filter(({ walk }) => agreesWith(walk, sent));
  const rests = (left.length > 0 ? left : walked).map(({ ground, walk }) => ({
    id: groundId(ground),
    values: GROUND_VALUES[ground.kind],
    ground,
    ...groundWords(ground, exploration.world),
    command: commandOf(ground, question, exploration.world),
    ...("stack" in ground && ground.kind !== "gateway" && { node: ground.stack }),
    otherwise: outcomeOf(ground, walk),
  }));
  return [...rests.filter(isDecisive), ...rests.filter((r) => !isDecisive(r))];
}

/** Whose other value would be an answer; after them what is open either way. */
const isDecisive = ({ otherwise: { verdict } }: RestsOn): boolean => verdict !== "undetermined";

function otherwise(ground: Ground, question: Question, { world, fixed }: Exploration, record: boolean): Exploration {
  const input = new Map(fixed).set(groundId(ground), GROUND_VALUES[ground.kind][1]);
  return trace(world, question, { fixed: input, runs: MAX_RUNS, record });
}

function outcomeOf(ground: Ground, walk: Exploration): RestsOn["otherwise"] {
  const { verdict, clientSees } = judge(walk);
  return { verdict, clientSees, cause: verdict === "reachable" ? null : causeOf(ground, walk.world) };
}

function causeOf(ground: Ground, world: World): string | null {
  switch (ground.kind) {
    case "endpoint":
      return isOutside(ground, world) ? null : isElsewhere(ground, world) ? "WRONG_POD_ROUTE" : "STALE_ENDPOINT";
    case "service":
      return ground.known ? "PORT_NOT_IN_SERVICE" : "SERVICE_NOT_PROGRAMMED_HERE";
    case "gateway":
    case "routes":
      return "NO_ROUTE";
    case "route-table":
    case "routing-rules":
      return "NO_ROUTE";
    case "table":
      return "RULE_DROP";
    case "nft-rules":
      return "NFT_SECOND_TABLE_DROP";
    case "legacy-tables":
      return "LEGACY_NFT_CONFLICT";
    case "connections":
      return "CONNTRACK_STALE_UDP";
    case "mtu":
      return "MTU_BLACKHOLE";
    case "peers":
      return "NO_ROUTE";
    case "source":
    case "addresses":
    case "owner":
    case "transparent":
      return null;
    case "listener":
      return "NO_LISTENER";
    case "client":
    case "node":
      return null;
  }
}

const isOutside = (ground: Extract<Ground, { kind: "endpoint" }>, world: World): boolean =>
  ground.node === undefined && !isInternal(world, ground.address);

const isElsewhere = ({ node, address }: Extract<Ground, { kind: "endpoint" | "client" }>, world: World): boolean =>
  node !== undefined && knowledgeOf(world, address) !== undefined && isPlacedElsewhere(world, node, address);

function groundWords(ground: Ground, world: World): Pick<RestsOn, "fact" | "why"> {
  switch (ground.kind) {
    case "endpoint":
    case "client": {
      const { kind, node } = ground;
      const address = formatAddress(ground.address);
      const outside = kind === "endpoint" && isOutside(ground, world) && !namedByRules(world, ground.address);
      return {
        fact: node === undefined ? text(`rests.${kind}`, { address }) : text(`rests.${kind}-behind`, { address, node }),
        why: text(
          outside
            ? "rests.endpoint-outside-why"
            : isElsewhere(ground, world)
              ? "rests.elsewhere-why"
              : `rests.${kind}-why`,
        ),
      };
    }
    case "service":
      return {
        fact: text("rests.service", { address: formatAddress(ground.address) }),
        why: ground.known ? text("rests.service-port-why", { port: ground.port }) : text("rests.service-near-why"),
      };
    case "node": {
      if (ground.address === undefined)
        return { fact: text("rests.node", { node: ground.node }), why: text("rests.node-why") };
      const address = formatAddress(ground.address);
      const { node } = ground;
      return { fact: text("rests.node-of", { node, address }), why: text("rests.node-of-why", { node, address }) };
    }
    case "gateway": {
      const { stack, routedBy } = ground;
      const [gateway, address] = [formatAddress(ground.gateway), formatAddress(ground.destination)];
      return {
        fact: text("rests.gateway", { gateway, stack, address }),
        why:
          routedBy === undefined
            ? text("rests.gateway-why", { gateway })
            : text("rests.gateway-routed-why", { stack, address, other: routedBy }),
      };
    }
    case "table": {
      const { table, stack, how } = ground;
      return { fact: text(`rests.table-${how}`, { table, stack }), why: text(`rests.table-${how}-why`) };
    }
    case "routes":
      return {
        fact: text("rests.routes", { stack: ground.stack }),
        why: text(ground.how === "cut" ? "rests.routes-cut-why" : "rests.routes-why"),
      };
    case "route-table": {
      const { stack, table } = ground;
      return { fact: text("rests.route-table", { stack, table }), why: text("rests.route-table-why", { table }) };
    }
    case "source": {
      const { stack } = ground;
      const address = formatAddress(ground.address);
      return { fact: text("rests.source", { stack, address }), why: text("rests.source-why", { stack }) };
    }
    case "connections": {
      const { stack, port } = ground;
      return { fact: text("rests.connections", { stack, port }), why: text("rests.connections-why") };
    }
    case "mtu":
    case "peers": {
      const { kind, stack, device } = ground;
      return { fact: text(`rests.${kind}`, { stack, device }), why: text(`rests.${kind}-why`) };
    }
    case "transparent": {
      const { stack, port } = ground;
      return { fact: text("rests.transparent", { stack, port }), why: text("rests.transparent-why") };
    }
    case "routing-rules":
    case "addresses":
    case "owner":
    case "legacy-tables": {
      const { kind, stack } = ground;
      return { fact: text(`rests.${kind}`, { stack }), why: text(`rests.${kind}-why`) };
    }
    case "nft-rules": {
      const { how, stack } = ground;
      return { fact: text("rests.nft-rules", { stack }), why: text(`rests.nft-rules-${how}`) };
    }
    case "listener": {
      const port = `${protocolName(ground.protocol)}/${ground.port}`;
      const address = formatAddress(ground.address);
      return { fact: text("rests.listener", { stack: ground.stack, address, port }), why: text("rests.listener-why") };
    }
  }
}

/** Whether kube-proxy on some node translates to an address. */
const namedByRules = ({ stacks }: World, address: Address): boolean => stacks.some((s) => translatesTo(s, address));

function translatesTo({ ipvs, netfilter }: Stack, address: Address): boolean {
  if (ipvs.services.some((s) => s.realServers.some((r) => r.address === address))) return true;
  for (const table of netfilter.tables) {
    if (table.name !== "nat") continue;
    for (const { rule } of rulesNaming(table, address))
      if (rule.target.kind === "dnat" && rule.target.to.addresses?.from === address) return true;
  }
  return false;
}

export function commandOf(ground: Ground, question: Question, world: World): string {
  switch (ground.kind) {
    case "endpoint": {
      const address = formatAddress(ground.address);
      if (isOutside(ground, world) && !namedByRules(world, ground.address))
        return question.protocol === PROTO.icmp ? `ping -c 3 ${address}` : `nc -vz -w 3 ${address} ${question.port}`;
      return `kubectl get pods -A -o wide --field-selector status.podIP=${address}`;
    }
    case "client":
      return `kubectl get pods -A -o wide --field-selector status.podIP=${formatAddress(ground.address)}`;
    case "service":
      return `kubectl get svc -A -o wide | grep -wF ${formatAddress(ground.address)}`;
    case "node":
      return shell`hairpin collect --ssh ${ground.node}`;
    case "gateway":
      return `ssh ${formatAddress(ground.gateway)} ip route get ${formatAddress(ground.destination)}`;
    case "table":
      return `iptables-save -t ${ground.table}`;
    case "routes":
    case "route-table":
      return "ip route show table all";
    case "routing-rules":
      return "ip rule";
    case "source":
    case "addresses":
      return "ip addr";
    case "connections":
      return "conntrack -L -p udp";
    case "owner":
      return "ss -lntupe";
    case "transparent":
      return "ss -lntu --inet-sockopt";
    case "mtu":
      return "ip -d link";
    case "peers":
      return shell`wg show ${ground.device} allowed-ips`;
    case "legacy-tables":
      return "iptables-legacy-save";
    case "nft-rules":
      return "nft list ruleset";
    case "listener":
      return `ss -ln${ground.protocol === PROTO.udp ? "u" : "t"}`;
  }
}
