import { afterEach, describe, expect, test, vi } from "vitest";
import { run } from "./run.ts";

const cell = new Int32Array(new SharedArrayBuffer(4));
const work = (milliseconds: number): void => void Atomics.wait(cell, 0, 0, milliseconds);

/** Ten flows, each of which takes as long as is said; `at` is told before each. */
function* walking(milliseconds: number, at: (answered: number) => void, flows = 10) {
  for (let answered = 1; answered <= 10; answered++) {
    at(answered);
    work(milliseconds);
    yield { answered, flows, known: () => `${answered} known` };
  }
  return "all";
}

describe("a sweep that runs", () => {
  afterEach(() => vi.restoreAllMocks());

  test("ends with what is known so far when somebody presses Ctrl-C, and hears no more of it then", async () => {
    const before = process.listenerCount("SIGINT");
    const interrupt = (answered: number): void => {
      if (answered === 3) process.emit("SIGINT");
    };
    expect(await run(walking(60, interrupt), { title: "x", lang: "en" })).toBe("3 known");
    expect(process.listenerCount("SIGINT")).toBe(before);
    expect(
      await run(
        walking(0, () => {}),
        { title: "x", lang: "en" },
      ),
    ).toBe("all");
  });

  test("ends with what is known so far when its time is up", async () => {
    const known = await run(
      walking(60, () => {}),
      { title: "x", lang: "en", maxSeconds: 0.1 },
    );
    expect(known).toMatch(/^\d known$/);
  });

  test.each([
    ["en", /^big: 1 of 10 flows, about \d+ s left\n$/],
    ["zh", /^big：已问 1，共 10 个流，大约还需 \d+ 秒\n$/],
  ] as const)("says how far it is, and about how long it will take (%s)", async (lang, form) => {
    const said: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
    await run(
      walking(0, (answered) => work(answered === 1 ? 1100 : 0)),
      { title: "big", lang },
    );
    expect(said).toEqual([expect.stringMatching(form)]);
  });

  test("makes no guess from the first few of many", async () => {
    const said: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
    const once = (answered: number): void => work(answered === 1 ? 1100 : 0);
    await run(walking(0, once, 300_000), { title: "big", lang: "en" });
    expect(said).toEqual(["big: 1 of 300,000 flows\n"]);
  });
});
