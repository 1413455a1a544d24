import { type Askable, BadRequest } from "../../diagnose/index.ts";
import { append } from "../../net/append.ts";
import { inspect } from "../answer.ts";
import { Likeness } from "../joining.ts";
import { planOf } from "../plan.ts";
import { sweep } from "../sweep.ts";
import type { Sweep } from "../swept.ts";
import { viewsOf } from "../views/views.ts";
import { Answers, knownOf } from "./answers.ts";
import type { Expectation } from "./expectation.ts";
import { type Found, type Held, heldBy } from "./held.ts";
import { Meant } from "./meant.ts";
import { isOfKinds, SweptKinds, wantedFor } from "./whole-kinds.ts";

/** How far it is. */
export interface HoldingProgress {
  readonly answered: number;
  readonly flows: number;
  /** What is known so far of each line. */
  readonly known: () => readonly Held[];
}

/** Holds every expectation against the case. */
export function holdAll(askable: Askable, expectations: readonly Expectation[]): readonly Held[] {
  const holding = hold(askable, expectations);
  for (;;) {
    const step = holding.next();
    if (step.done === true) return step.value;
  }
}

/** Lines about whole kinds are answered by one sweep, the others by their own flows; stops where whoever waits wants it to. */
export function* hold(
  askable: Askable,
  expectations: readonly Expectation[],
): Generator<HoldingProgress, readonly Held[]> {
  const held = new Map<Expectation, Held>();
  const known = (): readonly Held[] =>
    expectations.map((e) => held.get(e) ?? { expectation: e, result: "not-asked", flows: 0, broken: [] });
  const ofKinds = expectations.filter(isOfKinds);
  const others = expectations.filter((e) => !isOfKinds(e));
  const plan = others.length === 0 ? undefined : planOf(askable.world);
  const meant = plan === undefined ? undefined : new Meant(plan);
  let [answered, flows] = [0, others.reduce((n, line) => n + countOf(meant!, line), 0)];

  if (ofKinds.length > 0) {
    const toldBy = (swept: Sweep, isAll: boolean): void => {
      const kinds = new SweptKinds(askable.world, swept);
      for (const line of ofKinds) {
        const found = kinds.found(line);
        held.set(line, isAll && found.length === 0 ? asSaid(askable, line) : heldBy(line, found, isAll));
      }
    };
    const walking = sweep(askable, wantedFor(ofKinds));
    for (;;) {
      const step = walking.next();
      answered = step.value.answered;
      if (step.done === true) {
        toldBy(step.value, true);
        break;
      }
      const { known: sofar, flows: swept } = step.value;
      yield {
        answered,
        flows: flows + swept,
        known: () => {
          toldBy(sofar(), false);
          return known();
        },
      };
    }
    flows += answered;
  }
  if (meant === undefined) return known();

  const views = viewsOf(askable);
  const likeness = views?.shareable === true ? new Likeness(views) : undefined;
  const answers = new Answers(askable, views, likeness);
  for (const line of others) {
    const found: Found[] = [];
    for (const group of meant.of(line)) {
      const asking = answers.ask(line, group, group.flows());
      for (;;) {
        const step = asking.next();
        if (step.done === true) {
          append(found, step.value);
          break;
        }
        answered++;
        const sofar = step.value;
        yield {
          answered,
          flows,
          known: () => {
            held.set(line, heldBy(line, [...found, sofar], false));
            return known();
          },
        };
      }
    }
    held.set(line, found.length === 0 ? asSaid(askable, line) : heldBy(line, found));
  }
  return known();
}

function countOf(meant: Meant, line: Expectation): number {
  let flows = 0;
  for (const group of meant.of(line)) for (const _ of group.flows()) flows++;
  return flows;
}

/** No flow of a sweep is meant: then it is asked as it says. */
function asSaid(askable: Askable, expectation: Expectation): Held {
  const { from, to, proto = "tcp", node, via, family } = expectation;
  const nothing: Held = { expectation, result: "matches-nothing", flows: 0, broken: [] };
  if (/[*?]/.test(from + to)) return nothing;
  try {
    const rest = { ...(node !== undefined && { node }), ...(via !== undefined && { via }) };
    const said = { from, to, proto, ...rest };
    const families = family === undefined ? askable.families(said) : [family];
    const asked = families.length === 0 ? [said] : families.map((f) => ({ ...said, family: f }));
    return heldBy(
      expectation,
      asked.map((a): Found => ({ asked: a, flows: 1, ...knownOf(inspect(askable, a)) })),
    );
  } catch (error) {
    if (error instanceof BadRequest) return nothing;
    throw error;
  }
}
