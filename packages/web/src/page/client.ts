import { type Text, ToldError } from "@hairpin/core/messages/index.ts";
import type { CallName, Calls, Reply } from "./protocol.ts";

/** What the worker refuses, and which part of the question it is about. */
export class Refused extends ToldError {
  readonly option: string | undefined;
  constructor(said: readonly (string | Text)[], option: string | undefined) {
    super(said);
    this.option = option;
  }
}

/** The worker, as promises. It runs from a blob of this very page, so that the page's policy holds for it as well. */
export class Client {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { readonly done: (value: unknown) => void; readonly fail: (error: Error) => void }
  >();
  #next = 0;

  constructor(code: string) {
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.#worker = new Worker(url);
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("problem" in data) waiting?.fail(new Refused(data.problem, data.option));
      else waiting?.done(data.back);
    });
    this.#worker.addEventListener("error", (event) => {
      for (const { fail } of this.#waiting.values()) fail(new Error(event.message));
      this.#waiting.clear();
    });
  }

  call<N extends CallName>(name: N, args: Calls[N]["args"]): Promise<Calls[N]["back"]> {
    const id = this.#next++;
    return new Promise((done, fail) => {
      this.#waiting.set(id, { done: done as (value: unknown) => void, fail });
      this.#worker.postMessage({ id, name, args });
    });
  }
}
