import { type Address, formatAddress } from "../net/index.ts";
import { type Branch, type Exploration, type FateView, fateKey, type Leg } from "../trace/index.ts";
import { isOwn, type Side } from "./side.ts";

/** How two sides are held against each other. */
export interface Yardstick {
  /** The same node at two moments, or under two rule sets: the device and next hop a packet leaves by count. Two nodes: not. */
  readonly sameNode: boolean;
  /**
   * Two modes of kube-proxy: all that it writes comes from the same lines of its objects, so that packets are told apart by how they fare
   * and not by where their walks part.
   */
  readonly modes?: true;
}

/** What becomes of a packet under one hypothesis: each way it can go, with its share. */
export type Shares = ReadonlyMap<string, number>;

/** What becomes of a packet on one side, told in words that fit both: the client, the node, everybody else by address. */
export interface Fate {
  /** By hypothesis; one entry, under "", where nothing is open. */
  readonly outcomes: ReadonlyMap<string, Shares>;
  readonly undetermined: boolean;
  /** What becomes of each branch, in their order. */
  readonly byBranch: readonly string[];
}

export type Likeness = "same" | "different" | "undecided";

const SHARE = 1e-5;

export function fateOf(exploration: Exploration, side: Side, pod: Address | undefined, yardstick: Yardstick): Fate {
  const byBranch: string[] = [];
  const outcomes = new Map<string, Map<string, number>>();
  for (const branch of exploration.branches) {
    const text = fateKey(branch, viewOf(branch, side, pod, yardstick));
    byBranch.push(text);
    const input = [...branch.hypothesis]
      .map(([id, values]) => `${factName(id, side)}=${[...values].sort().join("|")}`)
      .sort()
      .join("\n");
    const outcome = outcomes.get(input) ?? new Map<string, number>();
    outcome.set(text, (outcome.get(text) ?? 0) + branch.share);
    outcomes.set(input, outcome);
  }
  const undetermined =
    exploration.overflow ||
    exploration.branches.some((b) => b.request.disposition === "undetermined" || b.clientSees === null);
  return { outcomes, undetermined, byBranch };
}

/** The same fact of the two nodes has the same name. */
const factName = (id: string, { node }: Side): string =>
  id.startsWith(`${node.name}/`) ? `@${id.slice(node.name.length)}` : id;

function viewOf(branch: Branch, side: Side, pod: Address | undefined, { sameNode }: Yardstick): FateView {
  const client = branch.request.met?.source ?? branch.request.final.src;
  const address = (a: Address): string => {
    if (a === client) return "client";
    if (sameNode) return formatAddress(a);
    return isOwn(side.node, a) ? "node" : a === pod ? "pod" : formatAddress(a);
  };
  return { address, leg: (leg) => (sameNode ? waysOut(leg, side) : "") };
}

/** By which devices, and to which next hops, the node sends a packet on. */
function waysOut({ met }: Leg, { node }: Side): string {
  const ways: string[] = [];
  for (const { stack, found } of met?.routes ?? []) {
    if (stack !== node.name || found.type === "local") continue;
    const [device, gateway] = found.type === "error" ? [] : [found.device.name, found.gateway];
    const way = `${device ?? ""}${gateway === undefined ? "" : `/${formatAddress(gateway)}`}`;
    // IPVS looks up the way of what it sends on once more.
    if (ways.at(-1) !== way) ways.push(way);
  }
  return ways.join(" ");
}

const sameOutcome = (a: Shares, b: Shares): boolean =>
  a.size === b.size && [...a].every(([text, share]) => Math.abs((b.get(text) ?? -1) - share) < SHARE);

/**
 * Whether a packet fares alike. Where open facts leave one side or both more than one outcome, and some values would make
 * them alike, that is not decided.
 */
export function likeness(a: Fate, b: Fate): Likeness {
  const keys = new Set([...a.outcomes.keys(), ...b.outcomes.keys()]);
  const both = [...keys].every((k) => {
    const [x, y] = [a.outcomes.get(k), b.outcomes.get(k)];
    return x !== undefined && y !== undefined && sameOutcome(x, y);
  });
  if (both) return "same";
  if (a.undetermined || b.undetermined) return "undecided";
  const possible = [...a.outcomes.values()].some((x) => [...b.outcomes.values()].some((y) => sameOutcome(x, y)));
  if (!possible) return "different";
  // Alike under one value of a fact that both leave open and unlike under another is a difference all the same.
  for (const [k, x] of a.outcomes) {
    const y = b.outcomes.get(k);
    if (y !== undefined && !sameOutcome(x, y)) return "different";
  }
  return "undecided";
}
