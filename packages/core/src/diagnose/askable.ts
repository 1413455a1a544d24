import { applyPatch, assemble, assembleObjects, objectsAlone } from "../assemble/index.ts";
import { faultText, refusalText, text } from "../messages/index.ts";
import { type CaseFile, groundId, type KubernetesObjects, type LoadBalancer, type World } from "../model/index.ts";
import type { Family } from "../net/index.ts";
import type { Flow } from "../remedy/index.ts";
import {
  asksByName,
  decisiveLeg,
  familiesAsked,
  groundsOf,
  type Judgement,
  judge,
  type Leg,
  type QuestionSpec,
  type Region,
  regionOf,
  resolveQuestion,
  trace,
  undeterminedBranch,
} from "../trace/index.ts";
import { assumptions, withAssumptions } from "./assumed.ts";
import { BadRequest } from "./bad-request.ts";
import { EvidenceOfCase } from "./evidence-of-case.ts";
import type { Inquiry } from "./inquiry.ts";
import type { LoadedCase } from "./loaded-case.ts";
import { leaning } from "./open/rests-on.ts";
import { familyOption, type QuestionOptions, specOf } from "./question-options.ts";
import { quoteLine } from "./quote.ts";

/** What a walk alone comes to: nothing that was observed is weighed. */
export interface Walked extends Judgement {
  readonly restsOn: readonly string[];
  /** Where each way ends. */
  readonly ends: readonly (Pick<Leg, "stack" | "step" | "drop"> & { readonly share: number })[];
  /** Not every way was walked. */
  readonly overflow: boolean;
}

/** A case ready to be asked: its World, with the patches the user wants tried. */
export class Askable {
  readonly #loaded: LoadedCase;
  readonly #assume: readonly string[];
  /** Facts the user settled. */
  readonly assumed: ReadonlyMap<string, string>;
  #world: World | undefined;
  #evidence: EvidenceOfCase | undefined;

  constructor(loaded: LoadedCase, assume: readonly string[], world?: World) {
    this.#loaded = loaded;
    this.#assume = assume;
    this.assumed = assumptions(loaded, assume);
    this.#world = world;
  }

  /** Put together when somebody asks: of thousands of nodes a sweep asks for parts only. */
  get world(): World {
    this.#world ??= assemble(this.#loaded.reading, withAssumptions(this.#loaded.caseFile, this.assumed)).world;
    return this.#world;
  }

  get evidence(): EvidenceOfCase {
    this.#evidence ??= new EvidenceOfCase(this.world, this.#loaded);
    return this.#evidence;
  }

  /** The objects, where nothing else was shown, stated or settled. */
  objectsAlone(): KubernetesObjects | undefined {
    const { caseFile, reading } = this.#loaded;
    return this.assumed.size === 0 && statesNothing(caseFile) ? objectsAlone(reading.dumps) : undefined;
  }

  /** A case in which these objects of all, and load balancers of Services among them, are all that is asked about. */
  part(objects: KubernetesObjects, balancers: readonly LoadBalancer[], all: KubernetesObjects): Askable {
    const { inputs, reading, notes } = this.#loaded;
    const { world } = assembleObjects(objects, balancers);
    return new Askable({ inputs, reading: { ...reading, dumps: [] }, notes }, [], { ...world, partOf: all });
  }

  /** The same case, asked in a World that says the same: stacks in it may be another case's, where they are alike. */
  sharing(world: World): Askable {
    return new Askable(this.#loaded, this.#assume, world);
  }

  /** Flows whose fate case.yaml states for comparison, asked as they stand there. */
  controls(spec: QuestionSpec): readonly Flow[] {
    return (this.#loaded.caseFile?.controls ?? []).flatMap(({ question: { origin: _, ...stated } }) => {
      // What the client saw is said of the asked flow only.
      const { from, to, proto = "tcp", sees: _sees, family, ...others } = { ...spec, ...stated };
      const rest = { ...others, ...((family === 4 || family === 6) && { family }) };
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
    if (problems.length > 0)
      throw new BadRequest(
        problems.map((p) => text("error.try-refused", { patch, reason: refusalText(p.refusal) })),
        "try",
      );
    return { world, commands };
  }

  spec(options: QuestionOptions): QuestionSpec {
    return specOf(options, this.#loaded.caseFile?.question);
  }

  /** The families to be asked in, where the question is one of both: a Service by its name, or whoever was asked so. */
  families(options: QuestionOptions): readonly Family[] {
    const family = familyOption(options, this.#loaded.caseFile?.question);
    const spec = this.spec(options);
    if (family === undefined ? !asksByName(this.world, spec) : family !== "both") return [];
    return familiesAsked(this.world, spec);
  }

  ask(options: QuestionOptions, world: World = this.world, verbose = false): Inquiry {
    const asked = this.spec(options);
    const home = this.assumed.get(`${asked.from ?? ""}/home`);
    const spec = home === undefined ? asked : { ...asked, home };
    const resolved = resolveQuestion(world, spec);
    if (resolved.ok === false) throw new BadRequest(faultText(resolved.error), resolved.option);
    if (resolved.ok === "unsupported") return { spec, exploration: undeterminedBranch(world, resolved.reason) };
    const { question } = resolved;
    return { spec, question, exploration: trace(resolved.world, question, { fixed: this.assumed, verbose }) };
  }

  /** For which addresses an answer holds: as far as the World tells them apart. */
  holdsFor({ spec, question }: Inquiry, world: World = this.world): Region | undefined {
    return question === undefined ? undefined : regionOf(world, spec, question.to, this.assumed);
  }

  /** What a walk alone comes to, without its steps: for many questions at once. */
  walked(options: QuestionOptions, world: World = this.world): Walked {
    const resolved = resolveQuestion(world, this.spec(options));
    if (resolved.ok === false) throw new BadRequest(faultText(resolved.error), resolved.option);
    const exploration =
      resolved.ok === "unsupported"
        ? undeterminedBranch(world, resolved.reason)
        : trace(resolved.world, resolved.question, { fixed: this.assumed, record: false });
    const judged = judge(exploration);
    const restsOn = groundsOf(exploration).map(groundId);
    const ends = exploration.branches.map((branch) => {
      const { stack, step, drop } = decisiveLeg(branch);
      return { stack, step, drop, share: branch.share };
    });
    const leans = judged.verdict === "reachable" && restsOn.length > 0;
    return { ...(leans ? leaning(judged) : judged), restsOn, ends, overflow: exploration.overflow };
  }

  /** The text of a line of the case, for quoting. */
  quote(file: string, line: number): string | undefined {
    return quoteLine(this.#loaded.inputs, file, line);
  }
}

/** A case.yaml that has nothing but a title, controls or fixes. */
const statesNothing = (file: CaseFile | undefined): boolean =>
  file === undefined ||
  (file.question === undefined &&
    file.fabric === undefined &&
    [file.nodes, file.stacks, file.links, file.loadBalancers, file.listeners, file.assume].every(
      (l) => l.length === 0,
    ));
