import type { IptablesTableName } from "@hairpin/core/model/index.ts";
import { build } from "./build.ts";
import { compileChange } from "./compile/change.ts";
import { backendOf, hasObservers, isObserved, OBSERVER_GROUP } from "./compile/netfilter.ts";
import type { Refusal } from "./compile/refusal.ts";
import { stimulusSpec } from "./compile/stimulus.ts";
import { Unspeakable } from "./compile/words.ts";
import { decodeConntrack } from "./decode/conntrack.ts";
import { COUNTER_FILES, COUNTER_FILES_6, type Counters, changes, countersOf } from "./decode/counters.ts";
import { decodeFrame } from "./decode/frame.ts";
import { decodeIpvsConnections } from "./decode/ipvs.ts";
import { decodeHook } from "./decode/nflog.ts";
import { decodeResult, decodeServed } from "./decode/result.ts";
import { ruleCountsOf } from "./decode/rule-counts.ts";
import type { Operations, RawResult, RawSeen, ToolRun } from "./executor/protocol.ts";
import type { Session } from "./executor/session.ts";
import type { Observations, RuleCount, StackState, StimulusObservation } from "./observation.ts";
import type { Pace } from "./pace.ts";
import type { LabPlan, Stimulus } from "./plan.ts";
import { serve } from "./serve.ts";

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

/** Makes a plan real, does what it says, and tells what happened. The world is gone when this returns or throws. */
export async function runPlan(
  session: Session,
  plan: LabPlan,
  profile: KernelProfile,
  options: RunOptions = {},
): Promise<Observations> {
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
    const states = plan.observe.state ? await run.states() : [];
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
  #counters = new Map<string, Counters>();

  constructor(session: Session, world: string, plan: LabPlan, pace: Pace, problems: Refusal[]) {
    this.#session = session;
    this.#world = world;
    this.#plan = plan;
    this.#pace = pace;
    this.#problems = problems;
  }

  async begin(): Promise<void> {
    const [devices, counters] = await Promise.all([this.#names(), this.#readCounters()]);
    this.#devices = devices;
    this.#counters = counters;
    // What the building itself caused (ARP, router solicitations) belongs to no stimulus.
    await this.#session.call("settle", { world: this.#world, ...this.#settling(), quiet: 0.001 });
  }

  async stimulate(stimulus: Stimulus, index: number): Promise<StimulusObservation> {
    const { result, seen } =
      stimulus.kind === "change" ? await this.#change(stimulus) : await this.#do(stimulusSpec(stimulus, this.#pace));
    const after = await this.#readCounters();
    const before = this.#counters;
    this.#counters = after;
    return {
      stimulus: index,
      result: decodeResult(result),
      hooks: seen.hooks.flatMap(([stack, body]) => {
        const hook = decodeHook(stack, Buffer.from(body, "base64"), (i) => this.#devices[stack]?.[i]?.[0]);
        return hook === undefined ? [] : [hook];
      }),
      frames: seen.frames.map(decodeFrame).filter((f) => this.#plan.stacks.some((s) => s.name === f.stack)),
      served: seen.served.map(decodeServed),
      counters: new Map(
        [...after].map(([stack, now]) => [stack, changes(before.get(stack) ?? new Map(), now)] as const),
      ),
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
      if (!(problem instanceof Unspeakable)) throw problem;
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

  async #readCounters(): Promise<Map<string, Counters>> {
    if (!this.#plan.observe.counters) return new Map();
    const stacks = this.#plan.stacks.filter((s) => s.role === "stack");
    const files = stacks.some((s) => s.ipv6) ? COUNTER_FILES_6 : COUNTER_FILES;
    const read = await this.#session.call("read", { world: this.#world, stacks: stacks.map((s) => s.name), files });
    return new Map(Object.entries(read).map(([stack, texts]) => [stack, countersOf(texts)]));
  }

  async states(): Promise<readonly StackState[]> {
    const stacks = this.#plan.stacks.filter((s) => s.role === "stack");
    const names = stacks.map((s) => s.name);
    const families = stacks.some((s) => s.ipv6) ? ([4, 6] as const) : ([4] as const);
    const [entries, connections, counts] = await Promise.all([
      // A dump walks the whole machine's hash table, so stacks without rules are left out: nothing asked for conntrack.
      this.#session.call("conntrack", {
        world: this.#world,
        stacks: stacks.filter((s) => s.tables.length + s.services.length > 0).map((s) => s.name),
        families,
      }),
      this.#session.call("read", { world: this.#world, stacks: names, files: ["ip_vs_conn"] }),
      this.#ruleCounts(),
    ]);
    return names.map((stack) => ({
      stack,
      conntrack: (entries[stack] ?? []).flatMap((body) => decodeConntrack(Buffer.from(body, "base64")) ?? []),
      ipvsConnections: decodeIpvsConnections(connections[stack]?.ip_vs_conn ?? ""),
      ruleCounts: counts.filter((c) => c.stack === stack),
    }));
  }

  async #ruleCounts(): Promise<readonly RuleCount[]> {
    const runs = this.#plan.stacks.flatMap((s) => {
      const kinds = new Set(s.tables.map((t) => `${backendOf(s, t)} ${t.family}`));
      return [...kinds].map((kind) => {
        const [backend, family] = kind.split(" ") as ["legacy" | "nft", "4" | "6"];
        const tool: ToolRun["tool"] = `${family === "6" ? "ip6tables" : "iptables"}-${backend}-save`;
        return { place: { stack: s.name, backend, family: family === "6" ? (6 as const) : (4 as const) }, tool };
      });
    });
    if (runs.length === 0) return [];
    const answers = await this.#session.call("run", {
      world: this.#world,
      runs: runs.map((r) => ({ stack: r.place.stack, tool: r.tool, args: ["-c"] })),
    });
    return answers.flatMap((answer, i) =>
      ruleCountsOf(answer.stdout, runs[i]!.place, (table, chain) =>
        isObserved(runs[i]!.place.stack, table as IptablesTableName, chain, this.#plan.observe),
      ),
    );
  }
}
