import type { Askable } from "../../diagnose/index.ts";
import { formatAddress, protocolName } from "../../net/index.ts";
import { type Answer, answerOf, inspect } from "../answer.ts";
import { answerJson } from "../json.ts";
import { askedOf, type Flow, type Wanted } from "../plan.ts";
import { fails, type Sweep, type SweptClass } from "../swept.ts";
import { type Balanced, balancedOf } from "./balanced.ts";
import type { Census, Host } from "./census.ts";
import { type CountedGroup, Groups } from "./groups.ts";
import type { Counted } from "./pairs.ts";
import { partOf, Witnesses } from "./part.ts";
import { Places } from "./places.ts";
import type { Offer } from "./service.ts";
import { Tally } from "./spread.ts";

/** An answer, and who takes part in the flow it was given for, in an order that flows like it have, too. */
interface Known {
  readonly answer: Answer;
  readonly cast: readonly string[];
}

/** A class while flows come in that fare alike. */
interface Open {
  readonly id: string;
  readonly first: Flow;
  readonly answer: Answer;
  readonly nodes: Tally;
  readonly addresses: Tally;
  flows: number;
}

export interface CountedProgress {
  readonly answered: number;
  readonly flows: number;
  readonly known: () => Sweep;
}

/**
 * A sweep of what objects alone tell: classes of sources times classes of targets, counted and not listed. Each is walked once, in a World
 * of none but those that take part, and answers for all Services of which the same is said.
 */
export function* sweepCounted(
  askable: Askable,
  census: Census,
  options: Wanted & { readonly member?: (flow: Flow, id: string, group: string) => void },
): Generator<CountedProgress, Sweep> {
  const { shard, member } = options;
  const places = new Places(census, options);
  const groups = new Groups(census, places);
  const witnesses = new Witnesses(census.objects);
  const isOwn = ({ number }: CountedGroup): boolean => shard === undefined || number % shard.of === shard.index - 1;
  let flows = 0;
  for (const group of groups.all()) if (isOwn(group)) for (const { count } of group.flows()) flows += count;
  const classes: Open[] = [];
  const answers = new Map<string, Known>();
  let answered = 0;
  const known = (): Sweep => ({
    classes: classes.map(closed),
    flows,
    answered,
    walks: classes.length,
    ...(shard !== undefined && { shard }),
  });
  const walked = (flow: Flow, offer: Offer | undefined, balanced: Balanced | undefined): Answer => {
    const { objects, balancers } = partOf(census, witnesses, flow, offer, balanced);
    const part = askable.part(objects, balancers);
    return answerOf(inspect(part, askedOf(flow)), part.world);
  };
  for (const group of groups.all()) {
    if (!isOwn(group)) continue;
    const open = new Map<string, Open>();
    for (const counted of group.flows()) {
      const { example } = counted;
      const key = `${group.key} ${counted.key}`;
      const balanced = balancedOf(census, example, group.offer, () => places.of(group.offer));
      const cast = castOf(example, group.offer, balanced);
      let before = answers.get(key);
      // What fails is told with its own names and lines.
      const fresh = before === undefined || fails(before.answer);
      const answer = fresh ? walked(example, group.offer, balanced) : renamed(before!.answer, before!.cast, cast);
      if (before === undefined) {
        before = { answer, cast };
        answers.set(key, before);
      }
      const { verdict, clientSees, leaning, causes, fix } = answerJson(answer);
      const alike = JSON.stringify([verdict, clientSees, leaning, causes, fix]);
      let at = open.get(alike);
      if (at === undefined) {
        at = {
          id: `${group.number}.${open.size}`,
          first: example,
          answer,
          nodes: new Tally(),
          addresses: new Tally(),
          flows: 0,
        };
        open.set(alike, at);
        classes.push(at);
      }
      join(at, counted);
      if (member !== undefined) for (const flow of counted.members()) member(flow, at.id, group.key);
      answered += counted.count;
      if (fresh) yield { answered, flows, known };
    }
  }
  return known();
}

/** Everybody's name, each where one like it stands in the cast of a flow like this. */
function castOf({ source, target }: Flow, offer: Offer | undefined, balanced: Balanced | undefined): readonly string[] {
  const places = [...(offer?.places ?? [])].sort(([a, x], [b, y]) => x - y || order(a, b));
  return [
    source.node ?? "",
    target.node ?? "",
    formatAddress(target.address),
    ...places.map(([host]) => host.object.name),
    ...(balanced?.hosts ?? []).map((host) => host.object.name),
  ];
}

const order = (a: Host, b: Host): number => (a.object.name < b.object.name ? -1 : 1);

/** The facts that would decide it, by the names of another flow of the same way. */
function renamed(answer: Answer, from: readonly string[], to: readonly string[]): Answer {
  if (answer.facts.length === 0) return answer;
  const names = new Map<string, string>();
  for (const [i, name] of from.entries()) if (!names.has(name)) names.set(name, to[i]!);
  const told = (text: string): string => text.replace(/[\w.-]+/g, (word) => names.get(word) ?? word);
  return {
    ...answer,
    facts: answer.facts.map(({ fact, command }) => ({
      fact: told(fact),
      command: command === null ? null : told(command),
    })),
  };
}

function join(at: Open, { count, nodes, addresses }: Counted): void {
  at.flows += count;
  for (const spread of nodes) at.nodes.add(spread);
  for (const spread of addresses) at.addresses.add(spread);
}

function closed({ id, first, answer, nodes, addresses, flows }: Open): SweptClass {
  const { source, target } = first;
  const several = addresses.count > 1 && (target.kind === "pod" || target.kind === "kubelet");
  return {
    id,
    from: { kind: source.kind, node: source.node, nodes: nodes.count, example: source.from },
    to: {
      kind: target.kind,
      service: several ? null : target.name,
      address: formatAddress(target.address),
      addresses: addresses.count,
      port: target.port,
      via: target.via,
    },
    proto: protocolName(target.protocol),
    family: target.family,
    flows,
    ...answer,
    example: askedOf(first),
  };
}
