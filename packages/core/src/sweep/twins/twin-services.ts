import { type Address, formatAddress, isIpv4 } from "../../net/index.ts";
import type { Answer } from "../answer.ts";
import type { AlikeNodes } from "../classes/alike-nodes.ts";
import { type Others, retold } from "../classes/retold.ts";
import type { Met } from "../classes/sharing.ts";
import type { Group, Source, SourceKind, Target } from "../flow.ts";
import type { Flow } from "../plan.ts";
import type { Views } from "../views/views.ts";
import { EqualNodes } from "./equal-nodes.ts";
import { type Said, SaidOfServices } from "./said-of.ts";

/** With fewer of them nothing is won. */
const LEAST_NODES = 3;
/** So many Services are looked at before it is said that none is like another. */
const TRIED = 200;

/** A class of a Service's flows that another Service may have, too. */
export interface Part {
  readonly first: Flow;
  readonly answer: Answer;
}

interface Template {
  readonly said: Said;
  /** By the node that asks; null: the flows of its class are answered one by one. */
  readonly parts: ReadonlyMap<string, Part | null>;
}

/** The flows to a Service by those to another one of which the same is said. */
export class Twin<Open> {
  readonly #opened = new Map<Part, Open>();
  readonly #refused = new Set<Part>();
  readonly #isOdd: boolean;
  readonly #template: Template;
  readonly #said: Said;
  readonly #others: Others;
  readonly #equal: EqualNodes;
  readonly #moved = new Map<string, string>();

  /** `isOdd`: something is said of it by itself where it does not get through. */
  constructor(template: Template, said: Said, equal: EqualNodes, isOdd: boolean) {
    this.#isOdd = isOdd;
    this.#template = template;
    this.#said = said;
    this.#equal = equal;
    const { homes, addresses } = template.said;
    for (const [i, home] of said.homes.entries()) this.#moved.set(home, homes[i]!);
    // Who had a part there and has none here stands where somebody stood who had none there.
    const free = said.homes.filter((home) => !homes.includes(home));
    for (const home of homes) if (!said.homes.includes(home)) this.#moved.set(home, free.pop()!);
    const names = new Map<string, string>();
    for (const [i, a] of addresses.entries()) names.set(formatAddress(a), formatAddress(said.addresses[i]!));
    const stacks = new Map<string, string>();
    for (const [i, home] of homes.entries()) this.#rename(home, said.homes[i]!, names, stacks);
    this.#others = { services: template.said.services, addresses: names, stacks };
  }

  #rename(from: string, to: string, names: Map<string, string>, stacks: Map<string, string>): void {
    stacks.set(from, to);
    const there = this.#equal.addressesOf(to);
    for (const [i, a] of this.#equal.addressesOf(from).entries()) names.set(formatAddress(a), formatAddress(there[i]!));
  }

  /** The class it is of, of those that are open. */
  find(flow: Flow): Open | undefined {
    const part = this.#partOf(flow);
    return part && this.#opened.get(part);
  }

  /** The first of its class; undefined: it is asked by itself. */
  open(flow: Flow, make: (known: Part) => Open): Open | undefined {
    const part = this.#partOf(flow);
    if (part === undefined || this.#refused.has(part)) return undefined;
    const answer = this.#answer(part, flow);
    if (answer === undefined) {
      // Nobody else is of a class of which one is asked by itself.
      this.#refused.add(part);
      return undefined;
    }
    const made = make({ first: flow, answer });
    this.#opened.set(part, made);
    return made;
  }

  #partOf({ source }: Flow): Part | undefined {
    const node = source.node ?? "";
    return this.#template.parts.get(this.#moved.get(node) ?? node) ?? undefined;
  }

  /** As the first of its class is told; undefined: something is said of which the other name is not known. */
  #answer({ first, answer }: Part, flow: Flow): Answer | undefined {
    if (answer.verdict === "reachable") return answer;
    if (this.#isOdd) return undefined;
    const [before, now] = [first.source.node ?? "", flow.source.node ?? ""];
    const { homes } = this.#template.said;
    if (homes.indexOf(before) !== this.#said.homes.indexOf(now)) return undefined;
    if (homes.includes(before) || before === now) return retold(answer, this.#others, flow);
    if (!this.#equal.has(before) || !this.#equal.has(now)) return undefined;
    const [addresses, stacks] = [new Map(this.#others.addresses), new Map(this.#others.stacks)];
    this.#rename(before, now, addresses, stacks);
    return retold(answer, { ...this.#others, addresses, stacks }, flow);
  }
}

/** Takes note of who is of which class of a Service of which nobody is known to be a twin. */
export class Lesson {
  readonly said: Said;
  readonly parts = new Map<string, Part | null>();
  /** Every flow would come to the same with others in the places of those who take part. */
  isWhole = true;
  readonly #known = new Map<object, Part | null>();
  readonly #isMovable: (source: Source, met: Met | undefined) => boolean;
  readonly #isNamed: (source: Source) => boolean;

  constructor(
    said: Said,
    isMovable: (source: Source, met: Met | undefined) => boolean,
    isNamed: (source: Source) => boolean,
  ) {
    this.said = said;
    this.#isMovable = isMovable;
    this.#isNamed = isNamed;
  }

  /** `asking`: who was asked for it last, and knows what it looked at. */
  note(flow: Flow, open: Part, asking: { readonly met: (flow: Flow) => Met | undefined } | undefined): void {
    const { source } = flow;
    if (!this.isWhole) return;
    let part = this.#known.get(open);
    if (part === undefined) {
      this.isWhole = this.#isMovable(source, asking?.met(flow));
      part = isTellable(open.answer) ? { first: open.first, answer: open.answer } : null;
      this.#known.set(open, part);
    }
    this.isWhole &&= !this.#isNamed(source);
    this.parts.set(source.node ?? "", part);
  }
}

/** What fails is told with lines of its own. */
const isTellable = ({ verdict, causes }: Answer): boolean =>
  verdict === "reachable" || (verdict === "undetermined" && causes.length === 0);

/**
 * Services of which all the same is said but for their addresses, the names of their chains and their own, and whose endpoints stand on nodes that may
 * change places: each node comes to one as the node in its place comes to the other. Nothing is compared flow by flow; the lines of the Service are.
 */
export class TwinServices<Open> {
  readonly #views: Views;
  readonly #nodes: AlikeNodes;
  readonly #sources: readonly Source[];
  readonly #isOdd: (service: string) => boolean;
  readonly #templates = new Map<string, Template>();
  #made: { readonly equal: EqualNodes; readonly said: SaidOfServices } | null | undefined;
  #tried = 0;
  #found = 0;

  constructor(views: Views, nodes: AlikeNodes, sources: readonly Source[], isOdd: (service: string) => boolean) {
    this.#views = views;
    this.#nodes = nodes;
    this.#sources = sources;
    this.#isOdd = isOdd;
  }

  /** What is known of a group by the flows to another Service, or may be learnt from it for others; undefined: neither. */
  of({ kind, targets }: Group): Twin<Open> | Lesson | undefined {
    const [target, another] = targets;
    if (target === undefined || another !== undefined || !isComparable(kind, target)) return undefined;
    if (this.#made === undefined) this.#made = this.#make(target) ?? null;
    if (this.#made === null || (this.#tried > TRIED && this.#found === 0)) return undefined;
    const said = this.#made.said.of(target);
    if (said === undefined) return undefined;
    this.#tried++;
    const template = this.#templates.get(said.key);
    if (template === undefined)
      return new Lesson(
        said,
        (source, met) => met !== undefined && this.#isMovable(source, met, said),
        (source) => this.#isNamed(source),
      );
    this.#found++;
    return new Twin<Open>(template, said, this.#made.equal, this.#isOdd(target.name ?? ""));
  }

  learn({ said, parts, isWhole }: Lesson): void {
    if (isWhole) this.#templates.set(said.key, { said, parts });
  }

  #make(target: Target): { readonly equal: EqualNodes; readonly said: SaidOfServices } | undefined {
    const equal = new EqualNodes(this.#views, this.#nodes, this.#sources, target);
    const said = equal.size < LEAST_NODES ? undefined : SaidOfServices.of(this.#views, this.#nodes, equal);
    return said === undefined ? undefined : { equal, said };
  }

  /** Whether what a flow looked at is told by who takes part in it, and is the same on every node that may change places. */
  #isMovable(source: Source, met: Met, { addresses, homes }: Said): boolean {
    const { equal } = this.#made!;
    const { cast, stacks } = this.#views;
    if (met.isApart && !equal.isBesideEqual) return false;
    const isPlayer = (name: string): boolean => name === source.node || homes.includes(name);
    const isStackMovable = (name: string): boolean => {
      const stack = cast.stack(name);
      if (stack === undefined || stack.kind === "pod") return false;
      return !equal.has(name) || (isPlayer(name) && !this.#nodes.mayDiffer(stack, met));
    };
    const isAddressMovable = (address: Address): boolean => {
      const owner = stacks.ownerOf(address) ?? "";
      if (addresses.includes(address)) return true;
      return equal.has(owner) ? isPlayer(owner) : equal.wayTo(address) !== undefined;
    };
    return [...met.stacks, source.node ?? ""].every(isStackMovable) && met.explicit.every(isAddressMovable);
  }

  /** Whether some nodes have a rule about somebody who stays where he is. */
  #isNamed({ addresses }: Source): boolean {
    return this.#nodes.differing.isAbout([], addresses);
  }
}

/** Asked by nodes, at an address that is one Service's own. */
const isComparable = (kind: SourceKind, { via, family, address }: Target): boolean =>
  kind === "node" && via === "clusterip" && family === 4 && isIpv4(address);
