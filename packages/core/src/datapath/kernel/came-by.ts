/** Where packets of walks come by, while somebody wants to know: of every walk that an answer rests on, whoever makes it. */
let wanted: Set<string> | undefined;

export function comesBy(stack: string): void {
  wanted?.add(stack);
}

/** Names of the stacks that packets of all walks which `run` makes come by go into `stacks`. */
export function notingStacks<T>(stacks: Set<string>, run: () => T): T {
  const before = wanted;
  wanted = stacks;
  try {
    return run();
  } finally {
    wanted = before;
  }
}
