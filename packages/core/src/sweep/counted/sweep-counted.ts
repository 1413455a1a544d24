import type { Askable } from "../../diagnose/index.ts";
import { formatAddress, protocolName } from "../../net/index.ts";
import { type Answer, answerOf, inspect } from "../answer.ts";
import { answerJson } from "../json.ts";
import { askedOf, type Flow, type Wanted } from "../plan.ts";
import type { Sweep, SweptClass } from "../swept.ts";
import { type Balanced, balancedOf } from "./balanced.ts";
import { castOf } from "./cast.ts";
import type { Census } from "./census.ts";
import { type CountedGroup, Groups } from "./groups.ts";
import type { Counted } from "./pairs.ts";
import { partOf, Witnesses } from "./part.ts";
import { Places } from "./places.ts";
import { Retelling } from "./retelling.ts";
import type { Offer } from "./service.ts";
import { Tally } from "./spread.ts";

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
  const answers = new Retelling();
  let answered = 0;
  const known = (): Sweep => ({
    classes: classes.map(closed),
    flows,
    answered,
    walks: classes.length,
    ...(shard !== undefined && { shard }),
  });
  const walk = (flow: Flow, offer: Offer | undefined, balanced: Balanced | undefined): Answer => {
    const { objects, balancers } = partOf(census, witnesses, flow, offer, balanced);
    const part = askable.part(objects, balancers, census.objects);
    return answerOf(inspect(part, askedOf(flow)), part.world);
  };
  for (const group of groups.all()) {
    if (!isOwn(group)) continue;
    const open = new Map<string, Open>();
    for (const counted of group.flows()) {
      const { example } = counted;
      const key = `${group.key} ${counted.key}`;
      const balanced = balancedOf(census, example, group.offer, () => places.of(group.offer));
      const { answer, walked } = answers.of(
        key,
        `${example.target.namespace}/${example.target.name}`,
        () => castOf(census, example, group.offer, balanced),
        () => walk(example, group.offer, balanced),
      );
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
      if (walked) yield { answered, flows, known };
    }
  }
  return known();
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
