import { sayDecision } from "@hairpin/core/messages/index.ts";
import type { Decision } from "@hairpin/core/model/index.ts";
import { formatAddress, PROTO } from "@hairpin/core/net/index.ts";
import { playScript, type ScriptAnswer, type ScriptRun } from "@hairpin/core/trace/walk/script.ts";
import type { LabBackend } from "../backend.ts";
import type { Observations, StimulusObservation } from "../observation.ts";
import { realise } from "../realise/index.ts";
import { carriers, differences, kernelLines, trackedDifferences } from "./compare.ts";
import { type Scenario, scriptOf, stimuliOf } from "./scenario.ts";

export type Judgement =
  | { readonly kind: "agrees"; readonly packets: number; readonly hooks: number }
  | {
      readonly kind: "differs";
      /** The first step at which no branch explains the kernel; the number of steps: what conntrack keeps at the end. */
      readonly step: number;
      readonly differences: readonly string[];
      readonly run: ScriptRun | undefined;
      readonly observations: Observations;
    }
  /** `outside`: of what the model covers. */
  | { readonly kind: "skipped"; readonly reason: string; readonly outside?: true };

/** The same scenario put to a kernel and to the walk; `told`: as the walk is told, where that is to differ. */
export async function judge(backend: LabBackend, scenario: Scenario, known = scenario): Promise<Judgement> {
  const observed = await observe(backend, scenario);
  return "kind" in observed ? observed : compare(known, observed);
}

/** What a kernel makes of a scenario. */
export async function observe(
  backend: LabBackend,
  scenario: Scenario,
): Promise<Observations | Extract<Judgement, { readonly kind: "skipped" }>> {
  const realised = realise(scenario.world, {
    stimuli: stimuliOf(scenario),
    // Frames are not compared, but they tell the lab that a neighbour is being asked for.
    observe: { hooks: "loaded", frames: true, counters: false, conntrack: true, ruleCounts: false },
  });
  const lost = realised.remarks.find((r) => r.kind === "missing");
  if (lost !== undefined) return { kind: "skipped", reason: `cannot be made: ${lost.text}` };
  const listeners = realised.plan.listeners.map((l) => (l.protocol === "tcp" ? { ...l, whole: "line" as const } : l));
  return backend.run({ ...realised.plan, listeners });
}

/** `play`: the walk to be judged. */
export function compare(scenario: Scenario, sighted: Observations, play = playScript): Judgement {
  const [problem] = sighted.problems;
  if (problem !== undefined)
    return { kind: "skipped", reason: `refused by the kernel: ${problem.answer.slice(0, 80)}` };
  if (sighted.stimuli.some((s) => s.storm)) return { kind: "skipped", reason: "packets go round in circles" };
  if (sighted.stimuli.some(isTranslatedInCircles))
    return { kind: "skipped", reason: "a packet goes round in circles and is translated anew each time" };
  if (sighted.stimuli.some((s) => s.result.phase === "bind"))
    return { kind: "skipped", reason: "a source port was taken" };
  const { steps } = scenario;
  const { milliseconds } = sighted;
  let worst: { readonly step: number; readonly found: readonly string[] } = { step: -1, found: [] };
  const note = (step: number, found: readonly string[]) => {
    const better = step > worst.step || (step === worst.step && found.length < worst.found.length);
    if (found.length > 0 && better) worst = { step, found };
    return found.length === 0;
  };
  let at = 0;
  let answer: ScriptAnswer;
  try {
    answer = play(
      scenario.world,
      scriptOf(scenario),
      (i, sight) => {
        at = i + 1;
        return note(i, differences(steps[i]!, sight, sighted.stimuli[i]!, sighted.ctInfo));
      },
      (run) =>
        note(
          steps.length,
          trackedDifferences(
            run,
            sighted.states,
            milliseconds.total - milliseconds.build,
            carriers(scenario.world, sighted.stimuli),
          ),
        ),
    );
  } catch (fault) {
    return {
      kind: "differs",
      step: at,
      differences: [`the walk fails: ${fault instanceof Error ? fault.stack : fault}`],
      run: undefined,
      observations: sighted,
    };
  }
  if (answer.kind === "undetermined") {
    const reason = `outside the model: ${sayDecision(answer.why)}`;
    return { kind: "skipped", reason, outside: true };
  }
  if (answer.kind === "unexplained") {
    if (endsItself(answer.run, worst.step))
      return { kind: "skipped", reason: "an acknowledgement ends its own connection, at a time of its own" };
    const observed = sighted.stimuli[worst.step];
    if (observed !== undefined && resetAmongData(observed, worst.found))
      return {
        kind: "skipped",
        reason: "a connection is reset while data is sent in pieces or again, at a time of its own",
      };
    if (rateLimited(answer.run)) return { kind: "skipped", reason: "more errors than ip_error() sends in a second" };
    return { kind: "differs", step: worst.step, differences: worst.found, run: answer.run, observations: sighted };
  }
  return {
    kind: "agrees",
    packets: steps.filter((s) => s.kind !== "change").length,
    hooks: sighted.stimuli.reduce((sum, s, i) => sum + kernelLines(steps[i]!, s).length, 0),
  };
}

/** Each round is a connection of its own, with a port that is drawn. */
const ROUNDS = 8;

function isTranslatedInCircles({ hooks }: StimulusObservation): boolean {
  const rounds = new Map<string, number>();
  for (const { stack, table, chain, packet } of hooks) {
    if (table !== "nat" || chain !== "POSTROUTING") continue;
    const to = `${stack} ${formatAddress(packet.dst)} ${packet.dport}`;
    rounds.set(to, (rounds.get(to) ?? 0) + 1);
  }
  return [...rounds.values()].some((n) => n >= ROUNDS);
}

/**
 * ip_error() takes a token of the peer's bucket of five for each error, icmpv4_xrlim_allow() another of the same (inet_peer), and one comes back a second: two
 * errors at once. Redirects draw from it, too; time is not the walk's.
 */
const BURST = 2;
const isIpError = (decision: Decision): boolean =>
  decision.kind === "no-way-back" ? isIpError(decision.decision) : decision.kind === "input-routing";

/**
 * nf_nat_oif_changed() ends a masqueraded connection whose packet leaves by another device. Where a bare acknowledgement does so, how many connections there are depends
 * on which of them are sent for themselves, which is a timer's to say.
 */
const endsItself = ({ sights }: ScriptRun, step: number): boolean =>
  sights.slice(0, step + 1).some(({ unacknowledged }) => unacknowledged.includes("MASQUERADE_DEVICE_CHANGED"));

/**
 * tcp_tso_autosize(): how much of what is written at once is sent as one hangs on the time of a round trip; and what is not acknowledged is sent again after a while, longer than the
 * lab waits where all is fast. Where the connection is reset meanwhile, whether more data comes behind it and is answered by a RST of its own is a timer's to say.
 */
function resetAmongData({ hooks }: StimulusObservation, found: readonly string[]): boolean {
  if (!found.every((text) => text.includes(" tcp RST ") || text.startsWith("the client hears ECONNRESET")))
    return false;
  const seen = new Set<string>();
  return hooks.some(({ stack, backend, table, native, chain, packet: p }) => {
    if (p.protocol !== PROTO.tcp || p.payload === 0) return false;
    const at = `${stack} ${backend} ${table} ${native?.chain} ${chain} ${formatAddress(p.src)} ${p.sport} ${formatAddress(p.dst)} ${p.dport}`;
    const again = seen.has(at);
    seen.add(at);
    return again;
  });
}

function rateLimited(run: ScriptRun): boolean {
  const sent = new Map<string, number>();
  const redirects = run.sights.some((s) => s.steps.some((x) => x.kind === "forward" && x.in === x.out));
  for (const { steps } of run.sights) {
    for (const step of steps) {
      if (step.kind !== "error" || !isIpError(step.decision)) continue;
      const peer = `${step.stack} ${formatAddress(step.packet.src)}`;
      sent.set(peer, (sent.get(peer) ?? 0) + 1);
    }
  }
  return [...sent.values()].some((n) => redirects || n > BURST);
}
