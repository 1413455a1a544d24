import type { Address } from "../net/index.ts";
import type { Group, Source, Target } from "./flow.ts";
import { type Flow, flowOf } from "./plan.ts";

/** The flows of a group, one after the other, as far as they have to be asked for. */
export interface Turns {
  next(): Flow | undefined;
  /** All that are like the last one go its way, but for those that are meant by `about`: how many others these are. They do not come any more. */
  skip(about: ReadonlySet<Address>): number;
}

/** Every flow of a list. */
export function everyOne(flows: Iterator<Flow>): Turns {
  return {
    next: () => {
      const step = flows.next();
      return step.done === true ? undefined : step.value;
    },
    skip: () => 0,
  };
}

/** Where a pod stands: in which run, and in which place of it. */
interface Place {
  readonly run: number;
  readonly place: number;
}

/** Somebody who is asked next. */
interface Next extends Place {
  readonly source: number;
  /** Whoever comes behind it in its run is asked, too. */
  readonly leads: boolean;
}

/** Pods that nothing tells apart stand in one run: of a hundred of a node one is asked, and the others are counted. */
export class Runs {
  readonly #pods: readonly Source[];
  readonly #runs: number[][] = [];
  readonly #places = new Map<Address, Place>();
  /** The first of each run, the last of these first. */
  readonly #firsts: readonly Next[];

  /** `numberOf`: equal for those of one run; negative: it stands alone. */
  constructor(pods: readonly Source[], numberOf: (pod: Source) => number) {
    this.#pods = pods;
    const byNumber = new Map<number, number>();
    for (const [i, pod] of pods.entries()) {
      const number = numberOf(pod);
      let run = number < 0 ? undefined : byNumber.get(number);
      if (run === undefined) {
        run = this.#runs.length;
        this.#runs.push([]);
        if (number >= 0) byNumber.set(number, run);
      }
      const place = this.#runs[run]!.push(i) - 1;
      for (const address of pod.addresses) this.#places.set(address, { run, place });
    }
    this.#firsts = this.#runs.map(([source], run): Next => ({ run, place: 0, source: source!, leads: true })).reverse();
  }

  turns({ targets, kind }: Group): Turns {
    let queue: Next[] = [];
    let target: Target | undefined;
    let last: Next | undefined;
    let at = 0;
    const add = (next: Next): void => {
      let i = queue.length;
      while (i > 0 && queue[i - 1]!.source < next.source) i--;
      queue.splice(i, 0, next);
    };
    const addBehind = ({ run, place, leads }: Next): void => {
      const source = leads ? this.#runs[run]![place + 1] : undefined;
      if (source !== undefined) add({ run, place: place + 1, source, leads });
    };
    const flowFrom = (source: number): Flow | undefined => flowOf(this.#pods[source]!, kind, target!);
    return {
      next: () => {
        if (last !== undefined) addBehind(last);
        for (;;) {
          last = queue.pop();
          if (last === undefined) {
            if (at === targets.length) return undefined;
            target = targets[at++];
            queue = [...this.#firsts];
            continue;
          }
          const flow = flowFrom(last.source);
          if (flow !== undefined) return flow;
          addBehind(last);
        }
      },
      skip: (about) => {
        if (last === undefined || !last.leads) return 0;
        const { run, place } = last;
        last = undefined;
        let others = this.#runs[run]!.length - place - 1;
        if (others === 0) return 0;
        for (const other of this.#among(run, about, target!)) {
          if (other <= place) continue;
          others--;
          const source = this.#runs[run]![other]!;
          // Who serves it asks as its endpoint, and nobody asks itself.
          if (flowFrom(source) !== undefined) add({ run, place: other, source, leads: false });
        }
        return others;
      },
    };
  }

  /** The places of those in a run who are meant, or have a part in what is asked. */
  #among(run: number, about: ReadonlySet<Address>, { endpoints, address }: Target): ReadonlySet<number> {
    const found = new Set<number>();
    const note = (a: Address): void => {
      const known = this.#places.get(a);
      if (known?.run === run) found.add(known.place);
    };
    for (const a of about) note(a);
    for (const a of endpoints) note(a);
    note(address);
    return found;
  }
}
