/** Does a line of the kernel fit one of the walk, in which `*` stands for any port, id or MAC? */
export function fits(walk: string | undefined, kernel: string | undefined): boolean {
  if (walk === undefined || kernel === undefined) return walk === kernel;
  if (!walk.includes("*")) return walk === kernel;
  const ours = walk.split(" ");
  const theirs = kernel.split(" ");
  return ours.length === theirs.length && ours.every((word, i) => wordFits(word, theirs[i]!));
}

function wordFits(pattern: string, word: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === word;
  const head = pattern.slice(0, star);
  const tail = pattern.slice(star + 1);
  const long = word.length > head.length + tail.length;
  return (
    long &&
    word.startsWith(head) &&
    word.endsWith(tail) &&
    /^[0-9a-f:]+$/.test(word.slice(star, word.length - tail.length))
  );
}

/** The first place at which two lists differ; undefined: they fit. */
export function firstDifference(
  walk: readonly string[],
  kernel: readonly string[],
): { readonly at: number; readonly walk: string; readonly kernel: string } | undefined {
  const length = Math.max(walk.length, kernel.length);
  for (let at = 0; at < length; at++) {
    if (!fits(walk[at], kernel[at]))
      return { at, walk: walk[at] ?? "nothing more", kernel: kernel[at] ?? "nothing more" };
  }
  return undefined;
}
