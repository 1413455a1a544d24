import { spawnSync } from "node:child_process";

const run = (file: string, args: readonly string[], input?: string) =>
  spawnSync(file, args, { encoding: "utf8", ...(input === undefined ? {} : { input }), maxBuffer: 64 << 20 });

/** Network namespaces need root and iproute2. Said loudly, since the tests that need them are then skipped. */
export const canNetns = ((): boolean => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const name = `ctry${process.pid}`;
  const made = run("ip", ["netns", "add", name]).status === 0;
  if (made) run("ip", ["netns", "del", name]);
  return made;
})();
if (!canNetns) console.warn("SKIPPED: round trips with the real ip(8) need root, Linux and iproute2");

export interface Result {
  readonly ok: boolean;
  readonly out: string;
  readonly error: string;
}

let count = 0;

/** A namespace of this test's own; `close` deletes it. */
export class Netns {
  readonly name = `c${process.pid}x${count++}`;
  constructor() {
    run("ip", ["netns", "add", this.name]);
    this.ip("link", "set", "lo", "up");
  }
  ip(...args: readonly string[]): Result {
    return this.#result(run("ip", ["-n", this.name, ...args]));
  }
  exec(...args: readonly string[]): Result {
    return this.#result(run("ip", ["netns", "exec", this.name, ...args]));
  }
  /** Many commands at once; those that fail are skipped, as `-force` does. */
  batch(commands: readonly (readonly string[])[], family?: 6): Result {
    const input = `${commands.map((c) => c.join(" ")).join("\n")}\n`;
    return this.#result(run("ip", ["-n", this.name, ...(family === 6 ? ["-6"] : []), "-force", "-batch", "-"], input));
  }
  must(...args: readonly string[]): string {
    const result = this.ip(...args);
    if (!result.ok) throw new Error(`ip ${args.join(" ")}: ${result.error}`);
    return result.out;
  }
  close(): void {
    run("ip", ["netns", "del", this.name]);
  }
  #result(r: ReturnType<typeof run>): Result {
    return { ok: r.status === 0, out: String(r.stdout ?? ""), error: String(r.stderr ?? "").trim() };
  }
}

export const haveTool = (name: string): boolean => run("which", [name]).status === 0;

/** Numbers that are the same in every run. */
export function random(seed: number): (n: number) => number {
  let state = seed >>> 0 || 1;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x100000000) * n);
  };
}

/** The record without what a form cannot agree on: where it was read. */
export function bare(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, v) => (key === "origin" || key.endsWith("Origin") ? undefined : v)));
}
