import { expectedWorld, inMode, type MovedMode } from "@hairpin/core/assemble/index.ts";
import { type Comparison, compare, type NodePair } from "@hairpin/core/compare/index.ts";
import { Askable, type LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { say, type Text, text } from "@hairpin/core/messages/index.ts";
import type { Stack, World } from "@hairpin/core/model/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { afterwards, hasMoments } from "./moments.ts";

/** Which two are compared, as the options of `diff` say it. */
export interface Sides {
  readonly nodeA?: string | undefined;
  readonly nodeB?: string | undefined;
  readonly expected?: boolean | undefined;
  readonly mode?: MovedMode | undefined;
  readonly assume: readonly string[];
}

/** The two that are compared, each ready to be asked. */
export interface Compared {
  readonly title: string;
  /** The case itself, and which state of it this is, where the title says that too. */
  readonly path: string;
  readonly state?: Text;
  readonly askable: Askable;
  /** Where it is not the World as it was read. */
  readonly world?: World;
}

type Load = (path: string) => LoadedCase;

/** Two cases, two nodes of one, two moments, or how it should be and how it is: compared in meaning. */
export function comparisonOf(
  paths: readonly string[],
  options: Sides,
  load: Load,
): { readonly a: Compared; readonly b: Compared; readonly comparison: Comparison } {
  const [a, b] = compared(paths, options, load);
  const nodes = pairs(a, b, options);
  const sameNode = options.expected === true || options.mode !== undefined || nodes.every((pair) => isSame(a, b, pair));
  const input = ({ askable, world }: Compared) => ({ world: world ?? askable.world, settled: askable.assumed });
  const modes = options.mode === undefined ? {} : ({ modes: true } as const);
  return { a, b, comparison: compare(input(a), input(b), nodes, { sameNode, ...modes }) };
}

function compared(paths: readonly string[], options: Sides, load: Load): readonly [Compared, Compared] {
  const ask = (path: string, loaded: LoadedCase, state?: Text): Compared => ({
    title: state === undefined ? path : `${path} (${say(state)})`,
    path,
    ...(state !== undefined && { state }),
    askable: new Askable(loaded, options.assume),
  });
  const insteadOf = (actual: Compared, world: World, state: Text): Compared => ({
    ...actual,
    title: `${actual.path} (${say(state)})`,
    state,
    world,
  });
  if (paths.length > 2) throw new Failure(EXIT.usage, text("error.diff-too-many", { count: paths.length }));
  const [first, second] = paths;
  if (second !== undefined) return [ask(first!, load(first!)), ask(second, load(second))];
  const loaded = load(first!);
  if (options.expected === true) {
    const actual = ask(first!, loaded, text("diff.state-as-is"));
    const world = expectedWorld(actual.askable.world);
    if ("id" in world) throw new Failure(EXIT.usage, text("error.of-path", { path: first!, why: world }));
    return [insteadOf(actual, world, text("diff.state-expected")), actual];
  }
  if (options.mode !== undefined) {
    const actual = ask(first!, loaded, text("diff.state-as-is"));
    const world = inMode(actual.askable.world, options.mode);
    if ("id" in world) throw new Failure(EXIT.usage, text("error.of-path", { path: first!, why: world }));
    return [actual, insteadOf(actual, world, text("diff.state-mode", { mode: options.mode }))];
  }
  if (options.nodeA !== undefined && options.nodeB !== undefined) {
    const one = ask(first!, loaded);
    return [one, one];
  }
  if (!hasMoments(loaded)) throw new Failure(EXIT.usage, text("error.diff-one-moment", { path: first! }));
  return [ask(first!, loaded, text("diff.state-before")), ask(first!, afterwards(loaded), text("diff.state-after"))];
}

const nodesOf = ({ askable }: Compared): readonly Stack[] =>
  askable.world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);

/** Nodes that stand for each other: by name, or the only one of each side. */
function pairs(a: Compared, b: Compared, options: Sides): readonly NodePair[] {
  const [inA, inB] = [nodesOf(a).map((n) => n.name), nodesOf(b).map((n) => n.name)];
  const checked = (name: string | undefined, names: readonly string[], option: string): string | undefined => {
    if (name !== undefined && !names.includes(name))
      throw new Failure(
        EXIT.usage,
        text("error.no-such-node-option", {
          option,
          name,
          names: names.length === 0 ? text("error.none") : names.join(", "),
        }),
      );
    return name;
  };
  const left = checked(options.nodeA, inA, "--node-a");
  const right = checked(options.nodeB, inB, "--node-b");
  if (left !== undefined || right !== undefined) {
    const other = (names: readonly string[], like: string, option: string): string => {
      const found = names.includes(like) ? like : names.length === 1 ? names[0] : undefined;
      if (found === undefined)
        throw new Failure(EXIT.usage, text("error.say-which-of", { option, names: names.join(", ") }));
      return found;
    };
    return [{ a: left ?? other(inA, right!, "--node-a"), b: right ?? other(inB, left!, "--node-b") }];
  }
  if (inA.length === 1 && inB.length === 1) return [{ a: inA[0]!, b: inB[0]! }];
  const both = inA.filter((n) => inB.includes(n));
  if (both.length === 0)
    throw new Failure(
      EXIT.usage,
      text("error.no-common-node", {
        a: inA.length === 0 ? text("error.none") : inA.join(", "),
        b: inB.length === 0 ? text("error.none") : inB.join(", "),
      }),
    );
  return both.map((name) => ({ a: name, b: name }));
}

/** One node at two moments, or under two rule sets: it has an address in common, or nobody shows its addresses. */
function isSame(a: Compared, b: Compared, pair: NodePair): boolean {
  if (a.askable === b.askable) return false;
  const own = (c: Compared, name: string) =>
    (c.askable.world.stacks.find((s) => s.name === name)?.devices.items ?? [])
      .filter((d) => d.kind !== "loopback" && d.kind !== "dummy" && d.kind !== "bridge")
      .flatMap((d) => d.addresses.map((i) => i.prefix.address));
  const [x, y] = [own(a, pair.a), own(b, pair.b)];
  return x.length === 0 || y.length === 0 || x.some((i) => y.some((j) => i === j));
}
