import type { Stack, World } from "../model/index.ts";
import { type Address, contains, isHost, type Prefix, parsePrefix } from "../net/index.ts";
import { type Exploration, hostedBy, type Question } from "../trace/index.ts";
import type { Candidate } from "./fix.ts";
import { stackOf } from "./scene.ts";

/** Who takes part in a flow: the client, the node it is on, is or comes in by, and what is asked with the node of that. */
export type Part = "from" | "node" | "to";

/** Of whom the commands speak: a flow in which others take these parts needs them with other names. */
export function partsNamed(
  { commands, outside }: Candidate,
  question: Question,
  { world }: Exploration,
): readonly Part[] {
  const places = [...commands.map((c) => c.stack), ...(typeof outside?.where === "string" ? [outside.where] : [])];
  const tokens = new Set([...places, ...commands.flatMap((c) => c.words.flatMap((w) => w.split(BETWEEN)))]);
  const prefixes = [...tokens].flatMap((t) => parsePrefix(t) ?? []).filter((p) => isHost(p) || isOfOne(world, p));
  const named = ({ names, addresses }: Player): boolean =>
    names.some((n) => tokens.has(n)) || prefixes.some((p) => addresses.some((a) => contains(p, a)));
  return playersOf(question, world).flatMap(({ part, ...player }) => (named(player) ? [part] : []));
}

/** What stands between the values in a word: `key=value`, JSON, a set of nft. */
const BETWEEN = /[\s=,"'{}[\]]+/;

interface Player {
  readonly names: readonly string[];
  readonly addresses: readonly Address[];
}

function playersOf(question: Question, world: World): readonly (Player & { readonly part: Part })[] {
  const client = stackOf(world, question.client);
  const near = question.arrival?.stack ?? (client?.kind === "node" ? client.name : nodeOf(client, world));
  const asked = world.stacks.find((s) => addressesOf(s).includes(question.to));
  const far = nodeOf(asked, world);
  return [
    { part: "from", ...playerOf(client) },
    { part: "node", ...playerOf(near === undefined ? undefined : stackOf(world, near)) },
    { part: "to", names: [], addresses: [question.to] },
    { part: "to", ...playerOf(asked) },
    { part: "to", ...playerOf(far === undefined ? undefined : stackOf(world, far)) },
  ];
}

const playerOf = (stack: Stack | undefined): Player =>
  stack === undefined ? { names: [], addresses: [] } : { names: [stack.name], addresses: addressesOf(stack) };

/** Those of loopback and of dummies (kube-ipvs0) are everybody's. */
const addressesOf = ({ devices }: Stack): readonly Address[] =>
  devices.items
    .filter((d) => d.kind !== "loopback" && d.kind !== "dummy")
    .flatMap((d) => d.addresses.map((a) => a.prefix.address));

function nodeOf(stack: Stack | undefined, world: World): string | undefined {
  if (stack === undefined || stack.node !== undefined) return stack?.node;
  return addressesOf(stack)
    .map((a) => hostedBy(world, a))
    .find((n) => n !== undefined);
}

/** A network of one node, not of all. */
function isOfOne({ stacks, kubernetes, partOf }: World, prefix: Prefix): boolean {
  const nodes = stacks.filter((s) => s.kind === "node").map((s) => [s.name, addressesOf(s)] as const);
  const left = (partOf?.nodes ?? []).map((n) => [n.name, n.addresses] as const);
  const pods = (partOf ?? kubernetes).pods.map((p) => [p.nodeName, p.addresses] as const);
  const within = [...nodes, ...left, ...pods].filter(([, addresses]) => addresses.some((a) => contains(prefix, a)));
  return new Set(within.map(([name]) => name)).size < 2;
}
