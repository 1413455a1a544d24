import { describe, expect, test } from "vitest";
import { readCase } from "../index.ts";

const RULES = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
const ROUTES = "default via 10.0.0.254 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1\n";
const pasted = (text: string) =>
  readCase([{ path: "pasted.txt", text }]).dumps.map(
    (d) => `${d.node.value} ${d.dialect.id} ${d.file}:${d.lines.join("-")}`,
  );

describe("several files in one text", () => {
  const expected = ["a ip-rule pasted.txt:2-4", "b ip-route pasted.txt:6-7"];
  test.each([
    ["as head prints them", "==> nodes/a/ip-rule.txt <==", "==> nodes/b/ip-route.txt <=="],
    ["as headings", "### nodes/a/ip-rule.txt", "### nodes/b/ip-route.txt"],
    ["as cat typed", "$ cat nodes/a/ip-rule.txt", "$ cat nodes/b/ip-route.txt"],
    ["between lines", "--- nodes/a/ip-rule.txt ---", "--- nodes/b/ip-route.txt ---"],
  ])("are read as those files, %s", (_, first, second) => {
    expect(pasted(`${first}\n${RULES}${second}\n${ROUTES}`)).toEqual(expected);
  });
  test("a prompt's own name for the machine of a folder is no other machine", () => {
    const text = `==> nodes/a/session.txt <==\nroot@web-1:~# ip rule\n${RULES}==> nodes/a/ip-route.txt <==\n${ROUTES}`;
    expect(pasted(text)).toEqual(["a ip-rule pasted.txt:3-5", "a ip-route pasted.txt:7-8"]);
  });
  test("what stands above the first heading stays the text's own", () => {
    const text = `$ ip rule\n${RULES}==> nodes/a/ip-route.txt <==\n${ROUTES}==> nodes/a/ip-rule.txt <==\n${RULES}`;
    expect(pasted(text)).toEqual([
      "a ip-rule pasted.txt:2-4",
      "a ip-route pasted.txt:6-7",
      "a ip-rule pasted.txt:9-11",
    ]);
  });
  test("guard: a name in a sentence, or one alone, cuts nothing", () => {
    expect(pasted(`see nodes/a/ip-rule.txt and nodes/b/ip-rule.txt:\n\n$ ip rule\n${RULES}`)).toEqual([
      "node ip-rule pasted.txt:4-6",
    ]);
    expect(pasted(`# notes.txt\n$ ip rule\n${RULES}`)).toEqual(["node ip-rule pasted.txt:3-5"]);
  });
});
