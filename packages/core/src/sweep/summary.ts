import type { CauseCode } from "../explain/index.ts";
import { factId, groundOfAny, parseFactId } from "../model/index.ts";
import type { CauseRef, FixRef } from "./answer.ts";
import type { FlowQuestion } from "./flow.ts";
import { fails, type SweptClass } from "./swept.ts";

/** One cause, wherever it shows: at one node, or of one Service. */
export interface SweptCause {
  readonly code: string;
  /** `node/NAME`, or `svc/NAMESPACE/NAME`: where it is, by what its classes have in common; `node/*`: on whichever of many nodes that are alike. */
  readonly at: string;
  readonly summary: CauseRef["summary"];
  readonly certainty: string;
  readonly evidence: CauseRef["evidence"];
  readonly classes: number;
  readonly flows: number;
  /** Kinds of sources it breaks. */
  readonly sources: readonly string[];
  readonly targets: number;
  /** Whoever asks these targets fails: it is not the asker's fault. */
  readonly everybody: boolean;
  /** What is worked out: a question for `diagnose`. */
  readonly example: FlowQuestion;
  /** What heals most of these flows. */
  readonly fix: SweptFix | null;
}

export interface SweptFix extends FixRef {
  /** How many flows these very commands heal, at the least. */
  readonly heals: number;
  /** How many they heal with the names of whoever else takes part, these included. */
  readonly alike: number;
}

/** A fact that would decide so many flows. */
export interface Undecided {
  readonly fact: string;
  readonly command: string | null;
  readonly classes: number;
  readonly flows: number;
}

const sum = (classes: readonly SweptClass[]): number => classes.reduce((n, c) => n + c.flows, 0);

/** Classes that fail by one cause at one place. */
interface Failing {
  readonly code: string;
  readonly at: string;
  readonly list: readonly SweptClass[];
  readonly everybody: boolean;
}

/** Failures by their first cause: what is broken for everybody, then what breaks most. A failure without a cause stands under its verdict. */
export const causesIn = (classes: readonly SweptClass[]): readonly SweptCause[] =>
  worstFirst(failingIn(classes).map(causeOf));

/** One cause at one place, or the same at so many more. */
export interface CauseEverywhere extends SweptCause {
  readonly others: number;
}

/** With fewer each is told by itself. */
const MANY_PLACES = 3;

/** As above, the same cause at many places as one: nobody reads of a hundred Services one by one. */
export function causesAlike(classes: readonly SweptClass[]): readonly CauseEverywhere[] {
  const alike = grouped(failingIn(classes), ({ code, at, everybody }) => `${code} ${at.split("/")[0]} ${everybody}`);
  return worstFirst(
    [...alike.values()].flatMap((places): readonly CauseEverywhere[] => {
      if (places.length < MANY_PLACES) return places.map((p) => ({ ...causeOf(p), others: 0 }));
      const { at } = worstFirst(places.map(causeOf))[0]!;
      const list = places.flatMap((p) => p.list);
      return [{ ...causeOf({ ...places[0]!, at, list }), others: places.length - 1 }];
    }),
  );
}

function failingIn(classes: readonly SweptClass[]): readonly Failing[] {
  const fine = new Set(classes.filter((c) => !fails(c)).map(askedAs));
  const forAll = (list: readonly SweptClass[]): boolean => list.every((c) => !fine.has(askedAs(c)));
  const byCode = grouped(classes.filter(fails), (c) => c.causes[0]?.code ?? `NO_CAUSE_${c.verdict.toUpperCase()}`);
  return [...byCode].flatMap(([code, of]) =>
    [...grouped(of, placeIn(code, of))].map(([at, list]) => ({ code, at, list, everybody: forAll(list) })),
  );
}

const worstFirst = <C extends SweptCause>(causes: readonly C[]): readonly C[] =>
  [...causes].sort(
    (a, b) =>
      Number(b.everybody) - Number(a.everybody) ||
      b.flows - a.flows ||
      (a.code < b.code ? -1 : a.code > b.code ? 1 : a.at < b.at ? -1 : 1),
  );

/** What is asked, whoever asks. */
const askedAs = ({ to, proto, family }: SweptClass): string =>
  [to.kind, to.service ?? to.address, to.via, to.port, proto, family].join(" ");

const stackOf = (c: SweptClass): string => c.causes[0]?.stack ?? c.from.node ?? "";
const serviceOf = (c: SweptClass): string => c.to.service ?? `${c.to.address}:${c.to.port}`;

/** A class that stands for flows of many nodes, or to many, fails at one of them for each. */
function nodePlace(c: SweptClass): string {
  const stack = stackOf(c);
  const isOneOfMany = stack === c.from.node ? c.from.nodes > 1 : c.to.addresses > 1;
  return isOneOfMany ? "node/*" : `node/${stack}`;
}

/** What is asked, as a place. */
function targetPlace(c: SweptClass): string {
  const { kind, service } = c.to;
  return kind === "kubelet" && service !== null
    ? `node/${service}`
    : kind === "pod" && service !== null
      ? `pod/${service}`
      : `svc/${serviceOf(c)}`;
}

/** What a Service's own object says, wherever it shows. */
const OF_SERVICE: ReadonlySet<string> = new Set<CauseCode>([
  "NO_ENDPOINTS",
  "ETP_LOCAL_NO_ENDPOINT_IPTABLES",
  "ETP_LOCAL_NO_ENDPOINT_IPVS",
  "LB_SOURCE_RANGES",
]);

/**
 * One Service that fails from everywhere is the Service's fault; one node at which many fail is the node's. The place with most on its other
 * side comes first, and takes its classes with it; what has no more than one on either is by itself, at its node.
 */
function placeIn(code: string, classes: readonly SweptClass[]): (c: SweptClass) => string {
  if (OF_SERVICE.has(code)) return targetPlace;
  const broad = [nodePlace, targetPlace]
    .flatMap((of) => {
      const other = of === nodePlace ? targetPlace : nodePlace;
      return [...grouped(classes, of)].map(([at, list]) => ({ at, list, breadth: new Set(list.map(other)).size }));
    })
    .filter((p) => p.breadth > 1)
    .sort((a, b) => b.breadth - a.breadth);
  const found = new Map<SweptClass, string>();
  for (const { at, list } of broad) for (const c of list) if (!found.has(c)) found.set(c, at);
  return (c) => found.get(c) ?? nodePlace(c);
}

function causeOf({ code, at, list: classes, everybody }: Failing): SweptCause {
  const worst = [...classes].sort((a, b) => b.flows - a.flows)[0]!;
  return {
    code,
    at,
    summary: worst.causes[0]?.summary ?? "",
    certainty: worst.causes[0]?.certainty ?? "possible",
    evidence: worst.causes[0]?.evidence ?? [],
    classes: classes.length,
    flows: sum(classes),
    sources: [...new Set(classes.map((c) => c.from.kind))],
    targets: new Set(classes.map(serviceOf)).size,
    everybody,
    example: worst.example,
    fix: healsMost(classes),
  };
}

/** Of the fixes that were walked for each class, the one that most flows have in common. */
export function healsMost(classes: readonly SweptClass[]): SweptFix | null {
  const by = grouped(
    classes.filter((c) => c.fix !== null),
    (c) => JSON.stringify([c.fix!.code, c.fix!.commands]),
  );
  const [best] = [...by.values()]
    .map((of): SweptFix => ({ ...of[0]!.fix!, heals: of.reduce((n, c) => n + healedIn(c), 0), alike: sum(of) }))
    .sort((a, b) => b.heals - a.heals || b.alike - a.alike);
  return best ?? null;
}

/** Flows of a class that the commands as they stand heal: all, or the example alone where they speak of somebody in whom the others differ. */
function healedIn({ fix, flows, from, to }: SweptClass): number {
  const differ = {
    from: flows > 1 && !(isOneOf(from) && to.addresses === flows),
    node: from.nodes > 1,
    to: to.addresses > 1,
  };
  return fix!.names.some((part) => differ[part]) ? 1 : flows;
}

/** Nobody else asks from there. */
const isOneOf = ({ kind, nodes }: SweptClass["from"]): boolean => nodes === 1 && kind !== "pod" && kind !== "endpoint";

/** The facts that would decide most of what is open, each with what it is part of. */
export function undecidedIn(classes: readonly SweptClass[]): readonly Undecided[] {
  const found = new Map<string, { command: string | null; classes: number; flows: number }>();
  for (const { verdict, facts, flows } of classes) {
    if (verdict !== "undetermined") continue;
    for (const { fact, command } of facts) {
      const known = found.get(fact) ?? { command, classes: 0, flows: 0 };
      found.set(fact, { command, classes: known.classes + 1, flows: known.flows + flows });
    }
  }
  return [...found]
    .map(([fact, rest]) => ({ fact, ...rest }))
    .sort((a, b) => b.flows - a.flows || (a.fact < b.fact ? -1 : 1));
}

/** The same fact of so many nodes, read by the same command. */
export interface UndecidedEverywhere extends Undecided {
  readonly nodes: number;
}

/** As above, what only differs in whose it is as one: nobody shows `ss` of a hundred nodes one by one. */
export function undecidedAlike(classes: readonly SweptClass[]): readonly UndecidedEverywhere[] {
  const open = classes.filter((c) => c.verdict === "undetermined");
  const keyOf = ({ fact, command }: { readonly fact: string; readonly command: string | null }): string =>
    `${ofAll(fact)}\n${ofAll(fact) === NODES_UNSHOWN ? COLLECT_ALL : (command ?? "")}`;
  const found = new Map<string, { facts: Set<string>; command: string | null; classes: number; flows: number }>();
  for (const { facts, flows } of open)
    for (const [key, list] of grouped(facts, keyOf)) {
      const known = found.get(key) ?? { facts: new Set(), command: list[0]!.command, classes: 0, flows: 0 };
      found.set(key, known);
      for (const { fact } of list) known.facts.add(fact);
      known.classes++;
      known.flows += flows;
    }
  return [...found]
    .map(([key, { facts, ...rest }]) => ({
      fact: facts.size === 1 ? [...facts][0]! : key.split("\n")[0]!,
      nodes: facts.size,
      ...rest,
      command: facts.size === 1 ? rest.command : key.split("\n")[1] || null,
    }))
    .sort((a, b) => b.flows - a.flows || (a.fact < b.fact ? -1 : 1));
}

/** What is open though no fact is: what was seen contradicts the walk, or may have failed by chance. Its diagnosis says so. */
export function openWithoutFact(classes: readonly SweptClass[]): Pick<SweptClass, "flows" | "example"> | null {
  const open = classes.filter((c) => c.verdict === "undetermined" && c.facts.length === 0);
  return open.length === 0 ? null : { flows: sum(open), example: open[0]!.example };
}

/** Of a node that objects alone speak of, its dumps as a whole. */
const NODES_UNSHOWN = "*/unshown";
const COLLECT_ALL = "hairpin collect --kubectl";

/** A socket, a sysctl, a table of routes or a whole machine, whoever has it. */
function ofAll(fact: string): string {
  const read = parseFactId(fact);
  if (read.kind === "listen" || read.kind === "sysctl") return factId({ ...read, stack: "*" });
  return groundOfAny(fact) ?? fact;
}

/** How many flows fare how. */
export interface Tally {
  readonly reachable: number;
  readonly leaning: number;
  readonly intermittent: number;
  readonly unreachable: number;
  readonly undetermined: number;
}

export function tallyOf(classes: readonly SweptClass[]): Tally {
  const of = (test: (c: SweptClass) => boolean): number => sum(classes.filter(test));
  return {
    reachable: of((c) => c.verdict === "reachable"),
    leaning: of((c) => c.verdict === "undetermined" && c.leaning !== null),
    intermittent: of((c) => c.verdict === "intermittent"),
    unreachable: of((c) => c.verdict === "unreachable"),
    undetermined: of((c) => c.verdict === "undetermined" && c.leaning === null),
  };
}

/** One row of the matrix: what is asked, and how each kind of source fares. */
export interface MatrixRow {
  readonly target: string;
  readonly via: string;
  /** The namespace; where there is none, the kind. */
  readonly group: string;
  readonly cells: ReadonlyMap<string, Tally>;
  readonly classes: readonly SweptClass[];
}

/** By what is asked and who asks; rows in which most fails come first. */
export function matrixOf(classes: readonly SweptClass[]): readonly MatrixRow[] {
  const rows = grouped(classes, (c) => `${rowName(c)}\n${c.to.via ?? c.to.kind}`);
  const failing = (list: readonly SweptClass[]): number => sum(list.filter(fails));
  const open = (list: readonly SweptClass[]): number => sum(list.filter((c) => c.verdict === "undetermined"));
  return [...rows]
    .sort((a, b) => failing(b[1]) - failing(a[1]) || open(b[1]) - open(a[1]))
    .map(([key, list]) => {
      const [target = "", via = ""] = key.split("\n");
      const cells = new Map([...grouped(list, (c) => c.from.kind)].map(([kind, of]) => [kind, tallyOf(of)]));
      const { kind, service } = list[0]!.to;
      const group = kind === "pod" || kind === "kubelet" || service === null ? kind : service.split("/")[0]!;
      return { target, via, group, cells, classes: list };
    });
}

const rowName = ({ to, proto }: SweptClass): string =>
  to.kind === "pod"
    ? `pod/*:${to.port}/${proto}`
    : to.kind === "kubelet"
      ? `node/*:${to.port}/${proto}`
      : `${to.service ?? to.address}:${to.port}/${proto}`;

export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = found.get(key);
    if (known === undefined) found.set(key, [item]);
    else known.push(item);
  }
  return found;
}
