import { jsonText } from "../messages/printable.ts";
import type { World } from "../model/index.ts";
import { AlikeQuestions, ToldAlike } from "../trace/index.ts";
import type { Askable } from "./askable.ts";
import type { QuestionOptions } from "./question-options.ts";

/** So many different answers are kept. */
const KEPT = 4096;
/** So many questions are walked before it pays to look which are alike. */
const BEFORE = 1;

/** What walks alone come to, for many questions: of those that differ in names alone one is walked. */
export class Verdicts {
  readonly #askable: Askable;
  readonly #world: World;
  readonly #told = new Map<string, ToldAlike | null>();
  #alike: AlikeQuestions | undefined = undefined;
  #asked = 0;

  constructor(askable: Askable, world: World) {
    this.#askable = askable;
    this.#world = world;
  }

  /** As JSON: an object. */
  of(options: QuestionOptions): string {
    if (this.#asked++ >= BEFORE) this.#alike ??= new AlikeQuestions(this.#world, this.#askable.assumed);
    const like = this.#alike?.of(this.#askable.spec(options));
    const known = like === undefined ? null : this.#told.get(like.key);
    if (like !== undefined && known !== undefined && known !== null) return known.of(like.addresses);
    const { answer, whole } = this.#walked(options);
    if (like !== undefined && known === undefined && this.#told.size < KEPT)
      this.#told.set(like.key, whole ? new ToldAlike(answer, like.addresses) : null);
    return answer;
  }

  #walked(options: QuestionOptions): { readonly answer: string; readonly whole: boolean } {
    const walked = this.#askable.walked(options, this.#world);
    const { verdict, leaning = null, reachableShare, clientSees, restsOn, ends } = walked;
    return {
      answer: jsonText({ verdict, leaning, reachableShare, clientSees, restsOn, ends }),
      whole: !walked.overflow,
    };
  }
}
