import type { Readable, Writable } from "node:stream";
import { say, type Text, verbatim } from "@hairpin/core/messages/index.ts";
import type { Operations } from "./protocol.ts";

/** No kernel could be asked, or it gave no answer. */
export class LabError extends Error {
  override readonly name: string = "LabError";
  /** What to tell people, in their language; the message says it in English. */
  readonly texts: readonly Text[];
  constructor(why: string | readonly Text[]) {
    super(typeof why === "string" ? why : why.map((t) => say(t)).join("; "));
    this.texts = typeof why === "string" ? [verbatim(why)] : why;
  }
}

interface Waiting {
  readonly operation: string;
  readonly resolve: (value: never) => void;
  readonly reject: (problem: Error) => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Requests to one executor over a pair of streams. Answers come in the order of the requests, so several may be under
 * way; each has its own time limit, and the end of the stream fails them all.
 */
export class Session {
  readonly #input: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly #chunks: Buffer[] = [];
  #next = 1;
  #ended: LabError | undefined;

  constructor(output: Readable, input: Writable) {
    this.#input = input;
    output.on("data", (chunk: Buffer) => this.#take(chunk));
    output.on("end", () => this.end("the executor ended"));
    output.on("error", (problem) => this.end(`the executor's output failed: ${problem.message}`));
    input.on("error", (problem) => this.end(`the executor takes no requests: ${problem.message}`));
  }

  call<K extends keyof Operations>(op: K, request: Operations[K][0], seconds = 60): Promise<Operations[K][1]> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { operation: op, resolve: resolve as never, reject, timer: undefined };
      waiting.timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new LabError(`${op}: no answer within ${seconds} s`));
      }, seconds * 1000);
      this.#waiting.set(id, waiting);
      this.#input.write(`${JSON.stringify({ ...request, id, op })}\n`);
    });
  }

  /** Fails what is under way and all that comes later. */
  end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = new LabError(reason);
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(new LabError(`${waiting.operation}: ${reason}`));
    }
    this.#waiting.clear();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      this.#chunks.push(rest.subarray(0, at));
      this.#answer(Buffer.concat(this.#chunks).toString("utf8"));
      this.#chunks.length = 0;
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) this.#chunks.push(rest);
  }

  #answer(line: string): void {
    // A console may mix its own lines in; answers are objects.
    if (!line.startsWith("{")) return;
    const answer = JSON.parse(line) as { id: number; ok?: unknown; error?: string };
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (answer.error === undefined) waiting.resolve(answer.ok as never);
    else waiting.reject(new LabError(`${waiting.operation}: ${answer.error}`));
  }
}
