import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { en } from "@hairpin/core/messages/en/index.ts";
import { originText } from "@hairpin/core/messages/index.ts";
import { diagnostics } from "@hairpin/core/messages/zh/errors/diagnostics.ts";
import { zh } from "@hairpin/core/messages/zh/index.ts";
import { notRead, titles } from "@hairpin/core/messages/zh/reading/dumps.ts";
import { origins } from "@hairpin/core/messages/zh/reading/origins.ts";
import { bundleKinds, observedDialects, readDialects, recognisedDialects } from "@hairpin/core/parse/index.ts";
import { describe, expect, test } from "vitest";
import { casesInChinese } from "../../packages/web/build.mjs";
import { hairpin } from "../check/surface.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.includes("node_modules"))
    .map((name) => join(folder, name));
const code = ["core", "case", "cli", "web"].flatMap((p) => sources(`packages/${p}/src`));

/** Nobody's prose: names, signs, commands, and words that every language of the field uses. */
const isProse = (said: string): boolean =>
  /[a-z]{2,} [a-z]{2,}/.test(said.replace(/\{\w+\}/g, "").replace(/`[^`]*`/g, ""));
const HAN = /[\u3400-\u9fff]/;

describe("untranslated texts: none", () => {
  test("of the messages", () => {
    expect(Object.keys(en).filter((id) => !(id in zh))).toEqual([]);
    const same = Object.entries(en).filter(([id, said]) => isProse(said) && !HAN.test(zh[id as keyof typeof zh]));
    expect(same.map(([id]) => id)).toEqual([]);
  });

  test("of the errors: each is a message, none is a sentence of its own", () => {
    const own = code.flatMap((file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(
          /new (?:Failure|BadRequest|BadBundle|BadCaseFile|BadQuestion)\(\s*(?:EXIT\.\w+,\s*)?(["`][^;]*)/g,
        ),
      ]
        .map(([, said = ""]) => said.split("\n")[0]!)
        // What a library or the kernel says stays as it is, behind a path.
        .filter((said) =>
          isProse(
            said
              .slice(1)
              .replace(/\$\{[^}]*\}/g, "")
              .replace(/["`].*$/, ""),
          ),
        )
        .map((said) => `${file}: ${said}`),
    );
    expect(own).toEqual([]);
  });

  test("of what readers say of a line", () => {
    const codes = sources("packages/core/src/parse").flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/diagnose\([^"`]*?"([a-z0-9]+(?:-[a-z0-9]+)+)"/g)].map(
        (m) => m[1]!,
      ),
    );
    expect(codes.length).toBeGreaterThan(20);
    expect([...new Set(codes)].filter((c) => !(c in diagnostics))).toEqual([]);
  });

  test("of what dumps and support bundles are called, and of what is recognised and not read", () => {
    const words =
      /(?<!-)\b(?:and|or|of|with|an?|files?|commands|objects|configuration|logs?|collector|support bundle)\b/;
    const named = [...readDialects, ...observedDialects, ...recognisedDialects, ...bundleKinds];
    expect(named.filter((d) => words.test(d.title) && !(d.id in titles)).map((d) => d.title)).toEqual([]);
    const ids = new Set(["pcap", "pcapng", ...named.map((d) => d.id)]);
    expect(Object.keys(titles).filter((id) => !ids.has(id))).toEqual([]);
    const unread = sources("packages/core/src/parse").flatMap((file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(
          /(?:kind: "not-read-yet",|title: "[^"]*",\s*) ?what: "([^"]*)"/g,
        ),
      ].map((m) => m[1]!),
    );
    expect([...new Set(unread)].sort()).toEqual(Object.keys(notRead).sort());
  });

  test("of how values came to be that stand in no file", () => {
    // Marks of the program's own, which stand in no World that anybody is shown.
    const never = new Set(["--sees", "guard", "probe", "the table that probes are laid in", "typed", "undo"]);
    const rules = sources("packages/core/src").flatMap((file) => {
      const source = readFileSync(join(root, file), "utf8");
      const called = /\b(?:derived|assumed)\(\s*(?:[\w. ]+\? )?("[^"]*"|`[^`]*`)(?: : ("[^"]*"))?/g;
      const told = file.includes("/assemble/")
        ? /(?:\brule: |const RULE = |const rule = )("[^"]*"|`[^`]*`)/g
        : /const rule = ("[^"]*"|`[^`]*`)/g;
      return [...source.matchAll(called), ...source.matchAll(told)].flatMap((m) =>
        [m[1], m[2]].filter((r) => r !== undefined),
      );
    });
    const named = [...new Set(rules.map((r) => r.slice(1, -1).replace(/\$\{[^}]*\}/, "{}")))].filter(
      (r) => !never.has(r),
    );
    expect(named.length).toBeGreaterThan(60);
    // Who named a device is one of a few: each has a text of its own.
    const mentions = readFileSync(join(root, "packages/core/src/assemble/devices/mentioned.ts"), "utf8");
    const by = [...mentions.matchAll(/mention\([^"]*"([^"]*)"/g)].map((m) => `device named by ${m[1]}`);
    expect(by.length).toBeGreaterThan(5);
    const each = [...named.filter((r) => r !== "device named by {}"), ...by];
    expect(each.filter((rule) => !(rule in origins)).sort()).toEqual([]);
    expect(originText({ kind: "derived", rule: "kube-proxy's rules for shop/db:5432", from: [] }, "zh")).toBe(
      "推导：kube-proxy 为 shop/db:5432 写入的规则",
    );
    expect(originText({ kind: "assumed", rule: "default route" }, "zh")).toBe("假设：默认路由");
    expect(originText({ kind: "assumed", rule: "default route" }, "en")).toBe("assumed: default route");
  });

  test("of the cases", () => {
    const told = casesInChinese();
    for (const name of readdirSync(join(root, "cases"))) {
      expect([name, HAN.test(told.get(name)?.title ?? ""), HAN.test(told.get(name)?.story ?? "")]).toEqual([
        name,
        true,
        true,
      ]);
    }
    expect([...told.keys()].filter((name) => !readdirSync(join(root, "cases")).includes(name))).toEqual([]);
  });

  const asked: readonly (readonly string[])[] = [
    ["diagnose", "cases/hairpin-mode-off", "--from", "pod/default/nobody", "--lang", "zh"],
    ["diagnose", "cases/hairpin-mode-off", "--to", "svc/default/nowhere:80", "--lang", "zh"],
    ["diagnose", "cases/hairpin-mode-off", "--proto", "quic", "--lang", "zh"],
    ["diagnose", "cases/no-such-case", "--lang", "zh"],
    ["diagnose", "cases/hairpin-mode-off", "--size", "x", "--lang", "zh"],
    ["check", "cases/hairpin-mode-off", "--node", "nobody", "--lang", "zh"],
    ["diff", "cases/hairpin-mode-off", "cases/overlay-mtu", "--lang", "zh"],
    ["instrument", "cases/hairpin-mode-off", "--script", "nobody", "--lang", "zh"],
  ];
  test.each(asked.map((words) => [words.join(" "), words] as const))(
    "what is wrong is said in Chinese: %s",
    async (_, words) => {
      const args = words.map((w) => (w.startsWith("cases/") ? join(root, w) : w));
      const { err } = await hairpin(...args);
      expect(err).toMatch(HAN);
      expect(
        err
          .replaceAll(root, "")
          .split("\n")
          .filter((line) => /[a-z]{3,} [a-z]{3,} [a-z]{3,}/.test(line)),
      ).toEqual([]);
    },
  );

  const wrong: readonly (readonly [what: string, text: string])[] = [
    ["an unknown key", "nodess: 1\n"],
    ["a word that is none of the known", "stacks: [{ name: a, kind: robot }]\n"],
    ["no address", "loadBalancers: [{ address: nope }]\n"],
    ["another kind of value", "question: 5\n"],
    ["broken YAML", "question: { from: a\nb\n"],
  ];
  test.each(wrong)("what is wrong with a case.yaml is said in Chinese: %s", async (_, text) => {
    const folder = mkdtempSync(join(tmpdir(), "hairpin-zh-"));
    try {
      writeFileSync(join(folder, "case.yaml"), text);
      const { err, status } = await hairpin("diagnose", folder, "--lang", "zh");
      expect(status).toBe(65);
      expect(err).toMatch(HAN);
      // What the reader of YAML says stands in brackets, as it said it.
      expect(err.replace(/（.*）/g, "")).not.toMatch(/[a-z]{3,} [a-z]{2,} [a-z]{2,}/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("sweep tells its causes in Chinese, and machines in English", async () => {
    const folder = join(root, "cases/nodeport-local-policy");
    const { out } = await hairpin("sweep", folder, "--to", "nodeport", "--lang", "zh");
    expect(out).toContain("流量策略为 Local");
    expect(out).not.toMatch(/the request is dropped/);
    const { out: json } = await hairpin("sweep", folder, "--to", "nodeport", "--lang", "zh", "--json");
    const { causes, classes } = JSON.parse(json);
    expect(causes[0].summary).toMatch(/^the request is dropped/);
    expect(
      classes.flatMap((c: { causes: { summary: unknown }[] }) => c.causes.map((x) => typeof x.summary)),
    ).not.toContain("object");
  });

  test.each([["check"], ["instrument"], ["diff"]])("%s speaks Chinese, all of it", async (command) => {
    const folder = join(root, "cases/hairpin-mode-off");
    const args = command === "diff" ? [folder, join(root, "cases/hairpin-mode-off")] : [folder];
    const { out } = await hairpin(command, ...args, "--lang", "zh");
    expect(out).toMatch(HAN);
    // Lines of dumps and commands stand further in, or in back ticks.
    const prose = out.split("\n").filter((line) => !/^ {2,}/.test(line) && /[a-z]{3,} [a-z]{3,} [a-z]{3,}/.test(line));
    expect(prose).toEqual([]);
    expect(out).not.toMatch(/\d (?:rules?|chains?|routes?|devices?|keys?|entries|entry)\b/);
  });
});
