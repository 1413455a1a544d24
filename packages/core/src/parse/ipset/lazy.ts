import type { IpSet } from "../../model/index.ts";
import type { DumpContext, Reading, WholeDump } from "../dialect.ts";
import { lazily } from "../lazily.ts";
import { type Source, sourceOf, splitLines } from "../source.ts";
import { claimSave } from "./claim.ts";
import { extentOf } from "./list.ts";
import { readSave } from "./save.ts";

/** Below this a dump is read before it would pay. */
const LARGE = 200_000;

/** Where the lines of a set are: the one that creates it, and behind it those that add to it. */
interface Block {
  readonly name: string;
  readonly from: number;
  /** Where its first line ends. */
  readonly head: number;
  to: number;
  readonly line: number;
}

interface Scanned {
  readonly sets: readonly Block[];
  readonly lines: number;
}

/** What begins with an IPv4 address or network, as a line can only do in a saved set. */
const ELEMENT = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?:\/\d{1,2})?(?:,[^\s,]{1,60}){0,3}(?=[ \n]|$)/y;
const CREATE = /^create (\S+) \S/;

/**
 * Finds the sets of a text that is `ipset save` from its first line to its last, as the tool prints it: each set created once and followed by
 * what is in it. Nothing of an element is looked at but what it begins with. Undefined where anything is otherwise: that is for the reader that
 * goes line by line.
 */
function scanIpsets(text: string): Scanned | undefined {
  const sets: Block[] = [];
  const names = new Set<string>();
  let set: Block | undefined;
  let adds = "";
  let number = 0;
  const n = text.length;
  for (let at = 0; at < n; ) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = n;
    number++;
    if (set !== undefined && text.startsWith(adds, at)) {
      ELEMENT.lastIndex = at + adds.length;
      if (!ELEMENT.test(text)) return undefined;
      set.to = end;
    } else {
      const line = text.slice(at, Math.min(end, at + 2000));
      const name = CREATE.exec(line)?.[1];
      if (name === undefined || names.has(name) || end > at + 2000 || claimSave(line) !== "line") return undefined;
      names.add(name);
      set = { name, from: at, head: end, to: end, line: number };
      adds = `add ${name} `;
      sets.push(set);
    }
    at = end + 1;
  }
  return sets.length > 0 ? { sets, lines: number } : undefined;
}

const setsOf = ({ facts }: Reading): readonly IpSet[] => facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));

/**
 * The sets, each read when its entries are asked for, unless somebody has read all of them by then (`known`); undefined where a line does not
 * create what it seems to.
 */
function lazySets(
  text: string,
  { sets }: Scanned,
  file: string,
  context: DumpContext,
  known: () => Reading | undefined,
): readonly IpSet[] | undefined {
  const entriesOf = (i: number): IpSet | undefined => {
    const whole = known();
    return whole === undefined ? undefined : setsOf(whole)[i];
  };
  const found: IpSet[] = [];
  for (const [i, { name, from, head, to, line }] of sets.entries()) {
    const read = (end: number): IpSet | undefined => {
      const source: Source = { file, lines: splitLines(text.slice(from, end)), firstLine: line };
      return setsOf(readSave(source, context))[0];
    };
    const set = read(head);
    if (set?.name !== name) return undefined;
    found.push(to === head ? set : lazily({ ...set }, ["entries"], () => entriesOf(i) ?? read(to)!));
  }
  return found;
}

/**
 * A large `ipset save`, in one pass over its text: what a set holds is read when it is asked for. What is said of it, and how many entries there
 * are, is told by the reader of the whole, where somebody wants to know.
 */
export function wholeIpsets(text: string, large = LARGE): WholeDump | undefined {
  const scanned = text.length < large || text.includes("\r") ? undefined : scanIpsets(text);
  if (scanned === undefined) return undefined;
  return {
    lines: scanned.lines,
    read(file, context) {
      const eagerly = () => readSave(sourceOf(file, text), context);
      let whole: Reading | undefined;
      const sets = lazySets(text, scanned, file, context, () => whole);
      if (sets === undefined) return eagerly();
      const told = (): Reading => {
        whole ??= eagerly();
        return whole;
      };
      return {
        facts: [{ kind: "ipset", sets, extent: extentOf(sets, context) }],
        // None of its lines is a remark on another: all there is to say is said of entries.
        remarks: [],
        get diagnostics() {
          return told().diagnostics;
        },
        get counts() {
          return told().counts;
        },
      };
    },
  };
}
