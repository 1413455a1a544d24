import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { generateServices } from "../../../../../bench/kubernetes.ts";
import { readCase, sourceOf } from "../index.ts";
import { readObjects } from "./read.ts";
import { readTable } from "./table/read.ts";

const { yaml, json } = generateServices(3);
const TABLE = `NAMESPACE   NAME   TYPE       CLUSTER-IP   EXTERNAL-IP   PORT(S)        AGE   SELECTOR
shop        web    NodePort   10.96.0.7    <none>        80:30080/TCP   5d    app=web
`;

/** A piece taken out, doubled, or put elsewhere; a byte turned into another. */
const damage = (text: string) =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(60),
      fc.nat(text.length),
      fc.constantFrom("cut", "copy", "byte", "line", "end"),
      fc.string({ unit: "binary", maxLength: 3 }),
    )
    .map(([at, length, to, how, bytes]) => {
      const piece = text.slice(at, at + length);
      if (how === "cut") return text.slice(0, at) + text.slice(at + length);
      if (how === "copy") return text.slice(0, to) + piece + text.slice(to);
      if (how === "line") return `${text.slice(0, at)}\n${text.slice(at)}`;
      if (how === "end") return text.slice(0, at);
      return text.slice(0, at) + bytes + text.slice(at + 1);
    });

describe("damaged objects", () => {
  test.each([
    ["YAML", yaml, (t: string) => readObjects(sourceOf("f", t), {})],
    ["JSON", json, (t: string) => readObjects(sourceOf("f", t), {})],
    ["a table", TABLE, (t: string) => readTable(sourceOf("f", t))],
  ])("%s is read without a throw, and what is wrong has a line of it", (_, text, read) => {
    fc.assert(
      fc.property(damage(text), (damaged) => {
        const lines = damaged.split(/\r\n|\n|\r/).length;
        for (const d of read(damaged).diagnostics) expect(d.line >= 1 && d.line <= lines).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  test("a case of them too", () => {
    fc.assert(
      fc.property(damage(yaml), (text) => void readCase([{ path: "o.yaml", text }])),
      { numRuns: 60 },
    );
  });

  test("__proto__ and the like are keys as any other", () => {
    const text =
      "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  labels: {__proto__: x}\nspec:\n  selector:\n    __proto__: polluted\n    constructor: y\n";
    const reading = readObjects(sourceOf("f", text), {});
    const [fact] = reading.facts;
    expect(fact?.kind === "kubernetes" && Object.entries(fact.objects.services[0]!.selector!)).toEqual([
      ["__proto__", "polluted"],
      ["constructor", "y"],
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
