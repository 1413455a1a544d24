import { spawnSync } from "node:child_process";

/** What a command cost: time of the processor in milliseconds, user and system, of all its threads; or why it did not run. */
export function cpuOf(command: string, args: readonly string[], input?: string): number | string {
  // The second line of `times` is of what the shell waited for.
  // Below 64 is an answer, whatever it says.
  const from = input === undefined ? "" : ' <"$INPUT"';
  const script = `"$@" >/dev/null${from}; status=$?; times; [ $status -lt 64 ]`;
  const done = spawnSync("sh", ["-c", script, "sh", command, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...(input !== undefined && { INPUT: input }) },
  });
  const match = /\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s/.exec(done.stdout);
  if (done.status !== 0 || match === null) return done.stderr.trim() || `${command} did not run`;
  const [, um, us, sm, ss] = match.map(Number) as [number, number, number, number, number];
  return (um * 60 + us + sm * 60 + ss) * 1000;
}

/** The least of some runs: neighbours of a shared machine only add. */
export function leastCpuOf(times: number, command: string, args: readonly string[], input?: string): number | string {
  const runs = Array.from({ length: times }, () => cpuOf(command, args, input));
  const numbers = runs.filter((r) => typeof r === "number");
  return numbers.length === 0 ? runs[0]! : Math.min(...numbers);
}

/** The time of this process's own work, in milliseconds. */
export function ownCpu<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1000, result };
}
