import { basename } from "node:path";
import {
  haveReference,
  referenceFiles,
  referenceJson,
  referencePath,
  referenceText,
} from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { type Reading, readCase, sourceOf } from "../../packages/core/src/parse/index.ts";
import { readObjects } from "../../packages/core/src/parse/kubernetes/read.ts";

const objectsOf = (readings: readonly Reading[]) =>
  readings.flatMap((r) => r.facts.flatMap((f) => (f.kind === "kubernetes" ? [f.objects] : [])));
const bare = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, v) => (key === "origin" || key === "fieldOrigins" ? undefined : v)));

interface FlowCase {
  readonly services: readonly {
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly spec: { readonly clusterIP?: string };
  }[];
  readonly endpointSlices: readonly {
    readonly metadata: { readonly name: string };
    readonly endpoints?: readonly unknown[];
  }[];
}

describe.skipIf(!haveReference)("objects of kube-proxy's own tests", () => {
  const files = referenceFiles("kube-proxy", "objects-flows").filter((f) => f.endsWith(".json"));
  test("there are many", () => expect(files.length).toBeGreaterThan(100));

  test("YAML and JSON of one object say the same, and what the object says", () => {
    for (const file of files) {
      const { services, endpointSlices } = referenceJson<FlowCase>(file.slice(referencePath("").length));
      const list = { apiVersion: "v1", kind: "List", items: [...services, ...endpointSlices] };
      const yaml = readObjects(sourceOf("o.yaml", stringify(list, { lineWidth: 0, aliasDuplicateObjects: false })), {});
      const json = readObjects(sourceOf("o.json", JSON.stringify(list, null, 4)), {});
      expect(yaml.diagnostics, file).toEqual([]);
      expect(json.diagnostics, file).toEqual([]);
      expect(bare(yaml.facts), file).toEqual(bare(json.facts));
      const [objects] = objectsOf([json]);
      expect(objects!.services.map((s) => [`${s.namespace}/${s.name}`, ...s.clusterIps.map(formatAddress)])).toEqual(
        services.map((s) => [
          `${s.metadata.namespace}/${s.metadata.name}`,
          ...(s.spec.clusterIP && s.spec.clusterIP !== "None" ? [s.spec.clusterIP] : []),
        ]),
      );
      expect(objects!.endpoints.map((e) => [e.name, e.endpoints.length])).toEqual(
        endpointSlices.map((e) => [e.metadata.name, e.endpoints?.length ?? 0]),
      );
    }
  });
});

describe.skipIf(!haveReference)("objects of the published incidents", () => {
  const files = referenceFiles("incidents").filter(
    (f) => f.endsWith(".yaml") && f.includes("/dumps/") && !f.endsWith("case.yaml"),
  );
  test.each(files.map((f) => f.slice(referencePath("incidents").length + 1)))("%s", (file) => {
    const { dumps } = readCase([{ path: basename(file), text: referenceText("incidents", file) }]);
    expect(dumps.map((d) => d.dialect.id)).toEqual(["kubernetes"]);
    expect(dumps.flatMap((d) => d.reading.diagnostics)).toEqual([]);
    const counts = dumps[0]!.reading.counts;
    const { "other objects": _, ...known } = counts;
    expect(Object.values(known).reduce((a, b) => a + b, 0)).toBeGreaterThan(0);
  });
});
