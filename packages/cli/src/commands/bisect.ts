import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Lang, text as message } from "@hairpin/core/messages/index.ts";
import { type Expectation, type Held, hold } from "@hairpin/core/sweep/index.ts";
import { comparisonOf } from "../case/compared.ts";
import { loadStreamed } from "../case/load-large.ts";
import { reason } from "../case/reason.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { diffText } from "../report/diff-text.ts";
import { bisectText, type Tried } from "../report/sweep/bisect-text.ts";
import { askableOf, run } from "../sweep/run.ts";
import type { Register } from "./command.ts";

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly proto?: string;
  readonly node?: string;
  readonly via?: string;
  readonly assume: readonly string[];
  readonly lang?: Lang;
}

export const bisect: Register = (program, surface) => {
  program
    .command("bisect")
    .summary("between which two snapshots a flow broke, and what changed")
    .description(
      "DIR holds snapshots, a folder or a bundle each, in the order of their names. Finds, by halving, between which two of them the flow stopped working, and prints what differs between these two. FROM and TO may be kinds or names with globs: then all of their flows have to work.\n\nExit status: 0 it works in the last snapshot, 1 found, 2 it never worked or cannot be decided; 64 and up for bad use or unreadable input.",
    )
    .argument("<dir>", "a folder of snapshots")
    .requiredOption("--from <who>", "who asks: as diagnose takes it, a kind of source, or a name with globs")
    .requiredOption("--to <whom>", "what is asked: as diagnose takes it, or a name with globs and its port")
    .option("--proto <protocol>", "tcp unless said otherwise")
    .option("--node <name>", "the node at which an outside packet arrives")
    .option("--via <kind>", "by which of a Service's addresses")
    .option(
      "--assume <id=value>",
      "settle an open fact; may be given again",
      (v: string, all: readonly string[]) => [...all, v],
      [],
    )
    .addOption(langOption())
    .action(async (dir: string, options: Options) => {
      const names = snapshotsIn(dir);
      if (names.length < 2) throw new Failure(EXIT.noInput, message("error.few-snapshots", { folder: dir }));
      const expectation: Expectation = {
        from: options.from!,
        to: options.to!,
        expect: "works",
        line: 1,
        ...(options.proto !== undefined && { proto: options.proto }),
        ...(options.node !== undefined && { node: options.node }),
        ...(options.via !== undefined && { via: options.via }),
      };
      const lang = options.lang ?? surface.lang;
      const load = (name: string) => loadStreamed([name]);
      const tried = new Map<number, Tried>();
      const at = async (i: number): Promise<Tried> => {
        const known = tried.get(i);
        if (known !== undefined) return known;
        const name = names[i]!;
        let isWhole = false;
        const toItsEnd = function* () {
          const held = yield* hold(askableOf(load(join(dir, name)), options.assume), [expectation]);
          isWhole = true;
          return held;
        };
        const [held] = await run(toItsEnd(), { title: name, lang });
        if (!isWhole) throw new Failure(EXIT.interrupted, message("error.bisect-stopped", { name }));
        const made = { name, held: held! };
        tried.set(i, made);
        return made;
      };
      const fateOf = async (i: number): Promise<Fate> => fate((await at(i)).held);
      const last = names.length - 1;
      const found = await halved(last, fateOf);
      const seen = [...tried].sort((x, y) => x[0] - y[0]).map(([, t]) => t);
      const told =
        found === undefined
          ? undefined
          : { good: names[found.good]!, bad: names[found.bad]!, between: names.slice(found.good + 1, found.bad) };
      surface.write(bisectText(seen, told, { style: surface.style, lang, dir }));
      if (told !== undefined) {
        const { a, b, comparison } = comparisonOf(
          [join(dir, told.good), join(dir, told.bad)],
          { assume: options.assume },
          load,
        );
        surface.write(`\n${diffText(comparison, a, b, { style: surface.style, lang, verbose: false })}`);
      }
      surface.finish(tried.get(last)!.held.result === "holds" ? 0 : found !== undefined ? 1 : 2);
    });
};

interface Between {
  readonly good: number;
  readonly bad: number;
}

/** Between which two it broke; undefined: it works in the last, or nobody can say where it did before. */
async function halved(last: number, fateOf: (i: number) => Promise<Fate>): Promise<Between | undefined> {
  if ((await fateOf(last)) !== "bad") return undefined;
  let [good, bad] = [0, last];
  while (good < last && (await fateOf(good)) === "open") good++;
  if ((await fateOf(good)) !== "good") return undefined;
  for (;;) {
    const middle = await nearest(good, bad, async (i) => (await fateOf(i)) !== "open");
    if (middle === undefined) return { good, bad };
    if ((await fateOf(middle)) === "good") good = middle;
    else bad = middle;
  }
}

type Fate = "good" | "bad" | "open";

/** What nothing shown stops has not broken yet; what cannot be decided has neither. */
function fate({ result, broken }: Held): Fate {
  if (result === "holds") return "good";
  if (result !== "open") return "bad";
  return broken.every((b) => b.answer.leaning !== null) ? "good" : "open";
}

/** Strictly between two, as near to the middle as one can be asked. */
async function nearest(
  good: number,
  bad: number,
  isDecided: (i: number) => Promise<boolean>,
): Promise<number | undefined> {
  const middle = (good + bad) >> 1;
  for (let off = 0; off < bad - good; off++)
    for (const i of off === 0 ? [middle] : [middle - off, middle + off])
      if (i > good && i < bad && (await isDecided(i))) return i;
  return undefined;
}

/** By name, which is by time where names are dates or numbers. */
function snapshotsIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter(
        (e) =>
          e.isDirectory() || /\.(?:tar|tgz|txz|tzst|zip|tar\.(?:gz|xz|zst|zstd)|txt|log|md|ya?ml|json)$/i.test(e.name),
      )
      .map((e) => e.name)
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  } catch (error) {
    throw new Failure(EXIT.noInput, message("error.of-path", { path: dir, why: reason(error) }));
  }
}
