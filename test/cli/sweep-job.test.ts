import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { hairpin } from "../check/surface.ts";

const root = resolve(import.meta.dirname, "../..");
const CASE = join(root, "cases/nodeport-local-policy");

/** The Jobs of the manifest. The image's entry point is the program: there is no shell in it, so a `command` could not run. */
const jobs = parseAllDocuments(readFileSync(join(root, "deploy/kubernetes/sweep-job.yaml"), "utf8")).map((d) =>
  d.toJS(),
);
const containerOf = (job: (typeof jobs)[number]) => job.spec.template.spec.containers[0];

describe("the Indexed Job of a sweep", () => {
  let results = "";
  beforeAll(() => {
    results = mkdtempSync(join(tmpdir(), "hairpin-job-"));
  });
  afterAll(() => rmSync(results, { recursive: true, force: true }));
  afterEach(() => vi.unstubAllEnvs());

  /** As kubelet does it: $(NAME) of the arguments is put in, and the volumes are there. */
  const argumentsOf = (job: (typeof jobs)[number], index: number): string[] =>
    containerOf(job).args.map((arg: string) =>
      arg
        .replaceAll("$(JOB_COMPLETION_INDEX)", String(index))
        .replace(/\/results/, results)
        .replace(/^\/case$/, CASE),
    );

  test("each index writes its shard, and the second Job puts them together as one run", async () => {
    const [shards, merge] = jobs;
    expect([containerOf(shards).command, containerOf(merge).command]).toEqual([undefined, undefined]);
    const { completions } = shards.spec;
    for (let index = 0; index < completions; index++) {
      vi.stubEnv("JOB_COMPLETION_INDEX", String(index));
      expect((await hairpin(...argumentsOf(shards, index))).status).toBe(0);
    }
    expect(readdirSync(results).length).toBe(completions);
    vi.unstubAllEnvs();
    // Left by one that was killed: no shard.
    writeFileSync(join(results, "shard-3.ndjson.part"), "{");
    const together = await hairpin(...argumentsOf(merge, 0), "--json");
    const once = await hairpin("sweep", CASE, "--json");
    expect([together.status, once.status]).toEqual([0, 1]);
    expect(together.out).toBe(once.out);
  });

  test("without an index, and of a form for people, it says what it wants", async () => {
    const unknown = await hairpin("sweep", CASE, "--shard", "job/7");
    expect([unknown.status, unknown.err]).toEqual([64, expect.stringContaining("JOB_COMPLETION_INDEX")]);
    const text = await hairpin("sweep", CASE, "--out", join(results, "text"));
    expect([text.status, text.err]).toEqual([64, expect.stringContaining("--ndjson")]);
  });
});
