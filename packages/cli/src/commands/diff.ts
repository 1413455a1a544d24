import { expectedWorld, inNftablesMode } from "@hairpin/core/assemble/index.ts";
import { type Comparison, compare, differs, type NodePair } from "@hairpin/core/compare/index.ts";
import { Askable } from "@hairpin/core/diagnose/index.ts";
import type { Lang } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import type { Stack, World } from "@hairpin/core/model/index.ts";
import { Option } from "commander";
import { loadCase } from "../case/load.ts";
import { afterwards, hasMoments } from "../case/moments.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { diffJson } from "../report/diff-json.ts";
import { diffText } from "../report/diff-text.ts";
import type { Register } from "./command.ts";

interface Options {
  readonly nodeA?: string;
  readonly nodeB?: string;
  readonly expected?: boolean;
  readonly mode?: string;
  readonly assume: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly lang?: Lang;
}

/** The two that are compared, each ready to be asked. */
export interface Compared {
  readonly title: string;
  readonly askable: Askable;
  /** Where it is not the World as it was read. */
  readonly world?: World;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const diff: Register = (program, surface) => {
  program
    .command("diff")
    .summary("what differs between two nodes or two moments, in meaning")
    .description(
      "Which packets fare otherwise in B than in A, and by which rule, set entry, route, sysctl or virtual server. Order, names of chains, counters and remarks that decide nothing are no difference. A and B are cases; with one case, two of its nodes (--node-a, --node-b), before and after a change where its dumps say which they are, what kube-proxy should have programmed from the objects and what is there (--expected), or what changes when kube-proxy moves to its nftables mode (--mode nftables).\n\nExit status: 0 no difference in meaning, 1 there is one or it could not be decided, 64 and up for bad use or unreadable input.",
    )
    .argument("<case...>", "A and B: each a folder, a bundle (.tar.gz), a transcript or a file; or one case")
    .option("--node-a <name>", "the node of A")
    .option("--node-b <name>", "the node of B")
    .option(
      "--expected",
      "one case with objects: how kube-proxy should have programmed its nodes, against how they are",
    )
    .addOption(
      new Option(
        "--mode <mode>",
        "one case with objects: its nodes as they are, against kube-proxy in that mode, from the same objects",
      ).choices(["nftables"]),
    )
    .option("--assume <id=value>", "settle an open fact on both sides; may be given again", collect, [])
    .option("-v, --verbose", "also what differs in text only, and what could not be compared")
    .option("--json", "print one JSON object")
    .addOption(langOption())
    .action((paths: string[], options: Options) => {
      const [a, b] = compared(paths, options);
      const nodes = pairs(a, b, options);
      const sameNode =
        options.expected === true || options.mode !== undefined || nodes.every((pair) => isSame(a, b, pair));
      const input = ({ askable, world }: Compared) => ({ world: world ?? askable.world, settled: askable.assumed });
      const comparison: Comparison = compare(input(a), input(b), nodes, { sameNode });
      surface.write(
        options.json
          ? `${jsonText(diffJson(comparison, a, b), 2)}\n`
          : diffText(comparison, a, b, {
              style: surface.style,
              lang: options.lang ?? surface.lang,
              verbose: options.verbose === true,
              byFlow: options.mode !== undefined,
            }),
      );
      const otherwise = options.mode === undefined ? differs(comparison) : comparison.differences.length > 0;
      surface.finish(otherwise ? 1 : 0);
    });
};

function compared(paths: readonly string[], options: Options): readonly [Compared, Compared] {
  const ask = (title: string, loaded: ReturnType<typeof loadCase>): Compared => ({
    title,
    askable: new Askable(loaded, options.assume),
  });
  if (paths.length > 2)
    throw new Failure(EXIT.usage, `${paths.length} cases: diff takes two, or one with two nodes or two moments`);
  const [first, second] = paths;
  if (second !== undefined) return [ask(first!, loadCase([first!])), ask(second, loadCase([second]))];
  const loaded = loadCase([first!]);
  if (options.expected === true) {
    const actual = ask(`${first} (as it is)`, loaded);
    const world = expectedWorld(actual.askable.world);
    if (typeof world === "string") throw new Failure(EXIT.usage, `${first}: ${world}`);
    return [{ title: `${first} (as kube-proxy should have it)`, askable: actual.askable, world }, actual];
  }
  if (options.mode !== undefined) {
    const actual = ask(`${first} (as it is)`, loaded);
    const world = inNftablesMode(actual.askable.world);
    if (typeof world === "string") throw new Failure(EXIT.usage, `${first}: ${world}`);
    return [actual, { title: `${first} (kube-proxy in ${options.mode} mode)`, askable: actual.askable, world }];
  }
  if (options.nodeA !== undefined && options.nodeB !== undefined) {
    const one = ask(first!, loaded);
    return [one, one];
  }
  if (!hasMoments(loaded))
    throw new Failure(
      EXIT.usage,
      `${first}: one case with nothing marked as taken after a change; give a second case, or two of its nodes with --node-a and --node-b`,
    );
  return [ask(`${first} (before)`, loaded), ask(`${first} (after)`, afterwards(loaded))];
}

const nodesOf = ({ askable }: Compared): readonly Stack[] =>
  askable.world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);

/** Nodes that stand for each other: by name, or the only one of each side. */
function pairs(a: Compared, b: Compared, options: Options): readonly NodePair[] {
  const [inA, inB] = [nodesOf(a).map((n) => n.name), nodesOf(b).map((n) => n.name)];
  const checked = (name: string | undefined, names: readonly string[], option: string): string | undefined => {
    if (name !== undefined && !names.includes(name))
      throw new Failure(EXIT.usage, `${option} ${name}: there is no such node; there is ${names.join(", ") || "none"}`);
    return name;
  };
  const left = checked(options.nodeA, inA, "--node-a");
  const right = checked(options.nodeB, inB, "--node-b");
  if (left !== undefined || right !== undefined) {
    const other = (names: readonly string[], like: string, option: string): string => {
      const found = names.includes(like) ? like : names.length === 1 ? names[0] : undefined;
      if (found === undefined) throw new Failure(EXIT.usage, `say with ${option} which of ${names.join(", ")}`);
      return found;
    };
    return [{ a: left ?? other(inA, right!, "--node-a"), b: right ?? other(inB, left!, "--node-b") }];
  }
  if (inA.length === 1 && inB.length === 1) return [{ a: inA[0]!, b: inB[0]! }];
  const both = inA.filter((n) => inB.includes(n));
  if (both.length === 0)
    throw new Failure(
      EXIT.usage,
      `no node of A (${inA.join(", ") || "none"}) is called as one of B (${inB.join(", ") || "none"}): say which with --node-a and --node-b`,
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
