import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CAUSE_CODES, CAUSES } from "@hairpin/core/explain/index.ts";
import { LESSONS, ROOMS } from "@hairpin/core/explain/lessons/index.ts";
import { PICTURES } from "@hairpin/core/messages/pictures.ts";
import { describe, expect, test } from "vitest";
import { lessonOf } from "../../packages/cli/src/report/lesson.ts";
import { hairpin } from "../check/surface.ts";
import { workedCasesSource } from "./worked-cases.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(resolve(root, path), "utf8");

describe("what is taught of a cause", () => {
  test("names the bundled cases whose case.yaml expects it (npm run lessons)", () => {
    expect(read("packages/core/src/explain/lessons/worked-cases.ts")).toBe(
      workedCasesSource(new URL("../../cases/", import.meta.url)),
    );
  });

  // The fourth column of the first table of docs/causes.md says by what a cause is proven.
  test("is as sure as docs/causes.md says", () => {
    const table = read("docs/causes.md").split("## By signs")[0] ?? "";
    const rows = table.split("\n").filter((line) => line.startsWith("| `"));
    const said = rows.flatMap((line) => {
      const [, codes = "", , by = ""] = line.split(" | ").length > 3 ? ["", ...line.split(" | ")] : [];
      return [...codes.matchAll(/`([A-Z0-9_]+)`/g)].map((m) => [m[1], by.trim() !== "–"] as const);
    });
    expect(said.length).toBeGreaterThan(40);
    const taught = said.map(([code]) => [code, LESSONS[code as keyof typeof LESSONS].surest === "proven"]);
    expect(taught).toEqual(said.map((row) => [...row]));
  });

  test("nothing is called provable that no walk shows", () => {
    const walked = new Set(CAUSES.flatMap((c) => c.codes));
    expect(CAUSE_CODES.filter((code) => LESSONS[code].surest === "proven" && !walked.has(code))).toEqual([]);
  });

  test("its pictures fit 80 columns, and each is used", () => {
    const lines = Object.values(PICTURES).flatMap((picture) => picture.split("\n"));
    expect(lines.filter((line) => line.length > 78 || /[^ -~]/.test(line))).toEqual([]);
    const used = new Set<string>(CAUSE_CODES.map((code) => LESSONS[code].picture));
    expect(Object.keys(PICTURES).filter((id) => !used.has(id))).toEqual([]);
  });

  test("its commands change nothing", () => {
    const commands = CAUSE_CODES.flatMap((code) => LESSONS[code].see);
    expect(
      commands.filter((c) =>
        /^(?:ip6?tables|sysctl|conntrack|ipvsadm)\b.* -[wAIDFE]\b|\b(?:add|delete?|replace|flush|link set)\b|ethtool -K|>/.test(
          c,
        ),
      ),
    ).toEqual([]);
  });
});

describe("hairpin explain", () => {
  test.each(CAUSE_CODES)("%s is taught in both languages", async (code) => {
    for (const lang of ["en", "zh"] as const) {
      const { out, status } = await hairpin("explain", code, "--lang", lang);
      expect(status).toBe(0);
      const lesson = lessonOf(code, lang);
      expect(out).toContain(lesson.title);
      expect(lesson.cures.length > 0 || lesson.instead !== null).toBe(true);
      expect(out).not.toMatch(/[{}]|undefined/);
      expect(out.includes("cases/")).toBe(lesson.cases.length > 0);
      for (const said of [lesson.title, lesson.happens, lesson.see.text, lesson.notToBeTakenFor])
        expect(/[\u4e00-\u9fff]/.test(said)).toBe(lang === "zh");
    }
  });

  test("alone lists every code once, room by room", async () => {
    const { out } = await hairpin("explain");
    const codes = out.split("\n").flatMap((line) => /^ {2}([A-Z0-9_]+) {2}/.exec(line)?.[1] ?? []);
    expect([...codes].sort()).toEqual([...CAUSE_CODES].sort());
    expect(out.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(ROOMS.length + 1);
  });

  test("takes a code as people type it, and says which are near", async () => {
    expect((await hairpin("explain", "hairpin-off")).out).toMatch(/^HAIRPIN_OFF/);
    const { err, status } = await hairpin("explain", "rp_filter");
    expect([status, err]).toEqual([
      64,
      "hairpin: there is no cause rp_filter; did you mean RP_FILTER_STRICT? hairpin explain lists them all\n",
    ]);
    expect((await hairpin("explain", "nonsense", "--lang", "zh")).err).toContain("没有 nonsense 这个原因");
  });

  test("--json is the same as data", async () => {
    const one = JSON.parse((await hairpin("explain", "HAIRPIN_OFF", "--json")).out) as Record<string, unknown>;
    expect(one).toMatchObject({ code: "HAIRPIN_OFF", room: "link", surest: "proven", cases: ["hairpin-mode-off"] });
    const all = JSON.parse((await hairpin("explain", "--json")).out) as { causes: readonly unknown[] };
    expect(all.causes).toHaveLength(CAUSE_CODES.length);
  });
});
