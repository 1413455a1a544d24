import { describe, expect, test } from "vitest";
import { deepest } from "./complaint.ts";
import * as z from "./shape.ts";

const text = z.text({ longest: 5 });
const said = (shape: z.Shape<unknown>, value: unknown): unknown => {
  const found = z.checked(shape, value);
  return "value" in found ? found.value : found.issues.map((i) => deepest(i)).map(([path, { id }]) => [...path, id]);
};

describe("shapes", () => {
  test("what fits is read, and what is absent stays absent", () => {
    const shape = z.object({ a: z.optional(text), b: z.listOf(z.integer(1, 9)) });
    expect(said(shape, { b: 3 })).toEqual({ b: [3] });
    expect(said(shape, { a: "x", b: [1, 2] })).toEqual({ a: "x", b: [1, 2] });
    expect(said(shape, { a: null, b: [] })).toEqual([["a", "complaint.must-be"]]);
    expect(said(shape, { b: [1, 10, 1.5] })).toEqual([["b", 1, "complaint.out-of-range"]]);
    expect(said(shape, [])).toEqual([["complaint.must-be"]]);
  });

  test("a key that nobody knows is named, within one of several forms as well", () => {
    const shape = z.either(z.listOf(text), z.object({ commands: z.listOf(text) }));
    expect(said(shape, { commands: "x", verdikt: 1 })).toEqual([["verdikt", "complaint.unknown-key"]]);
    expect(said(z.object({}), { constructor: 1 })).toEqual([["constructor", "complaint.unknown-key"]]);
    expect(said(z.object({ toString: z.optional(text) }), {})).toEqual({});
  });

  test("of several forms the one that could have been meant says what is wrong", () => {
    expect(said(z.either(text, z.number), "")).toEqual([["complaint.out-of-range"]]);
    expect(said(z.either(text, z.number), Number.NaN)).toEqual([["complaint.misfit"]]);
    expect(said(z.becoming(z.either(text, z.number), String), 80)).toBe("80");
  });

  test("pairs, kinds told by a field, and records", () => {
    const links = z.byField("type", { veth: z.object({ type: z.exactly("veth"), ends: z.pair(text) }) });
    expect(said(links, { type: "veth", ends: ["a", "b"] })).toEqual({ type: "veth", ends: ["a", "b"] });
    expect(said(links, { type: "veth", ends: ["a"] })).toEqual([["ends", "complaint.out-of-range"]]);
    expect(said(links, { type: "toString" })).toEqual([["type", "complaint.misfit"]]);
    expect(said(z.record(text, z.orNull(z.boolean)), { a: null, toolong: true })).toEqual([
      ["toolong", "complaint.misfit"],
    ]);
  });
});
