import {
  type ChanceOption,
  type Conntrack,
  ipVsExpireNodest,
  type Kernel,
  type Oracle,
  type Skb,
  Undetermined,
} from "../../datapath/index.ts";
import {
  type Decision,
  type DropReason,
  type Fact,
  factId,
  type HookStep,
  type Packet,
  type Step,
  type World,
} from "../../model/index.ts";
import { type Address, ANY4, type Mac } from "../../net/index.ts";
import { NeedsHost } from "../hosts/synthesise.ts";
import { type Heard, Transport } from "./script-transport.ts";
import { Walk } from "./walk.ts";

/**
 * One thing that happens to a live network. Source ports are fixed, so that what is seen can be told apart. `size`: of the IP packet that the whole question
 * would be, also if it is sent in several.
 */
export type ScriptStep =
  | {
      readonly kind: "connect";
      readonly id: string;
      readonly stack: string;
      readonly to: Address;
      readonly port: number;
      readonly sport: number;
      readonly bindAddress?: Address;
      readonly bindDevice?: string;
      readonly mark?: number;
      readonly tos?: number;
      readonly size?: number;
    }
  | { readonly kind: "send"; readonly id: string; readonly size?: number }
  | { readonly kind: "close"; readonly id: string; readonly how: "fin" | "reset" }
  | {
      readonly kind: "udp";
      readonly stack: string;
      readonly to: Address;
      readonly port: number;
      readonly sport: number;
      readonly bindAddress?: Address;
      readonly bindDevice?: string;
      readonly mark?: number;
      readonly tos?: number;
      readonly size?: number;
    }
  | {
      readonly kind: "ping";
      readonly stack: string;
      readonly to: Address;
      readonly ident: number;
      readonly bindAddress?: Address;
      readonly bindDevice?: string;
      readonly mark?: number;
      readonly tos?: number;
      readonly size?: number;
    }
  /** A frame put on a device as it stands. */
  | {
      readonly kind: "inject";
      readonly stack: string;
      readonly device: string;
      readonly packet: Packet;
      readonly sourceMac: Mac;
      readonly destinationMac: Mac;
    }
  /** The World is now this one; connections live on. */
  | { readonly kind: "change"; readonly world: World };

/** What a step caused. */
export interface ScriptSight {
  readonly hooks: readonly HookStep[];
  /** Hooks that bare acknowledgements passed: when a kernel sends those is its own business. */
  readonly acknowledgements: readonly HookStep[];
  /** Why some of them were lost. */
  readonly unacknowledged: readonly DropReason[];
  /** What the process that asked was told: `connected`, `timeout`, `stalled`, an errno; absent where nobody asked. */
  readonly heard: Heard | undefined;
  readonly steps: readonly Step[];
}

export interface ScriptRun {
  readonly sights: readonly ScriptSight[];
  /** Connections at the end, by stack. */
  readonly conntrack: ReadonlyMap<string, readonly Conntrack[]>;
  readonly chances: readonly string[];
}

/** A walk that was ended because it says what was not seen. */
class Implausible extends Error {}

class ScriptOracle implements Oracle {
  readonly trail: { readonly options: number; readonly taken: number; readonly label: string }[] = [];
  readonly #script: readonly number[];

  constructor(script: readonly number[]) {
    this.#script = script;
  }

  chance(what: string, options: readonly ChanceOption[]): number {
    const taken = this.#script[this.trail.length] ?? 0;
    this.trail.push({ options: options.length, taken, label: `${what}: ${options[taken]?.label ?? "?"}` });
    return taken;
  }

  fact(fact: Fact): string {
    throw new Undetermined("", "fact", { kind: "unknown-fact", fact: factId(fact) });
  }

  assume(): void {}

  rests(): boolean {
    return true;
  }

  next(): number[] | undefined {
    for (let i = this.trail.length - 1; i >= 0; i--) {
      const { taken, options } = this.trail[i]!;
      if (taken + 1 < options) return [...this.trail.slice(0, i).map((t) => t.taken), taken + 1];
    }
    return undefined;
  }
}

export type ScriptAnswer =
  | { readonly kind: "explained"; readonly run: ScriptRun }
  /** No branch is plausible; the one that was so for longest, and the step at which it was not. */
  | { readonly kind: "unexplained"; readonly run: ScriptRun; readonly step: number; readonly branches: number }
  | { readonly kind: "undetermined"; readonly why: Decision };

/** More branches than these are not looked at. */
const MAX_BRANCHES = 1500;

/**
 * Plays a script against one live network and looks for a branch of chance that `plausible` accepts step by step, and
 * `settled` at the end. A step that is refused ends all branches that begin alike.
 */
export function playScript(
  world: World,
  script: readonly ScriptStep[],
  plausible: (step: number, sight: ScriptSight) => boolean,
  settled: (run: ScriptRun) => boolean = () => true,
): ScriptAnswer {
  const answer = playWith(world, script, plausible, settled, false);
  if (answer.kind !== "unexplained") return answer;
  // Whether a server acknowledges what it was sent by itself, or with its answer, is a timer's to say, and may decide which packet conntrack sees first.
  const acknowledged = playWith(world, script, plausible, settled, true);
  return acknowledged.kind === "explained" ? acknowledged : answer;
}

function playWith(
  world: World,
  script: readonly ScriptStep[],
  plausible: (step: number, sight: ScriptSight) => boolean,
  settled: (run: ScriptRun) => boolean,
  acknowledges: boolean,
): ScriptAnswer {
  let choices: number[] | undefined = [];
  let best: { readonly run: ScriptRun; readonly step: number } | undefined;
  let branches = 0;
  for (; choices !== undefined && branches < MAX_BRANCHES; branches++) {
    const oracle: ScriptOracle = new ScriptOracle(choices);
    const play = new Play(world, oracle, acknowledges);
    let step = 0;
    try {
      for (; step < script.length; step++) {
        const sight = play.step(script[step]!);
        if (!plausible(step, sight)) throw new Implausible();
      }
      const run = play.run();
      if (settled(run)) return { kind: "explained", run };
      throw new Implausible();
    } catch (stop) {
      if (stop instanceof Undetermined) return { kind: "undetermined", why: stop.reason };
      if (stop instanceof NeedsHost)
        return { kind: "undetermined", why: { kind: "unknown-host", address: stop.need.address } };
      if (!(stop instanceof Implausible)) throw stop;
      if (best === undefined || step > best.step) best = { run: play.run(), step };
    }
    choices = oracle.next();
  }
  if (choices !== undefined) return { kind: "undetermined", why: { kind: "unknown-too-much-work" } };
  return { kind: "unexplained", ...best!, branches };
}

/** A walk whose sockets answer by themselves. */
class LiveWalk extends Walk {
  transport: Transport | undefined;

  override deliver(...[kernel, skb]: Parameters<Walk["deliver"]>): void {
    super.deliver(kernel, skb);
    this.transport!.receive(kernel, skb);
  }

  /** Between two steps more than a second may have passed, or not. */
  override overrides(): boolean {
    const options = ["kept", "changed"].map((label) => ({ label, share: 1 / 2 }));
    return this.oracle.chance("locktime", options) === 1;
  }

  lingers(what: string): boolean {
    const options = ["gone", "counted"].map((label) => ({ label, share: 1 / 2 }));
    return this.oracle.chance(`${what} of a moment ago`, options) === 1;
  }

  datagram(kernel: Kernel, skb: Skb): void {
    const { carried: _, ...packet } = skb.packet;
    this.transport!.receive(kernel, { ...skb, packet });
  }

  /** Nobody is made up: who is not described does not answer. */
  override resolve(...query: Parameters<Walk["resolve"]>): ReturnType<Walk["resolve"]> {
    try {
      return super.resolve(...query);
    } catch (need) {
      if (need instanceof NeedsHost) return { answers: [] };
      throw need;
    }
  }
}

const isHook = (step: Step): step is HookStep => step.kind === "hook";
const NO_QUESTION = { client: "", to: ANY4, port: 0, protocol: 0, size: 60 };

class Play {
  readonly #oracle: ScriptOracle;
  readonly #transport: Transport;
  readonly #sights: ScriptSight[] = [];
  #walk: LiveWalk;
  #seen = 0;

  constructor(world: World, oracle: ScriptOracle, acknowledges: boolean) {
    this.#oracle = oracle;
    this.#walk = new LiveWalk(world, NO_QUESTION, oracle);
    this.#transport = new Transport(this.#walk, acknowledges);
    this.#walk.transport = this.#transport;
  }

  step(step: ScriptStep): ScriptSight {
    const heard = this.#do(step);
    const legs = this.#walk.legs.slice(this.#seen);
    const known = legs.filter((leg) => leg.what !== "ACK");
    const steps = known.flatMap((leg) => leg.steps);
    const acknowledged = legs.filter((leg) => leg.what === "ACK").flatMap((leg) => leg.steps);
    const acknowledgements = acknowledged.filter(isHook);
    const unacknowledged = acknowledged.flatMap((step) => (step.kind === "drop" ? [step.reason] : []));
    this.#seen = this.#walk.legs.length;
    const sight = { hooks: steps.filter(isHook), acknowledgements, unacknowledged, heard, steps };
    this.#sights.push(sight);
    return sight;
  }

  #do(step: ScriptStep): Heard | undefined {
    if (step.kind === "change") {
      this.#walk = new LiveWalk(step.world, NO_QUESTION, this.#oracle, {}, this.#walk);
      this.#walk.transport = this.#transport;
      this.#transport.moveTo(this.#walk);
      this.#seen = 0;
      for (const { name } of step.world.stacks) ipVsExpireNodest(this.#walk.kernel(name)!);
      return undefined;
    }
    return this.#transport.stimulate(step);
  }

  run(): ScriptRun {
    const names = this.#walk.world.stacks.map((s) => s.name);
    return {
      sights: this.#sights,
      conntrack: new Map(names.map((name) => [name, this.#walk.kernel(name)?.conntrack.entries ?? []])),
      chances: this.#oracle.trail.map((t) => t.label),
    };
  }
}
