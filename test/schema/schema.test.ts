import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expectJsonSchema } from "@hairpin/case/index.ts";
import { caseJsonSchema } from "@hairpin/case/json-schema.ts";
import { check } from "@hairpin/core/check/index.ts";
import { Askable, diagnose, diagnosisJson, namesJson, tracedJson } from "@hairpin/core/diagnose/index.ts";
import { compareSweeps, record, sweep, sweepJson } from "@hairpin/core/sweep/index.ts";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { SCHEMAS } from "../../packages/cli/src/commands/version.ts";
import { checkJson } from "../../packages/cli/src/report/check-json.ts";
import { changesJson } from "../../packages/cli/src/report/sweep/changes-text.ts";
import { expectationsYaml } from "../../packages/cli/src/report/sweep/expectations-yaml.ts";
import { askableOf } from "../../packages/cli/src/sweep/run.ts";

const root = resolve(import.meta.dirname, "../..");
const schemaOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, `schema/${name}.schema.json`), "utf8")) as Record<string, unknown>;

/** The schema with every object closed: what is printed and not described is a fault of the schema. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const mapped = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return "properties" in schema && !("additionalProperties" in schema)
    ? { ...mapped, additionalProperties: false }
    : mapped;
}

const validator = (name: string): ValidateFunction =>
  new Ajv2020({ strict: false, allErrors: true }).compile(closed(schemaOf(name)) as object);
const faults = (validate: ValidateFunction, value: unknown): readonly string[] => {
  validate(JSON.parse(JSON.stringify(value)));
  return [
    ...new Set(
      (validate.errors ?? []).map(
        (e) => `${e.instancePath.replace(/\d+/g, "N")} ${e.message} ${JSON.stringify(e.params)}`,
      ),
    ),
  ];
};

const cases = readdirSync(join(root, "cases")).map((name) => join(root, "cases", name));
const conformance = join(root, "packages/lab/conformance");
/** One in thirty, over the alphabet: every kind of step comes by. */
const others = readdirSync(conformance)
  .filter((name) => name !== "topologies" && !name.includes("."))
  .filter((_, i) => i % 30 === 0)
  .map((name) => join(conformance, name));

describe("what is printed is as its schema says", () => {
  let cut = "";
  const diagnosis = validator("diagnosis");
  const trace = validator("trace");
  beforeAll(() => {
    // Without its settings a node leaves much open: what an answer rests on, decisive facts.
    cut = mkdtempSync(join(tmpdir(), "hairpin-schema-"));
    for (const name of ["pod-to-lb-two-cards", "nodeport-local-policy", "hairpin-mode-off"]) {
      cpSync(join(root, "cases", name), join(cut, name), { recursive: true });
      for (const node of readdirSync(join(cut, name, "nodes")))
        rmSync(join(cut, name, "nodes", node, "sysctl.txt"), { force: true });
    }
  });
  afterAll(() => rmSync(cut, { recursive: true, force: true }));

  const asked = (folder: string, options: Record<string, string>, tried: readonly string[] = []) => {
    const askable = new Askable(loadCase([folder], undefined, options), []);
    const found = diagnose(askable, options, tried);
    const { world, branches } = found.inquiry.exploration;
    expect(
      faults(trace, { schema: "hairpin/trace/1", names: namesJson(world, branches), ...tracedJson(branches) }),
    ).toEqual([]);
    const json = diagnosisJson(found, (file, line) => askable.quote(file, line));
    expect(faults(diagnosis, json)).toEqual([]);
    return found;
  };

  test.each(cases)("diagnose and trace: %s", (folder) => {
    asked(folder, {});
  });
  test.each(others)("diagnose and trace: %s", (folder) => {
    asked(folder, {});
  });
  test("open answers, tried changes, what the client sees", () => {
    const kinds = new Set(readdirSync(cut).map((name) => asked(join(cut, name), {}).judgement.verdict));
    expect(kinds).toContain("undetermined");
    asked(join(cut, "pod-to-lb-two-cards"), { sees: "timeout" }, ["ip rule add to 10.230.1.39 lookup main pref 1999"]);
    asked(join(root, "cases/hairpin-mode-off"), { from: "external", to: "pod/default/web-2:80" });
  });

  test("check", () => {
    const validate = validator("check");
    for (const folder of [...cases, ...others]) {
      const loaded = loadCase([folder]);
      expect(
        faults(validate, checkJson(check(loaded.reading, loaded.inputs, undefined, loaded.caseFile), loaded.notes)),
      ).toEqual([]);
    }
  });

  test("sweep", () => {
    const validate = validator("sweep");
    for (const folder of cases.filter((_, i) => i % 3 === 0)) {
      const walking = sweep(askableOf(loadCase([folder]), []));
      let step = walking.next();
      while (step.done !== true) step = walking.next();
      expect(faults(validate, sweepJson(step.value))).toEqual([]);
    }
    const askable = askableOf(loadCase([join(root, "cases/nodeport-local-policy")]), []);
    const { world } = askable.patched("svc/mail/imap spec.externalTrafficPolicy=Cluster");
    const comparing = compareSweeps({ askable }, { askable, world }, { to: ["nodeport"] });
    let compared = comparing.next();
    while (compared.done !== true) compared = comparing.next();
    expect(compared.value.changed.length).toBeGreaterThan(0);
    expect(faults(validate, changesJson(compared.value))).toEqual([]);
    expect(faults(validate, { schema: "hairpin/sweep/1" }).length).toBeGreaterThan(5);
  });

  test("case.yaml: the schema is that of its reader, and fits every case there is", () => {
    const text = readFileSync(join(root, "schema/case.schema.json"), "utf8");
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(caseJsonSchema())));
    const validate = new Ajv2020({ strict: false }).compile(schemaOf("case"));
    for (const folder of [...cases, ...others])
      expect([folder, faults(validate, parse(readFileSync(join(folder, "case.yaml"), "utf8")))]).toEqual([folder, []]);
    expect(validate({ question: { frm: "a" } })).toBe(false);
    expect(validate({ nodes: { a: { kubeProxy: { mode: "ebpf" } } } })).toBe(false);
    expect(validate({ links: [{ type: "veth", ends: ["a:b"] }] })).toBe(false);
  });

  test("expectations: the schema is that of its reader, and fits what is recorded", () => {
    expect(schemaOf("expect")).toEqual(JSON.parse(JSON.stringify(expectJsonSchema())));
    const validate = new Ajv2020({ strict: false }).compile(schemaOf("expect"));
    const recording = record(askableOf(loadCase([cases[0]!]), []));
    let step = recording.next();
    while (step.done !== true) step = recording.next();
    const recorded = parse(expectationsYaml(step.value, "x", "en"));
    expect(recorded.length).toBeGreaterThan(2);
    expect(faults(validate, recorded)).toEqual([]);
    expect(validate([{ from: "pod", to: "svc/a/b", expect: "perhaps" }])).toBe(false);
    expect(validate([{ from: "pod", to: "svc/a/b", expect: "works", more: 1 }])).toBe(false);
  });

  test("each schema has its file, and a validator that can fail", () => {
    const files = readdirSync(join(root, "schema")).map((f) => f.replace(".schema.json", ""));
    expect(files.sort()).toEqual(Object.keys(SCHEMAS).sort());
    expect(faults(diagnosis, { schema: "hairpin/diagnosis/2" }).length).toBeGreaterThan(5);
    expect(faults(trace, { schema: "hairpin/trace/1", names: {}, branches: [], more: 1 })).toHaveLength(1);
  });
});
