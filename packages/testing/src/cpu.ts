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
