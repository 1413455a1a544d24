import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadedCase } from "@hairpin/case/index.ts";
import type { Gathered, TextFile, Wish } from "@hairpin/collect/index.ts";
import { Askable, type LoadedCase, type QuestionOptions, unshownOn } from "@hairpin/core/diagnose/index.ts";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { filesOfAll } from "../kubectl/gathered-files.ts";
import { caseYaml } from "./case-yaml.ts";

/** A walk that still leaves what was read after this many rounds is answered as far as it goes. */
const ROUNDS = 6;

/** Who reads nodes. */
export interface Reads {
  collect(wishes: readonly Wish[]): Promise<readonly Gathered[]>;
}

export interface LiveQuestion {
  readonly question: QuestionOptions;
  readonly assume: readonly string[];
}

/** What one question needs of a cluster: its objects, and of nodes and pods those that the round trip meets. */
export class Gathering {
  readonly #asked: LiveQuestion;
  readonly #objects: readonly TextFile[];
  readonly #nodes = new Map<string, readonly TextFile[]>();
  /** What was asked of each node so far, whatever came of it. */
  readonly #tried = new Map<string, readonly string[]>();
  readonly #say: (said: Text) => void;

  constructor(asked: LiveQuestion, objects: readonly TextFile[], say: (said: Text) => void) {
    this.#asked = asked;
    this.#objects = objects;
    this.#say = say;
  }

  get files(): readonly TextFile[] {
    const { question, assume } = this.#asked;
    return [caseYaml(question, assume), ...this.#objects, ...[...this.#nodes.values()].flat()];
  }

  get nodesRead(): number {
    return this.#nodes.size;
  }

  loaded(): LoadedCase {
    const inputs = this.files;
    return loadedCase({ inputs, stated: inputs[0], notes: [] });
  }

  /** Reads the nodes that the walk meets, walks again, and goes on where it leaves them. */
  async widen(access: Reads): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const wishes = this.#wishes();
      if (wishes.length === 0) return;
      const nodes = wishes.map((w) => w.node);
      this.#say(round === 0 ? text("live.reads", { nodes }) : text("live.goes-on", { nodes }));
      for (const { node, pods } of wishes) this.#tried.set(node, pods as readonly string[]);
      this.#take(await access.collect(wishes));
    }
  }

  #wishes(): readonly Wish[] {
    const askable = new Askable(this.loaded(), []);
    const { question } = this.#asked;
    const families = askable.families(question);
    const asked = families.length === 0 ? [question] : families.map((family) => ({ ...question, family }));
    const met = asked.map((options) => unshownOn(askable.ask(options).exploration));
    const wanted = new Map<string, Set<string>>();
    const podsOn = (node: string): Set<string> => {
      const pods = wanted.get(node) ?? new Set(this.#tried.get(node) ?? []);
      wanted.set(node, pods);
      return pods;
    };
    for (const { nodes, pods } of met) {
      for (const node of nodes) podsOn(node);
      for (const { namespace, name, node } of pods) podsOn(node).add(`${namespace}/${name}`);
    }
    return [...wanted].flatMap(([node, pods]) => {
      const before = this.#tried.get(node);
      return before !== undefined && before.length === pods.size ? [] : [{ node, pods: [...pods] }];
    });
  }

  #take(gathered: readonly Gathered[]): void {
    const folder = mkdtempSync(join(tmpdir(), "hairpin-live-"));
    try {
      for (const g of gathered) if (g.ok) this.#nodes.set(g.from, filesOfAll([g], folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
