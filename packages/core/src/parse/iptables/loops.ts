import type { Chain, Rule } from "../../model/index.ts";

/**
 * Whether jumps, given as pairs of numbers below `size`, lead nowhere back: chains are taken away as long as one is
 * left that nobody jumps to.
 */
export function isAcyclic(size: number, jumps: readonly number[]): boolean {
  const into = new Int32Array(size);
  const first = new Int32Array(size + 1);
  for (let i = 0; i < jumps.length; i += 2) {
    first[jumps[i]! + 1]!++;
    into[jumps[i + 1]!]!++;
  }
  for (let i = 0; i < size; i++) first[i + 1]! += first[i]!;
  const fill = first.slice(0, size);
  const to = new Int32Array(jumps.length >> 1);
  for (let i = 0; i < jumps.length; i += 2) to[fill[jumps[i]!]!++] = jumps[i + 1]!;
  const free = new Int32Array(size);
  let end = 0;
  for (let i = 0; i < size; i++) if (into[i] === 0) free[end++] = i;
  for (let at = 0; at < end; at++) {
    const chain = free[at]!;
    for (let k = first[chain]!; k < first[chain + 1]!; k++) {
      const next = to[k]!;
      if (--into[next]! === 0) free[end++] = next;
    }
  }
  return end === size;
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
      const seen = to && state.get(to);
      if (to === undefined || seen === "done") continue;
      if (seen === "open") loops.push({ from: top.chain.name, to: to.name, rule });
      else {
        state.set(to, "open");
        stack.push({ chain: to, next: 0 });
      }
    }
  }
  return loops;
}
