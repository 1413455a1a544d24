import { BadWord } from "@hairpin/core/model/word.ts";
import { build } from "./build.ts";
import { compileChange } from "./compile/change.ts";
import { hasObservers, OBSERVER_GROUP } from "./compile/netfilter.ts";
import { type Refusal, Unspeakable } from "./compile/refusal.ts";
import { stimulusSpec } from "./compile/stimulus.ts";
import { vet } from "./compile/vet.ts";
import { CounterReader } from "./counters.ts";
import { decodeFrame } from "./decode/frame.ts";
import { decodeHook } from "./decode/nflog.ts";
import { decodeResult, decodeServed } from "./decode/result.ts";
import type { Operations, RawResult, RawSeen } from "./executor/protocol.ts";
import type { Session } from "./executor/session.ts";
import type { Observations, StimulusObservation } from "./observation.ts";
import { type Pace, pacedFor } from "./pace.ts";
import type { LabPlan, Stimulus } from "./plan.ts";
import { serve } from "./serve.ts";
import { statesOf } from "./state.ts";

/** What a kernel can do and how fast it answers. */
export interface KernelProfile {
  readonly backend: "netns" | "vm";
  readonly kernel: string;
  readonly kinds: { readonly dummy: boolean };
  readonly pace: Pace;
}

export interface RunOptions {
  /** Called with what is being done. */
  readonly onProgress?: (text: string) => void;
  /** Give the namespaces names below /run/netns while the plan runs, to look at from outside. */
  readonly named?: boolean;
}

/** Bytes of a packet that NFLOG and captures keep: headers, a quoted or carried packet, some payload. */
const SNAP = 256;
let worlds = 0;

/** Makes a plan real, does what it says, and tells what happened. The world is gone when this returns or throws. Throws BadPlan. */
export async function runPlan(
  session: Session,
  plan: LabPlan,
  profile: KernelProfile,
  options: RunOptions = {},
): Promise<Observations> {
  vet(plan);
  const world = `w${++worlds}`;
  const began = performance.now();
  const progress = options.onProgress ?? (() => {});
  try {
    progress(`building ${plan.stacks.length} namespaces`);
    const problems = [...(await build(session, world, plan, profile.kinds, options.named === true))];
    const tracked = await session.call("observe", {
      world,
      stacks: plan.stacks.map((s) => ({
        stack: s.name,
        copy: SNAP,
        snap: plan.observe.frames ? SNAP : 0,
        ...(hasObservers(s.name, plan.observe) ? { group: OBSERVER_GROUP } : {}),
      })),
    });
    problems.push(...(await serve(session, world, plan)));
    const built = performance.now();
    const run = new Running(session, world, plan, profile.pace, problems);
    const stimuli: StimulusObservation[] = [];
    await run.begin();
    for (const [i, stimulus] of plan.stimuli.entries()) {
      progress(`${stimulus.kind} (${i + 1} of ${plan.stimuli.length})`);
      stimuli.push(await run.stimulate(stimulus, i));
    }
    const done = performance.now();
    const states = await statesOf(session, world, plan);
    return {
      backend: profile.backend,
      kernel: profile.kernel,
      stimuli,
      states,
      problems,
      ctInfo: tracked.every((yes) => yes),
      milliseconds: { build: built - began, stimuli: done - built, total: performance.now() - began },
    };
  } finally {
    await session.call("close", { world }).catch(() => {});
  }
}

class Running {
  readonly #session: Session;
  readonly #world: string;
  readonly #plan: LabPlan;
  readonly #pace: Pace;
  readonly #problems: Refusal[];
  #devices: Operations["devices"][1] = {};
  readonly #counters: CounterReader;

  constructor(session: Session, world: string, plan: LabPlan, pace: Pace, problems: Refusal[]) {
    this.#session = session;
    this.#world = world;
    this.#plan = plan;
    this.#pace = pacedFor(plan, pace);
    this.#problems = problems;
    this.#counters = new CounterReader(session, world, plan);
  }

  async begin(): Promise<void> {
    const [devices] = await Promise.all([this.#names(), this.#counters.moved()]);
    this.#devices = devices;
    // What the building itself caused (ARP, router solicitations) belongs to no stimulus.
    await this.#session.call("settle", { world: this.#world, ...this.#settling(), quiet: 0.001 });
  }

  async stimulate(stimulus: Stimulus, index: number): Promise<StimulusObservation> {
    const { result, seen } =
      stimulus.kind === "change" ? await this.#change(stimulus) : await this.#do(stimulusSpec(stimulus, this.#pace));
    const counters = await this.#counters.moved();
    return {
      stimulus: index,
      result: decodeResult(result),
      hooks: seen.hooks.flatMap(([stack, body]) => {
        const hook = decodeHook(stack, Buffer.from(body, "base64"), (i) => this.#devices[stack]?.[i]?.[0]);
        return hook === undefined ? [] : [hook];
      }),
      frames: seen.frames.map(decodeFrame).filter((f) => this.#plan.stacks.some((s) => s.name === f.stack)),
      served: seen.served.map(decodeServed),
      counters,
      storm: seen.storm,
      serverErrors: seen.failed.map(([what, where, errno]) => `${what} ${where}: errno ${errno}`),
    };
  }

  #do(spec: Operations["stimulate"][0]["spec"]): Promise<Operations["stimulate"][1]> {
    return this.#session.call("stimulate", { world: this.#world, spec, ...this.#settling() }, 120);
  }

  async #change(
    stimulus: Extract<Stimulus, { readonly kind: "change" }>,
  ): Promise<{ readonly result: RawResult; readonly seen: RawSeen }> {
    const failed = (answer: string): RawResult => {
      this.#problems.push({ stack: stimulus.stack, what: `change ${stimulus.change.kind}`, answer });
      return { outcome: "error", phase: "change", errno: answer };
    };
    const sent: RawResult = { outcome: "sent", phase: "change" };
    let result = sent;
    try {
      const compiled = compileChange(stimulus.stack, stimulus.change, this.#plan.observe);
      if (compiled.kind === "sysctl") {
        const [refused] = await this.#session.call("sysctl", {
          world: this.#world,
          stack: stimulus.stack,
          set: [compiled.write],
        });
        if (refused !== undefined) result = failed(refused[2]);
      } else {
        const [answer] = await this.#session.call("run", { world: this.#world, runs: [compiled.run] });
        if (answer!.status !== 0) result = failed(answer!.stderr.trim());
      }
    } catch (problem) {
      if (!(problem instanceof Unspeakable || problem instanceof BadWord)) throw problem;
      result = failed(problem.message);
    }
    const seen = await this.#session.call("settle", { world: this.#world, ...this.#settling() });
    this.#devices = await this.#names();
    return { result, seen };
  }

  #settling() {
    const { quiet, resolve, limit } = this.#pace;
    return { quiet: quiet / 1000, resolve: resolve / 1000, limit: limit / 1000 };
  }

  #names() {
    return this.#session.call("devices", { world: this.#world });
  }
}
