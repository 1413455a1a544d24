import type { Address } from "../net/index.ts";
import type { Asking } from "./asking.ts";
import { AlikeNodes, type Asker, type Way } from "./classes/alike-nodes.ts";
import { Bunches } from "./classes/bunches.ts";
import type { Target } from "./flow.ts";
import type { Flow } from "./plan.ts";
import type { Views } from "./views/views.ts";

/** What tells without comparing keys that a flow goes the way of another; for all groups of a sweep. */
export class Likeness {
  readonly bunches: Bunches;
  readonly nodes: AlikeNodes;

  readonly seen: Views["seen"];

  constructor(views: Views) {
    this.seen = views.seen;
    this.bunches = new Bunches(views);
    this.nodes = new AlikeNodes(views, this.bunches);
  }
}

/** A class, and the pods of whom rules on the way speak: these do not go that way unasked. */
interface Joinable<Open> {
  readonly open: Open;
  readonly about: ReadonlySet<Address>;
}

const NOBODY: ReadonlySet<Address> = new Set();

/** So many ways to one target are kept. */
const MOST_WAYS = 16;

const isAbout = (about: ReadonlySet<Address>, { source, target }: Flow): boolean =>
  about.size > 0 && (about.has(target.address) || source.addresses.some((a) => about.has(a)));

/** What is known of the way of a flow that was answered last. */
type Answered<Open> = Pick<Asking<Open>, "met" | "chainsMet">;

/** Which flows of one group go the way of one before them. */
export class Joining<Open> {
  readonly #likeness: Likeness;
  readonly #asking: Answered<Open>;
  readonly #bunched = new Map<number, Joinable<Open>>();
  #target: Target | undefined;
  #ways: (Joinable<Open> & { readonly way: Way })[] = [];

  constructor(likeness: Likeness, asking: Answered<Open>) {
    this.#likeness = likeness;
    this.#asking = asking;
  }

  find(flow: Flow): Joinable<Open> | undefined {
    const bunch = this.#likeness.bunches.of(flow);
    const first = bunch === undefined ? undefined : this.#bunched.get(bunch);
    if (first !== undefined) return isAbout(first.about, flow) ? undefined : first;
    const asker = this.#askerOf(flow);
    const found = asker === undefined ? undefined : this.#found(asker, flow);
    if (found !== undefined && bunch !== undefined) this.#bunched.set(bunch, found);
    return found;
  }

  /** Takes note of the class that answers a flow; whether others may be counted to it, and who not. */
  note(flow: Flow, open: Open): Joinable<Open> | undefined {
    const { bunches, nodes } = this.#likeness;
    const bunch = bunches.of(flow);
    const asker = this.#askerOf(flow);
    const isFirst = bunch !== undefined && !this.#bunched.has(bunch);
    if (!isFirst && asker === undefined) return undefined;
    const about = bunch === undefined ? NOBODY : this.#about(flow);
    if (about === undefined || isAbout(about, flow)) return undefined;
    const joinable = { open, about };
    if (isFirst) this.#bunched.set(bunch, joinable);
    const looked = asker === undefined || this.#ways.length === MOST_WAYS ? undefined : this.#asking.met(flow);
    const way = looked === undefined ? undefined : nodes.wayOf(asker!, looked);
    if (way !== undefined) this.#ways.push({ ...joinable, way });
    return isFirst ? joinable : undefined;
  }

  /** Nodes that rules speak of are no askers: who they are about matters where a pod has a part. Who was seen to send there is asked, too. */
  #about(flow: Flow): ReadonlySet<Address> | undefined {
    const chains = this.#asking.chainsMet(flow);
    const about = chains === undefined ? undefined : this.#likeness.bunches.about(chains);
    const { seen } = this.#likeness;
    if (seen === undefined || about === undefined) return about;
    const met = this.#asking.met(flow);
    if (met === undefined || met.isTracked) return undefined;
    return new Set([...about, ...seen.sendersTo(met.addresses)]);
  }

  #askerOf(flow: Flow): Asker | undefined {
    if (flow.target !== this.#target) {
      this.#target = flow.target;
      this.#ways = [];
    }
    return this.#likeness.nodes.askerOf(flow);
  }

  #found(asker: Asker, flow: Flow): Joinable<Open> | undefined {
    const { nodes } = this.#likeness;
    return this.#ways.find(({ way, about }) => nodes.goes(asker, way) && !isAbout(about, flow));
  }
}
