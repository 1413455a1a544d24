import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadConformance, VM_ROOT } from "../conformance/cases.ts";
import { readRecording, unpredicted } from "./recorded.ts";

const FOLDER = fileURLToPath(new URL("recorded/", import.meta.url));
const files = readdirSync(FOLDER).sort();

/** The node of each case whose hooks the experiments recorded. */
const watched = (stacks: readonly { readonly name: string; readonly kind: string }[]): string =>
  stacks.find((s) => s.kind === "node")!.name;

describe("what experiments recorded on real kernels is what the walk predicts", () => {
  test.each(files)("%s", (file) => {
    const recording = readRecording(readFileSync(`${FOLDER}${file}`, "utf8"));
    const { world, exploration } = loadConformance(file.replace(/\.6\.\d+\.txt$/, ""), [], VM_ROOT);
    const { result, hooks, captures, conntrack } = recording;
    expect(result !== undefined || hooks.length + captures.length + conntrack.length > 0).toBe(true);
    const tries = exploration.branches.map((b) => unpredicted(recording, b, watched(world.stacks)));
    expect([...tries].sort((a, b) => a.length - b.length)[0]).toEqual([]);
  });
});
