import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { en } from "@hairpin/core/messages/en/index.ts";
import { describe, expect, test } from "vitest";

/**
 * What happened is data, and texts are made of it last (DESIGN.md, "What happened, apart from what is said"): no code may decide by
 * how something is said. Found by how such code is written; the examples below keep the search honest.
 */
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

const SAYS = String.raw`\b(?:say|sayAny|sayDecision|spoken)\(`;
const CALL = String.raw`${SAYS}(?:[^()]|\([^()]*\))*\)`;
const LOOKS = String.raw`(?:startsWith|endsWith|includes|match|matchAll|search|indexOf|localeCompare)`;
/** Fields that hold a sentence, as a Text or said. */
const TOLD = String.raw`(?:summary|because|decision|remark|evidence|told)`;

const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["compares what was said", new RegExp(`${CALL}\\s*(?:===|!==|==|!=)`)],
  ["compares with what was said", new RegExp(`(?:===|!==|==|!=)\\s*${CALL}`)],
  ["searches what was said", new RegExp(`${CALL}\\.${LOOKS}\\(`)],
  ["matches what was said", new RegExp(`\\.(?:test|exec|has|${LOOKS.slice(3, -1)})\\(\\s*${CALL}`)],
  ["switches on what was said", new RegExp(`switch \\(${CALL}`)],
  ["asks which message it is", new RegExp(String.raw`\.(?:text|why|reason|${TOLD.slice(3, -1)})\.id\b`)],
  ["searches a sentence", new RegExp(String.raw`\.${TOLD}(?:\.text)?\.${LOOKS}\(\s*["'/\x60]`)],
  ["matches a sentence", new RegExp(String.raw`/[a-z]*\.(?:test|exec)\([\w.?!\[\]]*\.${TOLD}(?:\.text)?\)`)],
  ["asks for the words of an error", /\b(?:stop|undetermined)\.message\b/],
];

/** A message's id beside a comparison, in a set or a case: outside `messages` an id only makes a Text. */
const IDS = new Set(Object.keys(en));
const BESIDE =
  /(?:(?:===|!==|\bcase|\.has\(|\.includes\()\s*"([\w.-]+)")|(?:"([\w.-]+)"\s*(?:===|!==))|new Set<MessageId>/g;

const offences = (line: string): readonly string[] => [
  ...FORBIDDEN.flatMap(([what, pattern]) => (pattern.test(line) ? [what] : [])),
  ...[...line.matchAll(BESIDE)].flatMap((m) =>
    m[1] === undefined && m[2] === undefined
      ? ["keeps a set of messages"]
      : IDS.has(m[1] ?? m[2]!) && (m[1] ?? m[2]!).includes(".")
        ? ["compares the id of a message"]
        : [],
  ),
];

const filesUnder = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === "node_modules" || name === "dist" ? [] : filesUnder(path);
    return /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) ? [path] : [];
  });

describe("no code decides by a text", () => {
  test.each([
    ['if (say(leg.decision) === "delivered") return;', "compares what was said"],
    ["if (x !== sayDecision(leg.decision)) return;", "compares with what was said"],
    ['return say(text("step.jump", { chain: "A" })).startsWith("jump");', "searches what was said"],
    ["const jumps = /^jump to/.test(sayAny(step.decision, lang));", "matches what was said"],
    ['if (step.decision.id === "step.jump") return;', "asks which message it is"],
    ['if (id === "step.jump") return;', "compares the id of a message"],
    ['case "unknown.queue":', "compares the id of a message"],
    ['const UNTOLD = new Set<MessageId>(["step.jump"]);', "keeps a set of messages"],
    ['if (cause.summary.includes("rp_filter")) return;', "searches a sentence"],
    ["if (/martian/.test(found.evidence.text)) return;", "matches a sentence"],
    ["return { reason: stop.message };", "asks for the words of an error"],
  ])("%s", (line, what) => expect(offences(line)).toContain(what));

  test.each([
    'page.say("", say(text("step.jump", { chain })));',
    'const decided = text("step.jump", { chain });',
    'if (decision.kind === "jump") return;',
    "lines.push(`${say(head, lang)}: ${rest}`);",
    'if (evidence.includes("jiffies")) return;',
  ])("%s is fine", (line) => expect(offences(line)).toEqual([]));

  test("in the sources", () => {
    const found = filesUnder(join(root, "packages")).flatMap((file) => {
      const path = relative(root, file);
      if (path.startsWith("packages/core/src/messages/")) return [];
      return readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line, i) => offences(line).map((what) => `${path}:${i + 1}: ${what}: ${line.trim()}`));
    });
    expect(found).toEqual([]);
  });
});
