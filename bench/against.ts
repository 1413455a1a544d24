/** Prints what a tool needs, then rows of what we need, each with how many times as fast that is. */
export function against(tool: string, theirs: number | string, digits: number): (what: string, ours: number) => void {
  const line = (what: string, ms: number, then = ""): void =>
    console.log(`  ${what.padEnd(52)} ${ms.toFixed(digits).padStart(7)} ms${then}`);
  if (typeof theirs === "string") console.log(`  ${tool} was not measured: ${theirs.slice(0, 200)}`);
  else line(tool, theirs);
  return (what, ours) =>
    line(what, ours, typeof theirs === "string" ? "" : `   ${(theirs / ours).toFixed(1)} times as fast`);
}
