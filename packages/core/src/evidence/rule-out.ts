import { factText, type Text, text } from "../messages/index.ts";
import type { Observations, ObservedIp, Packet, Step } from "../model/index.ts";
import { formatAddress } from "../net/index.ts";
import { type Branch, type Exploration, hypothesesOf, narrow, type Question } from "../trace/index.ts";
import { ANSWERED } from "./against.ts";
import type { ObservedConnection } from "./connection.ts";
import { flowText, hostText, placeText } from "./endpoint-text.ts";
import { type Testimony, testimonyText } from "./losses.ts";
import type { Sighting } from "./sighting.ts";
import { SYMPTOMS } from "./symptoms.ts";

/** An open fact that what was seen decides, or narrows. */
export interface SettledFact {
  readonly fact: string;
  readonly text: Text;
  readonly values: readonly string[];
  readonly because: Text;
}

export interface Survivors {
  readonly exploration: Exploration;
  readonly settled: readonly SettledFact[];
  /** Only that the flow fails speaks for what is left: it may fail for a reason nobody knows. */
  readonly byFailureAlone: boolean;
}

interface Item {
  readonly explains: (branch: Branch) => boolean;
  readonly because: Text;
  /** The kernel's own word, or the packet itself; not merely that it failed. */
  readonly direct: boolean;
}

export interface Testimonies {
  readonly question: Question;
  readonly observations: Observations;
  readonly connections: readonly ObservedConnection[];
  readonly testimonies: readonly Testimony[];
}

/**
 * Observations rule hypotheses out: what a hypothesis does not explain while another does speaks against it. What none
 * explains rules nothing out; it stands against the walk as a whole.
 */
export function ruleOut(exploration: Exploration, observed: Testimonies): Survivors {
  const all = hypothesesOf(exploration);
  if (all === undefined || all.length < 2) return { exploration, settled: [], byFailureAlone: false };
  let left = all;
  const known: Item[] = [];
  for (const item of [
    ...martianItems(exploration, observed),
    ...sightingItems(exploration, observed),
    ...answerItems(observed),
    ...outcomeItems(observed),
  ]) {
    const explained = left.filter((h) => h.branches.some(item.explains));
    if (explained.length === 0 || explained.length === left.length) continue;
    left = explained;
    known.push(item);
  }
  const last = known[known.length - 1];
  if (last === undefined) return { exploration, settled: [], byFailureAlone: false };
  const narrowed = narrow(exploration, left);
  const settled = settledBy(narrowed.facts, last.because);
  const byFailureAlone = known.every((i) => !i.direct);
  return { exploration: narrowed.exploration, settled, byFailureAlone };
}

/** Facts that have fewer values left, and what took the others. */
export const settledBy = (facts: ReadonlyMap<string, readonly string[]>, because: Text): readonly SettledFact[] =>
  [...facts].map(([fact, values]) => ({ fact, text: factText(fact), values, because }));

const at = (origin: { readonly file: string; readonly line: number }, what: Text): Text =>
  text("evidence.at", { where: `${origin.file}:${origin.line}`, what });

/** A martian line of the kernel: source validation refused that packet there. */
function martianItems({ branches }: Exploration, { observations }: Testimonies): readonly Item[] {
  return observations.martians.flatMap((m): Item[] => {
    if (m.kind !== "source") return [];
    const refused = (s: Step): boolean =>
      s.kind === "source validation" &&
      s.result !== "ok" &&
      s.stack === m.place.node &&
      s.device === m.device &&
      s.packet.src === m.src &&
      s.packet.dst === m.dst;
    const explains = (b: Branch): boolean => [b.request, b.reply].some((leg) => leg?.steps.some(refused));
    const [src, dst] = [formatAddress(m.src), formatAddress(m.dst)];
    const because = at(m.origin, text("evidence.martian", { src, dst, node: m.place.node, device: m.device }));
    return branches.some(explains) ? [{ explains, because, direct: true }] : [];
  });
}

/** A SYN of the asked flow, seen under certain addresses at a device: the walk must bring it there so. */
function sightingItems({ branches, world }: Exploration, { question, connections }: Testimonies): readonly Item[] {
  return connections.flatMap((c) =>
    c.sightings.flatMap((s): Item[] => {
      const device = s.device ?? s.place.device;
      if (s.role !== "syn" || s.tunnel !== undefined || device === undefined || device === "any") return [];
      const stack = s.place.stack ?? s.place.node;
      const passes =
        (at?: string) =>
        ({ request }: Branch): boolean => {
          const first = request.steps.find((step) => step.kind === "send")?.packet;
          return request.steps.some(
            (step) =>
              (step.kind === "transmit" || step.kind === "receive") &&
              step.stack === stack &&
              (at === undefined || step.device === at) &&
              sameForm(s.ip, step.packet, first, question),
          );
        };
      // Where nobody knows such a device, the node will do. One that is known and that no branch comes by carried another flow.
      const isKnown = world.stacks.some((k) => k.name === stack && k.devices.items.some((d) => d.name === device));
      const explains = isKnown || branches.some(passes(device)) ? passes(device) : passes();
      return [{ explains, because: sightingText(s), direct: true }];
    }),
  );
}

const sightingText = (s: Sighting): Text =>
  at(s.origin, text("evidence.seen", { flow: flowText(s.ip), place: placeText(s.place, s.device) }));

/** The same destination, and the same source; where that was translated, any other than the first will do. */
function sameForm(found: ObservedIp, walked: Packet, first: Packet | undefined, question: Question): boolean {
  if (hostText(found.dst) !== formatAddress(walked.dst) || found.dport !== walked.dport) return false;
  const src = hostText(found.src);
  if (src === formatAddress(walked.src)) return true;
  const own = first === undefined ? formatAddress(question.to) : formatAddress(first.src);
  return src !== own && formatAddress(walked.src) !== own;
}

/** The server's answer was seen: whatever stops the request before it gets there does not. */
function answerItems({ testimonies }: Testimonies): readonly Item[] {
  const [seen] = testimonies.filter((t) => t.uncertain !== true && ANSWERED.has(t.outcome ?? ""));
  if (seen === undefined) return [];
  const explains = ({ reply }: Branch): boolean => reply !== null && reply.final.icmp === undefined;
  return [{ explains, because: testimonyText(seen), direct: true }];
}

/** What the client saw of the asked flow. Where it was seen both to work and to fail, nothing follows. */
function outcomeItems({ testimonies: all }: Testimonies): readonly Item[] {
  const testimonies = all.filter((t) => t.uncertain !== true);
  const works = testimonies.every((t) => t.kind === "success") && testimonies.some((t) => t.byAsker === true);
  if (!works && testimonies.some((t) => t.kind !== "loss")) return [];
  return testimonies.flatMap((t): Item[] => {
    const sees = SYMPTOMS[t.outcome ?? ""];
    if (sees === undefined) return [];
    // A socket refuses with RST, IPVS and REJECT with ICMP: a capture tells them apart.
    const byIcmp = t.outcome === "refused-icmp";
    const explains = (b: Branch): boolean =>
      b.clientSees === null || (sees.includes(b.clientSees) && (!byIcmp || b.reply?.final.icmp !== undefined));
    return [{ explains, because: testimonyText(t), direct: false }];
  });
}
