import { readFileSync } from "node:fs";

/**
 * What a call costs in milliseconds of CPU time. Other processes on the machine do not count, so a bound on it holds under load where one on
 * the clock would not.
 */
export function cpuMilliseconds(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The same of processes that it starts and waits for, by the kernel's account of children that have ended: ticks of ten milliseconds. */
export function childrenMilliseconds(run: () => unknown): number {
  const before = ofChildren();
  run();
  return ofChildren() - before;
}

function ofChildren(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
