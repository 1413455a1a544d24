import type { Chain, Rule } from "../../../model/index.ts";

/**
 * Whether jumps, given as pairs of numbers below `size`, lead nowhere back: chains are taken away as long as one is
 * left that nobody jumps to. One function a loop: the engine compiles each while it runs and none of them twice.
 */
export function isAcyclic(size: number, jumps: readonly number[]): boolean {
  const first = new Int32Array(size + 1);
  const into = new Int32Array(size);
  countJumps(jumps, first, into);
  sumUp(first);
  const to = new Int32Array(jumps.length >> 1);
  sortJumps(jumps, first.slice(), to);
  const free = new Int32Array(size);
  return takeAway(first, to, into, free, untouched(into, free)) === size;
}

function countJumps(jumps: readonly number[], first: Int32Array, into: Int32Array): void {
  for (let i = 0; i < jumps.length; i += 2) {
    first[jumps[i]! + 1]! += 1;
    into[jumps[i + 1]!]! += 1;
  }
}

function sumUp(first: Int32Array): void {
  for (let i = 1; i < first.length; i++) first[i]! += first[i - 1]!;
}

function sortJumps(jumps: readonly number[], fill: Int32Array, to: Int32Array): void {
  for (let i = 0; i < jumps.length; i += 2) {
    const from = jumps[i]!;
    to[fill[from]!] = jumps[i + 1]!;
    fill[from]! += 1;
  }
}

/** Chains that nobody jumps to, into `free`; how many. */
function untouched(into: Int32Array, free: Int32Array): number {
  let end = 0;
  for (let i = 0; i < into.length; i++) if (into[i] === 0) free[end++] = i;
  return end;
}

function takeAway(first: Int32Array, to: Int32Array, into: Int32Array, free: Int32Array, start: number): number {
  let end = start;
  for (let at = 0; at < end; at++) {
    const chain = free[at]!;
    for (let k = first[chain]!; k < first[chain + 1]!; k++) {
      const next = to[k]!;
      into[next]! -= 1;
      if (into[next] === 0) free[end++] = next;
    }
  }
  return end;
}

export interface Loop {
  readonly from: string;
  readonly to: string;
  readonly rule: Rule;
}

/** Jumps that close a loop, by depth-first search without recursion: chains can be nested as deep as a file is long. */
export function findLoops(chains: readonly Chain[]): readonly Loop[] {
  const index = new Map(chains.map((chain) => [chain.name, chain]));
  const state = new Map<Chain, "open" | "done">();
  const loops: Loop[] = [];
  for (const root of chains) {
    if (state.has(root)) continue;
    const stack: { readonly chain: Chain; next: number }[] = [{ chain: root, next: 0 }];
    state.set(root, "open");
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      const rule = top.chain.rules[top.next++];
      if (rule === undefined) {
        state.set(top.chain, "done");
        stack.pop();
        continue;
      }
      if (rule.target.kind !== "jump") continue;
      const to = index.get(rule.target.chain);
      const observed = to && state.get(to);
      if (to === undefined || observed === "done") continue;
      if (observed === "open") loops.push({ from: top.chain.name, to: to.name, rule });
      else {
        state.set(to, "open");
        stack.push({ chain: to, next: 0 });
      }
    }
  }
  return loops;
}
