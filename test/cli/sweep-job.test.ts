import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { EXIT } from "../../packages/cli/src/exit-status.ts";
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

  test("a shard that is killed leaves none, is named, and is the same when it is asked again", async () => {
    const [shards, merge] = jobs;
    const file = join(results, "shard-2.ndjson");
    const before = readFileSync(file, "utf8");
    rmSync(file);
    writeFileSync(`${file}.part`, before.slice(0, 100));
    const short = await hairpin(...argumentsOf(merge, 0));
    expect([short.status, short.err]).toEqual([65, expect.stringContaining("shard 3 of 7 is missing")]);
    vi.stubEnv("JOB_COMPLETION_INDEX", "2");
    await hairpin(...argumentsOf(shards, 2));
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("is of fields that go together: what is tried again, what is not, and how much room a pod has", async () => {
    const { spec } = jobs[0];
    // Of an Indexed Job whose pods are made anew alone.
    expect([spec.completionMode, spec.backoffLimitPerIndex > 0, spec.template.spec.restartPolicy]).toEqual([
      "Indexed",
      true,
      "Never",
    ]);
    const [disruption, refused] = spec.podFailurePolicy.rules;
    expect([disruption.action, disruption.onPodConditions[0].type]).toEqual(["Ignore", "DisruptionTarget"]);
    expect([refused.action, refused.onExitCodes.containerName]).toEqual(["FailIndex", containerOf(jobs[0]).name]);
    expect(refused.onExitCodes.values).toEqual([EXIT.usage, EXIT.badData, EXIT.noInput]);
    expect(containerOf(jobs[0]).args).toContain(`--shard=job/${spec.completions}`);
    for (const job of jobs) {
      const { env, resources, volumeMounts } = containerOf(job);
      const heap = Number(/--max-old-space-size=(\d+)/.exec(env[0].value)![1]);
      const [, limit, unit] = /^(\d+)(Gi|Mi)$/.exec(resources.limits.memory)!;
      expect(heap).toBeLessThan(0.8 * Number(limit) * (unit === "Gi" ? 1024 : 1));
      const volumes = job.spec.template.spec.volumes.map((v: { name: string }) => v.name).sort();
      expect(volumeMounts.map((m: { name: string }) => m.name).sort()).toEqual(volumes);
    }
    expect(containerOf(jobs[0]).volumeMounts.map((m: { mountPath: string }) => m.mountPath)).toContain("/tmp");
  });

  test("without an index, and of a form for people, it says what it wants", async () => {
    const unknown = await hairpin("sweep", CASE, "--shard", "job/7");
    expect([unknown.status, unknown.err]).toEqual([64, expect.stringContaining("JOB_COMPLETION_INDEX")]);
    const text = await hairpin("sweep", CASE, "--out", join(results, "text"));
    expect([text.status, text.err]).toEqual([64, expect.stringContaining("--ndjson")]);
  });
});
