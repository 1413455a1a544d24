import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { en } from "./en/index.ts";
import { say, text } from "./index.ts";
import { zh } from "./zh/index.ts";

const names = (template: string): readonly string[] =>
  [...template.matchAll(/\{([^{}]+)\}/g)].map((m) => m[1] ?? "").sort();
const ids = Object.keys(en) as (keyof typeof en)[];

describe("the catalogue", () => {
  it.each(ids)("%s is said in both languages with the same parameters", (id) => {
    expect(zh[id]).toBeTruthy();
    expect([...new Set(names(zh[id]))]).toEqual([...new Set(names(en[id]))]);
  });

  it("has no Chinese text without an English one", () => {
    expect(Object.keys(zh).filter((id) => !(id in en))).toEqual([]);
  });

  it("has no id in two groups", async () => {
    const files = readdirSync(new URL("en/", import.meta.url)).flatMap((file) =>
      file === "index.ts" ? [] : file.endsWith(".ts") ? [file] : [`${file}/index.ts`],
    );
    const groups = await Promise.all(
      files.map(async (file) => Object.values((await import(`./en/${file}`)) as Record<string, object>)),
    );
    const all = groups.flat().flatMap((texts) => Object.keys(texts));
    expect(all.filter((id, i) => all.indexOf(id) !== i)).toEqual([]);
    expect(all.length).toBe(ids.length);
  });

  it("has Chinese in every Chinese text", () => {
    expect(
      ids.filter((id) => !/[\u4e00-\u9fff]/.test(zh[id]) && /[a-z]{4}/i.test(en[id].replace(/\{[^}]*\}/g, ""))),
    ).toEqual([]);
  });
});

describe("say", () => {
  it("fills in parameters, lists and texts in texts", () => {
    expect(say(text("verdict.intermittent-share", { share: "50%" }))).toBe("INTERMITTENT, works for 50%");
    expect(say(text("verdict.intermittent-share", { share: ["a", text("verdict.reachable")] }), "zh")).toBe(
      "时通时断，成功比例 a、可达",
    );
  });

  it("leaves what stands in a parameter alone", () => {
    expect(say(text("verdict.intermittent-share", { share: "{share} $& <b>" }))).toBe(
      "INTERMITTENT, works for {share} $& <b>",
    );
  });
});
