import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { shellCommands } from "../command/shell.ts";
import { rawWord, splitWords } from "./words.ts";
import { quoted } from "./writer.ts";

describe("words as iptables-restore splits them", () => {
  it("quotes, escapes, blanks", () => {
    const words = splitWords('-A  X\t--comment "a \\"b\\" c" tail', 3);
    expect(words.texts).toEqual(["X", "--comment", 'a "b" c', "tail"]);
    expect(words.starts.map((s, i) => words.line.slice(s, words.ends[i]))).toEqual([
      "X",
      "--comment",
      '"a \\"b\\" c"',
      "tail",
    ]);
    expect(rawWord(words, 2)).toBe('"a \\"b\\" c"');
  });
  it("an open quote runs to the end", () => expect(splitWords('a "b c').texts).toEqual(["a", "b c"]));
  it("an empty quoted word is a word", () => expect(splitWords('-c "" x').texts).toEqual(["-c", "", "x"]));
  it("gives back any text that was quoted", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (/[\n\r]/.test(text)) return;
        expect(splitWords(`x ${quoted(text)} y`).texts).toEqual(["x", text, "y"]);
      }),
    );
  });
});

describe("words as a shell splits them", () => {
  const texts = (line: string) => shellCommands(line).map((c) => [c.after, ...c.words.texts]);
  it("quotes, operators, comments, redirections", () => {
    expect(texts("iptables -A X --comment 'a b' 2>/dev/null && iptables -F \"Y\" >log 2>&1; ls # no")).toEqual([
      ["", "iptables", "-A", "X", "--comment", "a b"],
      ["&&", "iptables", "-F", "Y"],
      [";", "ls"],
    ]);
    expect(texts("a || b | c &")).toEqual([
      ["", "a"],
      ["||", "b"],
      ["|", "c"],
    ]);
    expect(texts("iptables -A X > /dev/null &> y")).toEqual([["", "iptables", "-A", "X"]]);
    expect(texts('say "a\\"b" c\\ d')).toEqual([["", "say", 'a"b', "c d"]]);
  });
});
