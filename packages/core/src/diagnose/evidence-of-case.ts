import { observationsOf } from "../assemble/index.ts";
import { differencesOf, disagreementsOf, type NodeDifferences } from "../check/index.ts";
import {
  againstTheWalk,
  connectionsOf,
  nextByTheWalk,
  type Testimony,
  tellsOfLoss,
  testimonies,
  testimonyText,
} from "../evidence/index.ts";
import type { Drift, Look } from "../explain/index.ts";
import { type Text, text } from "../messages/index.ts";
import { type ConntrackEntry, isHostName, linesOf, type ObservedHost, type World } from "../model/index.ts";
import type { Address } from "../net/index.ts";
import { flowOf, owns } from "./flow.ts";
import type { Inquiry } from "./inquiry.ts";
import type { LoadedCase } from "./loaded-case.ts";
import { unwalkedQuestion } from "./unwalked.ts";

const OBSERVATIONS: ReadonlySet<string> = new Set([
  "client",
  "conntrack",
  "conntrack-stats",
  "counters",
  "ethtool",
  "kernel-log",
  "nft-trace",
  "service-log",
  "tcpdump",
]);

/** Contradictions that change what a packet meets. */
const DECIDES: ReadonlySet<string> = new Set([
  "RULE_DIFFERS",
  "RULE_ONLY_IN_ONE",
  "POLICY_DIFFERS",
  "SET_DIFFERS",
  "VIRTUAL_SERVICE_DIFFERS",
  "ROUTING_RULES_DIFFER",
]);

/** What the dumps of a case show beside its World: captures, logs, connection tables, clients, and dumps that disagree. */
export class EvidenceOfCase {
  readonly world: World;
  readonly #loaded: LoadedCase;

  constructor(world: World, loaded: LoadedCase) {
    this.world = world;
    this.#loaded = loaded;
  }

  /** All there is to look at beside the walk, before any cure. */
  look(inquiry: Inquiry): Look | undefined {
    const { exploration } = inquiry;
    const question = inquiry.question ?? unwalkedQuestion(this.world, inquiry.spec);
    if (question === undefined) return undefined;
    const { observations, connections } = this.observed();
    const known = this.#testimonies(inquiry);
    const flow = flowOf(this.world, question, inquiry.spec, exploration);
    const drift = (isAsked: (node: string) => boolean): readonly Drift[] => this.#drift(isAsked);
    const { world } = exploration;
    return { world, question, flow, exploration, observations, connections, testimonies: known, drift };
  }

  /** Nothing was observed, and no two dumps disagree: what is said of one flow holds for another that goes the same way. */
  get isSilent(): boolean {
    const { observations, connections } = this.observed();
    const seen = Object.values(observations).some((list) => Array.isArray(list) && list.length > 0);
    const unread = this.#before().some((d) => OBSERVATIONS.has(d.dialect.id));
    return !seen && !unread && connections.length === 0 && this.disagreeing.size === 0;
  }

  /** Packets were seen, or what became of them: whom that is about takes the walk to say. */
  get showsPackets(): boolean {
    const { packets, lines, symptoms } = this.observed().observations;
    return packets.length > 0 || lines.length > 0 || symptoms.length > 0;
  }

  /** Stacks of which two dumps cannot both be true, by each of the names that a step may call them. */
  get disagreeing(): ReadonlySet<string> {
    return new Set(this.#disagreed().flatMap(({ node, stack }) => [stack, `${node}/${stack}`]));
  }

  /** Where a node is not as kube-proxy should have programmed it. */
  driftOf(node: string): readonly Drift[] {
    return this.#drift((other) => other === node);
  }

  #differences: readonly NodeDifferences[] | undefined;

  /** Where nodes are not as kube-proxy should have programmed them: `check` and `diagnose` expect the same. */
  #drift(isAsked: (node: string) => boolean): readonly Drift[] {
    const { reading, inputs, caseFile } = this.#loaded;
    this.#differences ??= differencesOf(reading.dumps, inputs, caseFile);
    return this.#differences
      .filter(({ node }) => isAsked(node))
      .flatMap(({ node, drafts }) => drafts.map((d) => ({ ...d, node })));
  }

  #observed: Pick<Look, "observations" | "connections"> | undefined;

  /** Put together once: captures may be large. */
  observed(): Pick<Look, "observations" | "connections"> {
    if (this.#observed === undefined) {
      const observations = observationsOf(this.#before());
      const ownedBy = (node: string, host: ObservedHost): boolean =>
        !isHostName(host) && this.world.stacks.some((s) => s.name === node && owns(s, host));
      this.#observed = { observations, connections: connectionsOf(observations.packets, ownedBy) };
    }
    return this.#observed;
  }

  /** The dumps that do not say they were taken after a cure. */
  #before(): LoadedCase["reading"]["dumps"] {
    return this.#loaded.reading.dumps.filter((d) => d.context.moment?.value !== "after");
  }

  /**
   * What was seen that a walk which delivers does not explain: failures of the asked flow, quoted, and dumps of what was seen
   * that are recognised and not read. Beside them no walk may be called the last word.
   */
  unexplained(inquiry: Inquiry): readonly Text[] {
    const unread = this.#before()
      .filter((d) => OBSERVATIONS.has(d.dialect.id) && d.reading.facts.some((f) => f.kind === "not-read-yet"))
      .map((d) => text("evidence.not-read", { where: `${d.file}:${d.lines[0]}`, title: d.dialect.title }));
    const losses = this.#testimonies(inquiry)
      .filter((t) => t.kind !== "success")
      .map(testimonyText);
    const next = nextByTheWalk(inquiry.exploration, this.observed().connections).slice(0, 3);
    return [...losses, ...(losses.length > 0 ? next : []), ...unread, ...this.disagreements(inquiry)];
  }

  #disagreements: ReturnType<typeof disagreementsOf> | undefined;

  #disagreed(): ReturnType<typeof disagreementsOf> {
    this.#disagreements ??= disagreementsOf(this.#loaded.reading.dumps).filter((c) => DECIDES.has(c.code));
    return this.#disagreements;
  }

  /** Dumps of a stack on the way that cannot all be true: one of them was taken, and the other may be how it is. */
  disagreements({ exploration: { branches } }: Inquiry): readonly Text[] {
    const crossed = new Set(
      branches.flatMap((b) => [b.request, b.reply].flatMap((leg) => leg?.steps.map((s) => s.stack) ?? [])),
    );
    const ofStacks = this.#disagreed().filter((c) => crossed.has(c.stack) || crossed.has(`${c.node}/${c.stack}`));
    return ofStacks.slice(0, 3).map(({ stack, origins }) => {
      const lines = origins.flatMap(linesOf).map((o) => `${o.file}:${o.line}`);
      return text("evidence.dumps-disagree", { stack, where: lines.slice(0, 2).join(", ") });
    });
  }

  /** What was seen of the asked flow shows both: it works, and it does not. */
  showsBoth(inquiry: Inquiry): boolean {
    return this.#testimonies(inquiry).some((t) => t.kind === "mixed");
  }

  /** Where the walk says that it fails: the same flow of the same client was seen to work. */
  successes(inquiry: Inquiry): readonly Text[] {
    const { question } = inquiry;
    const client = this.world.stacks.find((s) => s.name === question?.client);
    const own = (address: Address): boolean =>
      question?.bindAddress === undefined
        ? client !== undefined && owns(client, address)
        : address === question.bindAddress;
    return this.#testimonies(inquiry)
      .filter((t) => t.kind === "success")
      .filter(({ src, place, byAsker }) =>
        byAsker === true
          ? true
          : place === undefined
            ? src !== undefined && !isHostName(src) && own(src)
            : (place.stack ?? place.node) === client?.name && question?.bindAddress === undefined,
      )
      .map(testimonyText);
  }

  /** Where the walk loses the request: it was answered all the same. */
  answers(inquiry: Inquiry): readonly Text[] {
    return againstTheWalk(inquiry.exploration, this.#testimonies(inquiry)).map(testimonyText);
  }

  #tracked: readonly ConntrackEntry[] | undefined;

  /** Entries of connection tables that tell of a loss: of hundreds of thousands a few. */
  #unheard(): readonly ConntrackEntry[] {
    this.#tracked ??= this.world.stacks.flatMap((s) => s.conntrack.items.filter(tellsOfLoss));
    return this.#tracked;
  }

  /** What captures, clients and connection tables say of the asked flow, before any cure. */
  #testimonies(inquiry: Inquiry): readonly Testimony[] {
    const { question, spec } = inquiry;
    if (question === undefined) return [];
    const { observations, connections } = this.observed();
    return testimonies(
      flowOf(this.world, question, spec, inquiry.exploration),
      observations,
      connections,
      this.#unheard(),
    );
  }
}
