import { COUNTER_FILES, COUNTER_FILES_6, type Counters, changes, countersOf } from "./decode/counters.ts";
import type { Session } from "./executor/session.ts";
import type { CounterChanges } from "./observation.ts";
import type { LabPlan } from "./plan.ts";

/** Reads the counters of a world's stacks again and again, and tells what moved. */
export class CounterReader {
  readonly #session: Session;
  readonly #world: string;
  readonly #stacks: readonly string[];
  readonly #files: readonly string[];
  /** By stack and file: the executor sends only what differs from last time. */
  readonly #last = new Map<string, Counters>();

  constructor(session: Session, world: string, plan: LabPlan) {
    const stacks = plan.stacks.filter((s) => s.role === "stack");
    this.#session = session;
    this.#world = world;
    this.#stacks = plan.observe.counters ? stacks.map((s) => s.name) : [];
    this.#files = stacks.some((s) => s.ipv6) ? COUNTER_FILES_6 : COUNTER_FILES;
  }

  async moved(): Promise<CounterChanges> {
    if (this.#stacks.length === 0) return new Map();
    const read = await this.#session.call("read", {
      world: this.#world,
      stacks: this.#stacks,
      files: this.#files,
      changed: true,
    });
    const all = new Map<string, Map<string, number>>();
    for (const [stack, files] of Object.entries(read)) {
      const moved = new Map<string, number>();
      for (const [file, text] of Object.entries(files)) {
        const key = `${stack}\n${file}`;
        const now = countersOf({ [file]: text });
        for (const [name, delta] of changes(this.#last.get(key) ?? new Map(), now)) moved.set(name, delta);
        this.#last.set(key, now);
      }
      all.set(stack, moved);
    }
    return all;
  }
}
