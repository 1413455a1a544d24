import { applyPatch, assemble, observationsOf } from "../assemble/index.ts";
import { contradictionsOf } from "../check/index.ts";
import {
  againstTheWalk,
  connectionsOf,
  nextByTheWalk,
  type SettledFact,
  type Testimony,
  testimonies,
  testimonyText,
} from "../evidence/index.ts";
import type { Look } from "../explain/index.ts";
import { settle, watchable, wereWatched } from "../instrument/index.ts";
import { type Text, text } from "../messages/index.ts";
import { type CaseFile, groundId, isHostName, isSees, linesOf, SEES, type World } from "../model/index.ts";
import type { Address } from "../net/index.ts";
import type { Flow } from "../remedy/index.ts";
import {
  type Exploration,
  groundsOf,
  type Question,
  type QuestionSpec,
  resolveQuestion,
  trace,
  undeterminedBranch,
} from "../trace/index.ts";
import { BadRequest } from "./bad-request.ts";
import { flowOf, owns } from "./flow.ts";
import type { LoadedCase } from "./loaded-case.ts";
import { quoteLine } from "./quote.ts";
import { byDoubt } from "./rests-on.ts";
import { unwalkedQuestion } from "./unwalked.ts";

/** The options of `trace` and `diagnose` that make up a question. */
export interface QuestionOptions {
  readonly from?: string;
  readonly to?: string;
  readonly proto?: string;
  readonly in?: string;
  readonly node?: string;
  readonly via?: string;
  readonly bind?: string;
  readonly sport?: string | number;
  readonly size?: string | number;
  /** What the client sees: `--sees`. */
  readonly sees?: string;
}

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

export interface Inquiry {
  readonly spec: QuestionSpec;
  readonly exploration: Exploration;
  /** Absent where the question is understood and not walked yet. */
  readonly question?: Question;
  /** Hypotheses that pasted output of `instrument` ruled out. */
  readonly settled?: readonly SettledFact[];
}

/** Contradictions that change what a packet meets. */
const DECIDES: ReadonlySet<string> = new Set([
  "RULE_DIFFERS",
  "RULE_ONLY_IN_ONE",
  "POLICY_DIFFERS",
  "SET_DIFFERS",
  "VIRTUAL_SERVICE_DIFFERS",
  "ROUTING_RULES_DIFFER",
]);

/** More of them are not told apart at once. */
const MAX_DOUBTED = 5;

/** A case ready to be asked: its World, with the patches the user wants tried. */
export class Askable {
  readonly world: World;
  readonly #loaded: LoadedCase;
  /** Facts the user settled. */
  readonly assumed: ReadonlyMap<string, string>;

  constructor(loaded: LoadedCase, assume: readonly string[]) {
    this.#loaded = loaded;
    this.assumed = assumptions(loaded, assume);
    this.world = assemble(loaded.reading, withAssumptions(loaded.caseFile, this.assumed)).world;
  }

  /** What the rules of `instrument` printed, pasted back, leaves of the hypotheses. */
  settled(inquiry: Inquiry, options: QuestionOptions): Inquiry {
    const { lines, packets } = this.#seen().observations;
    const watched = () => this.ask(options, watchable(this.world)).exploration;
    const settled = settle(inquiry.exploration, watched, lines, packets);
    if (settled !== undefined) return { ...inquiry, exploration: settled.exploration, settled: settled.facts };
    return inquiry.exploration.facts.length === 0 && wereWatched(lines)
      ? this.#settledGrounds(inquiry, options)
      : inquiry;
  }

  /** The same where nothing is open but what nobody showed. */
  #settledGrounds(inquiry: Inquiry, options: QuestionOptions): Inquiry {
    const { lines, packets } = this.#seen().observations;
    const watched = () => this.inDoubt(this.ask(options, watchable(this.world))).exploration;
    const settled = settle(this.inDoubt(inquiry).exploration, watched, lines, packets);
    if (settled === undefined || inquiry.question === undefined) return inquiry;
    const { fixed } = settled.exploration;
    return {
      ...inquiry,
      exploration: trace(inquiry.exploration.world, inquiry.question, { fixed }),
      settled: settled.facts,
    };
  }

  /** The question walked with both values of what it rests on although nobody showed it, as if that were open facts. */
  inDoubt(inquiry: Inquiry): Inquiry {
    const { question, exploration } = inquiry;
    const grounds = byDoubt(groundsOf(exploration)).slice(0, MAX_DOUBTED);
    if (question === undefined || grounds.length === 0) return inquiry;
    const doubted = new Set(grounds.map(groundId));
    const { world, fixed } = exploration;
    return { ...inquiry, exploration: trace(world, question, { fixed, doubted }) };
  }

  /** All there is to look at beside the walk, before any cure. */
  look(inquiry: Inquiry): Look | undefined {
    const { exploration } = inquiry;
    const question = inquiry.question ?? unwalkedQuestion(this.world, inquiry.spec);
    if (question === undefined) return undefined;
    const { observations, connections } = this.#seen();
    const known = this.#testimonies(inquiry);
    const flow = flowOf(this.world, question, inquiry.spec, exploration);
    return { world: exploration.world, question, flow, exploration, observations, connections, testimonies: known };
  }

  #observed: Pick<Look, "observations" | "connections"> | undefined;

  /** Put together once: captures may be large. */
  #seen(): Pick<Look, "observations" | "connections"> {
    if (this.#observed === undefined) {
      const observations = observationsOf(this.#before());
      this.#observed = { observations, connections: connectionsOf(observations.packets) };
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
    const next = nextByTheWalk(inquiry.exploration, this.#seen().connections).slice(0, 3);
    return [...losses, ...(losses.length > 0 ? next : []), ...unread, ...this.disagreements(inquiry)];
  }

  #disagreements: ReturnType<typeof contradictionsOf> | undefined;

  /** Dumps of a stack on the way that cannot all be true: one of them was taken, and the other may be how it is. */
  disagreements({ exploration: { branches } }: Inquiry): readonly Text[] {
    const crossed = new Set(
      branches.flatMap((b) => [b.request, b.reply].flatMap((leg) => leg?.steps.map((s) => s.stack) ?? [])),
    );
    this.#disagreements ??= contradictionsOf(this.#loaded.reading.dumps).filter((c) => DECIDES.has(c.code));
    const ofStacks = this.#disagreements.filter((c) => crossed.has(c.stack) || crossed.has(`${c.node}/${c.stack}`));
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

  /** What captures, clients and connection tables say of the asked flow, before any cure. */
  #testimonies(inquiry: Inquiry): readonly Testimony[] {
    const { question, spec } = inquiry;
    if (question === undefined) return [];
    const { observations, connections } = this.#seen();
    return testimonies(
      flowOf(this.world, question, spec, inquiry.exploration),
      observations,
      connections,
      this.world.stacks.flatMap((s) => s.conntrack.items),
    );
  }

  /** Flows whose fate case.yaml states for comparison, asked as they stand there. */
  controls(spec: QuestionSpec): readonly Flow[] {
    return (this.#loaded.caseFile?.controls ?? []).flatMap(({ question: { origin: _, ...inquiry } }) => {
      // What the client saw is said of the asked flow only.
      const { from, to, proto = "tcp", sees: _sees, ...rest } = { ...spec, ...inquiry };
      return from === undefined || to === undefined ? [] : [{ from, to, proto, rest }];
    });
  }

  /** The commands of a patch: by the name case.yaml gives it, or as typed. */
  commandsOf(patch: string): readonly string[] {
    return this.#loaded.caseFile?.fixes.find((f) => f.name === patch)?.commands ?? [patch];
  }

  patched(patch: string, from: World = this.world): { readonly world: World; readonly commands: readonly string[] } {
    const commands = this.commandsOf(patch);
    const { world, problems } = applyPatch(from, commands);
    if (problems.length > 0) throw new BadRequest(problems.map((p) => `--try ${patch}: ${p.reason}`).join("\n"));
    return { world, commands };
  }

  ask(options: QuestionOptions, world: World = this.world, verbose = false): Inquiry {
    const spec = this.spec(options);
    const resolved = resolveQuestion(world, spec);
    if (resolved.ok === false) throw new BadRequest(resolved.error);
    if (resolved.ok === "unsupported") return { spec, exploration: undeterminedBranch(world, resolved.reason) };
    const { question } = resolved;
    return { spec, question, exploration: trace(resolved.world, question, { fixed: this.assumed, verbose }) };
  }

  spec(options: QuestionOptions): QuestionSpec {
    const stated = this.#loaded.caseFile?.question;
    const sees = options.sees ?? stated?.sees;
    if (sees !== undefined && !isSees(sees)) throw new BadRequest(`--sees ${sees}: ${SEES.join(", ")}`);
    const number = (value: string | number | undefined, name: string, max: number): number | undefined => {
      if (value === undefined) return undefined;
      const n = Number(value);
      if (!Number.isInteger(n) || n < 0 || n > max)
        throw new BadRequest(`--${name} ${value}: a whole number up to ${max}`);
      return n;
    };
    return {
      from: options.from ?? stated?.from,
      to: options.to ?? stated?.to,
      proto: options.proto ?? stated?.proto,
      in: options.in ?? stated?.in,
      node: options.node ?? stated?.node,
      via: options.via ?? stated?.via,
      bind: options.bind ?? stated?.bind,
      sport: number(options.sport ?? stated?.sport, "sport", 65535),
      size: number(options.size ?? stated?.size, "size", 65535),
      sees,
    };
  }

  /** The text of a line of the case, for quoting. */
  quote(file: string, line: number): string | undefined {
    return quoteLine(this.#loaded.inputs, file, line);
  }
}

/** Assembly heeds them too: an assumption may stand against what a dump shows. */
function withAssumptions(caseFile: CaseFile | undefined, assumed: ReadonlyMap<string, string>): CaseFile | undefined {
  if (assumed.size === 0) return caseFile;
  const origin = { kind: "assumed", rule: "--assume" } as const;
  const assume = [...assumed].map(([fact, value]) => ({ fact, value, origin }));
  const empty: CaseFile = {
    file: "",
    nodes: [],
    stacks: [],
    links: [],
    loadBalancers: [],
    listeners: [],
    assume: [],
    fixes: [],
  };
  return { ...(caseFile ?? empty), assume };
}

/** Facts the user settled; `?` leaves one open. */
function assumptions(loaded: LoadedCase, input: readonly string[]): ReadonlyMap<string, string> {
  const settled = new Map<string, string>();
  for (const a of loaded.caseFile?.assume ?? []) if (a.value !== "?") settled.set(a.fact, a.value);
  for (const text of input) {
    const at = text.indexOf("=");
    if (at <= 0) throw new BadRequest(`--assume ${text}: ID=VALUE`);
    const value = text.slice(at + 1);
    if (value === "?") settled.delete(text.slice(0, at));
    else settled.set(text.slice(0, at), value);
  }
  return settled;
}
