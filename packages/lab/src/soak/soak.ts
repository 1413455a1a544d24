import type { LabBackend } from "../backend.ts";
import { generate } from "./generate/index.ts";
import { type Judgement, judge } from "./judge.ts";
import { Random } from "./random.ts";
import { regionsOf } from "./regions.ts";
import type { Scenario } from "./scenario.ts";
import { shrink } from "./shrink.ts";

export interface SoakOptions {
  readonly seed: number;
  /** Number of the first World; a run can be taken up where another ended. */
  readonly first?: number;
  readonly milliseconds: number;
  /** No more Worlds than these. */
  readonly worlds?: number;
  readonly ipvs: boolean;
  /** Both families. */
  readonly ipv6?: boolean;
  readonly onProgress?: (text: string) => void;
  readonly onMismatch?: (found: Mismatch) => Promise<void> | void;
  /** True: end now. */
  readonly stopped?: () => boolean;
  readonly shrink?: boolean;
}

export interface Mismatch {
  readonly seed: number;
  readonly world: number;
  readonly scenario: Scenario;
  readonly judgement: Extract<Judgement, { readonly kind: "differs" }>;
}

export interface SoakSummary {
  readonly worlds: number;
  readonly packets: number;
  readonly hooks: number;
  readonly mismatches: number;
  readonly skipped: number;
  /** Packets of stated regions that were walked for themselves, and those that did not end alike. */
  readonly held: number;
  readonly unheld: number;
  readonly reasons: ReadonlyMap<string, number>;
}

/** Draws Worlds until the time is over and puts each to the kernels. Several kernels work side by side. */
export async function soak(backends: readonly LabBackend[], options: SoakOptions): Promise<SoakSummary> {
  const sum = { worlds: 0, packets: 0, hooks: 0, mismatches: 0, skipped: 0, held: 0, unheld: 0 };
  const reasons = new Map<string, number>();
  const end = performance.now() + options.milliseconds;
  let next = options.first ?? 0;
  const last = options.worlds === undefined ? Number.POSITIVE_INFINITY : next + options.worlds;
  const over = () => performance.now() > end || next >= last || options.stopped?.() === true;
  const work = async (backend: LabBackend) => {
    while (!over()) {
      const n = next++;
      const vm = backend.profile.backend === "vm";
      const { kernel } = backend.profile;
      const scenario = generate(options.seed, n, {
        kernel,
        ipvs: options.ipvs,
        small: vm,
        modules: vm && options.ipv6 !== true,
        ...(options.ipv6 === true && { ipv6: true }),
      });
      let judgement = await judge(backend, scenario);
      // Time is short on a busy machine: what differs is asked once more before it counts.
      if (judgement.kind === "differs") judgement = await judge(backend, scenario);
      if (judgement.kind === "skipped") {
        sum.skipped++;
        if (judgement.outside === true) options.onProgress?.(`world ${n} is ${judgement.reason}`);
        reasons.set(judgement.reason, (reasons.get(judgement.reason) ?? 0) + 1);
        continue;
      }
      sum.worlds++;
      const { asked, otherwise } = regionsOf(scenario, new Random(options.seed ^ Math.imul(n, 0x9e3779b1)).next());
      sum.held += asked;
      sum.unheld += otherwise.length;
      for (const what of otherwise) options.onProgress?.(`world ${n}: an answer does not hold as it says, ${what}`);
      if (judgement.kind === "differs") {
        sum.mismatches++;
        options.onProgress?.(`world ${n} differs at step ${judgement.step}: ${judgement.differences[0]}`);
        const small = options.shrink === false ? { scenario, judgement } : await shrink(backend, scenario, judgement);
        await options.onMismatch?.({ seed: options.seed, world: n, ...small });
      } else {
        sum.packets += judgement.packets;
        sum.hooks += judgement.hooks;
      }
      if (sum.worlds % 100 === 0) {
        options.onProgress?.(
          `${sum.worlds} worlds, ${sum.packets} packets, ${sum.mismatches} mismatches, ${sum.skipped} skipped`,
        );
      }
    }
  };
  await Promise.all(backends.map(work));
  return { ...sum, reasons };
}
