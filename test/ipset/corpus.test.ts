import { haveReference, referenceJson } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import type { Reading } from "../../packages/core/src/parse/dialect.ts";
import {
  dialects,
  IpsetTable,
  parseIpsetCommand,
  printList,
  printSave,
} from "../../packages/core/src/parse/ipset/index.ts";
import { shellWords } from "../../packages/core/src/parse/shell-words.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";

interface Corpus {
  readonly files: readonly { readonly file: string; readonly steps: readonly Step[] }[];
  readonly listings: Readonly<Record<string, string>>;
}
interface Step {
  readonly line: number;
  readonly command: string;
  readonly expect: number;
  readonly pure?: boolean;
}

const corpus: Corpus = haveReference
  ? referenceJson<Corpus>("corpora", "ipset-tests.json")
  : { files: [], listings: {} };
const dialect = (id: string) => dialects.find((d) => d.id === id)!;
const read = (id: string, text: string): Reading =>
  dialect(id).read(sourceOf("corpus", text), id === "ipset-list" ? { command: ["ipset", "list"] } : {});
const setsOf = (reading: Reading) => reading.facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));

describe.skipIf(!haveReference)("the ipset test suite's listings", () => {
  const texts = Object.entries(corpus.listings);
  const lists = texts.filter(([, text]) => text.startsWith("Name: "));
  const saves = texts.filter(([, text]) => /^(?:create|add|-N|destroy) /.test(text));

  test("are 108 of `ipset list` and 9 of `ipset save` or for `ipset restore`", () => {
    expect([texts.length, lists.length, saves.length]).toEqual([117, 108, 9]);
  });

  /** The suite has put an x for what varies: no such number is printed by ipset. */
  const blurred = ["portmap.t.list2"];
  test.each(lists)("%s is read whole and printed back", (name, text) => {
    const reading = read("ipset-list", text);
    const said = blurred.includes(name) ? ["`x` is not a number that fits", "`x` is not a number that fits"] : [];
    expect(reading.diagnostics.map((d) => d.message)).toEqual(said);
    expect(printList(setsOf(reading))).toBe(text);
    for (const set of setsOf(reading)) expect(set.extent).toBe("whole");
    for (const line of text.split("\n")) expect(dialect("ipset-list").claim(line), line).not.toBe("no");
  });

  /** Scripts and the spelling of ipset 4: not what ipset prints, so they come back as the state they make. */
  const scripts: Readonly<Record<string, (text: string) => string>> = {
    "iphash.t.restore.old": (text) =>
      text
        .replace("-N test iphash --hashsize", "create test hash:ip hashsize")
        .replace(/^-A/gm, "add")
        .replace("COMMIT\n", ""),
    "restore.t.destroy": () => "",
    "restore.t.restore": () =>
      "create b hash:ip family inet6\nadd b 1::1\nadd b 2::2\nadd b b::b\ncreate a hash:ip family inet6\nadd a 3::3\nadd a 4::4\nadd a a::a\n",
  };
  test.each(saves)("%s is read whole and printed back", (name, text) => {
    const reading = read("ipset-save", text);
    expect(reading.diagnostics).toEqual([]);
    expect(printSave(setsOf(reading))).toBe(scripts[name]?.(text) ?? text);
  });
});

describe.skipIf(!haveReference)("the ipset test suite's commands", () => {
  const pure = corpus.files.flatMap((f) => f.steps.filter((s) => s.pure));
  const parse = (command: string) =>
    parseIpsetCommand(shellWords(command, "ipset ".length), { kind: "assumed", rule: "test" });

  test("what ipset took is read", () => {
    const wrong = pure
      .filter((s) => s.expect === 0)
      .flatMap((s) => parse(s.command).problems.map((p) => `${s.command}: ${p.message}`));
    expect(wrong).toEqual([]);
    expect(pure.filter((s) => s.expect === 0 && parse(s.command).command !== undefined).length).toBe(1469);
  });

  /**
   * The files as far as they are plain commands: after a loop, a pipe or a pause nothing is claimed until the set is made
   * anew. What is in a set after each command decides whether the next is taken.
   */
  test("applied one after the other, each is taken or refused as ipset did", () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const { file, steps } of corpus.files) {
      let table = new IpsetTable({ sets: [], extent: "whole" });
      let known = true;
      for (const step of steps) {
        if (!step.pure) {
          if (!/diff|sort|^ipset (?:list|save|-L|-S)/.test(step.command)) known = false;
          continue;
        }
        const { command, problems } = parse(step.command);
        const operation = command?.operation;
        if (operation?.kind === "test") continue;
        if (operation?.kind === "destroy" && step.expect === 0 && (operation.set ?? "test") === "test" && !known) {
          table = new IpsetTable({ sets: [], extent: "whole" });
          known = true;
          continue;
        }
        if (!known) continue;
        const reason = problems[0]?.message ?? (command === undefined ? "not read" : table.apply(command));
        compared++;
        if ((reason === undefined) !== (step.expect === 0))
          wrong.push(`${file}:${step.line} ${step.command}: ${reason}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(668);
  });
});
