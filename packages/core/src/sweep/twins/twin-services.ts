import { formatAddress, isIpv4 } from "../../net/index.ts";
import type { Answer } from "../answer.ts";
import type { AlikeNodes } from "../classes/alike-nodes.ts";
import { type Others, retold } from "../classes/retold.ts";
import type { Met, Views } from "../classes/sharing.ts";
import type { Group, Source, SourceKind, Target } from "../flow.ts";
import type { Flow } from "../plan.ts";
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
  readonly service: string;
  readonly said: Said;
  /** By the node that asks; null: the flows of its class are answered one by one. */
  readonly parts: ReadonlyMap<string, Part | null>;
}

/** The flows to a Service by those to another one of which the same is said. */
export class Twin<Open> {
  readonly #opened = new Map<Part, Open>();
  readonly #template: Template;
  readonly #said: Said;
  readonly #others: Others;
  readonly #equal: EqualNodes;
  readonly #moved = new Map<string, string>();

  constructor(template: Template, said: Said, equal: EqualNodes) {
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
    this.#others = { service: template.service, addresses: names, stacks };
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
    const answer = part && this.#answer(part, flow);
    if (part === undefined || answer === undefined) return undefined;
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
  readonly service: string;
  readonly said: Said;
  readonly parts = new Map<string, Part | null>();
  readonly #known = new Map<object, Part | null>();
  readonly #partOf: (part: Part, met: Met | undefined) => Part | null;

  constructor(service: string, said: Said, partOf: (part: Part, met: Met | undefined) => Part | null) {
    this.service = service;
    this.said = said;
    this.#partOf = partOf;
  }

  /** `asking`: who was asked for it last, and knows what it looked at. */
  note(flow: Flow, open: Part, asking: { readonly met: (flow: Flow) => Met | undefined } | undefined): void {
    const { source } = flow;
    let part = this.#known.get(open);
    if (part === undefined) {
      part = this.#partOf({ first: open.first, answer: open.answer }, asking?.met(flow));
      this.#known.set(open, part);
    }
    this.parts.set(source.node ?? "", part);
  }
}

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
    if (template === undefined) return new Lesson(target.name!, said, (part, met) => this.#partOf(part, met, said));
    this.#found++;
    return new Twin<Open>(template, said, this.#made.equal);
  }

  learn({ service, said, parts }: Lesson): void {
    this.#templates.set(said.key, { service, said, parts });
  }

  #make(target: Target): { readonly equal: EqualNodes; readonly said: SaidOfServices } | undefined {
    const equal = new EqualNodes(this.#views, this.#nodes, this.#sources, target);
    const said = equal.size < LEAST_NODES ? undefined : SaidOfServices.of(this.#views, this.#nodes, equal);
    return said === undefined ? undefined : { equal, said };
  }

  /** The class as others may have it; null: it rests on who stands where, or is told with names of its own. */
  #partOf(part: Part, met: Met | undefined, { addresses, homes }: Said): Part | null {
    const { verdict, causes } = part.answer;
    const { source, target } = part.first;
    if (met === undefined || causes.length > 0 || (verdict !== "reachable" && verdict !== "undetermined")) return null;
    if (verdict !== "reachable" && this.#isOdd(target.name ?? "")) return null;
    const { equal } = this.#made!;
    if (met.isApart && !equal.isBesideEqual) return null;
    const isPlayer = (name: string): boolean => name === source.node || homes.includes(name);
    for (const name of [...met.stacks, source.node ?? ""]) {
      const stack = this.#views.cast.stack(name);
      if (stack === undefined || stack.kind === "pod") return null;
      if (equal.has(name) && (!isPlayer(name) || this.#nodes.mayDiffer(stack, met))) return null;
    }
    for (const address of met.explicit) {
      const owner = this.#views.stacks.ownerOf(address) ?? "";
      if (addresses.includes(address) || (equal.has(owner) && isPlayer(owner))) continue;
      if (equal.has(owner) || !equal.isEverywhere(address)) return null;
    }
    return part;
  }
}

/** Asked by nodes, at an address that is one Service's own. */
const isComparable = (kind: SourceKind, { via, family, address }: Target): boolean =>
  kind === "node" && via === "clusterip" && family === 4 && isIpv4(address);
