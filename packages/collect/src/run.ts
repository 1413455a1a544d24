import { spawn } from "node:child_process";

export interface CommandResult {
  readonly status: number;
  readonly out: Buffer;
  readonly err: string;
}

export interface RunOptions {
  /** Goes to its standard input. */
  readonly input?: string;
  readonly onLine?: (line: string) => void;
  readonly seconds?: number;
  readonly cwd?: string;
  /** Clears up after another: it runs though all is being stopped. */
  readonly clearsUp?: boolean;
  /** With `clearsUp`: once begun it is not cut short, and it is not begun once all is being stopped. */
  readonly unlessStopped?: boolean;
  /** Asked of each line of its output: it is ended as soon as this is so. */
  readonly until?: (line: string) => boolean;
  /** Given a way to end it, once it runs. */
  readonly started?: (end: () => void) => void;
  /** It is ended where it has not said a word by then. */
  readonly firstWordSeconds?: number;
}

/** No node's bundle is larger than this, packed. */
const MAX_OUT = 1024 * 1024 * 1024;
const MAX_ERR = 64 * 1024;

const running = new Set<{ kill: (signal: NodeJS.Signals) => void }>();

let stopped = false;

/** Ends what was started and is still running, and begins nothing more: for when we are interrupted ourselves. */
export const stopAll = (): void => {
  stopped = true;
  for (const child of running) child.kill("SIGTERM");
};

/** All is being stopped: for whoever would begin something else. */
export const isStopped = (): boolean => stopped;

/** Runs a program, arguments as arguments; its standard error line by line to `onLine`. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  if (stopped && (!options.clearsUp || options.unlessStopped))
    return Promise.resolve({ status: 143, out: Buffer.alloc(0), err: "interrupted" });
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      stdio: ["pipe", "pipe", "pipe"],
      ...(options.cwd && { cwd: options.cwd }),
      // In a group of its own Ctrl-C does not reach it.
      ...(options.clearsUp && { detached: true }),
    });
    if (!options.clearsUp) running.add(child);
    options.started?.(() => child.kill("SIGTERM"));
    const out: Buffer[] = [];
    let size = 0;
    let err = "";
    let line = "";
    const timer =
      options.seconds === undefined ? undefined : setTimeout(() => child.kill("SIGTERM"), options.seconds * 1000);
    const silence =
      options.firstWordSeconds === undefined
        ? undefined
        : setTimeout(() => child.kill("SIGTERM"), options.firstWordSeconds * 1000);
    let told = "";
    const done = (status: number, more = "") => {
      clearTimeout(timer);
      clearTimeout(silence);
      running.delete(child);
      if (line !== "") options.onLine?.(line);
      line = "";
      resolve({ status, out: Buffer.concat(out), err: err + more });
    };
    child.stdout.on("data", (data: Buffer) => {
      clearTimeout(silence);
      if (options.until !== undefined) {
        const lines = (told + data.toString("utf8")).split("\n");
        told = lines.pop()!.slice(-1000);
        if (lines.some(options.until)) child.kill("SIGTERM");
      }
      size += data.length;
      if (size > MAX_OUT) child.kill("SIGTERM");
      else out.push(data);
    });
    child.stderr.setEncoding("utf8").on("data", (data: string) => {
      clearTimeout(silence);
      if (err.length < MAX_ERR) err += data;
      const lines = (line + data).split("\n");
      line = lines.pop()!.slice(-1000);
      for (const l of lines) options.onLine?.(l);
    });
    // It may end without reading all that was meant for it.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.on("error", (error) => done(127, error.message));
    child.on("close", (code) => done(code ?? 143));
  });
}

/** At most `width` at a time, results in order. */
export async function inParallel<T, R>(all: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(all.length);
  let next = 0;
  const worker = async () => {
    while (next < all.length) {
      const i = next++;
      results[i] = await work(all[i]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, all.length) }, worker));
  return results;
}
