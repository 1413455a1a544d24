import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const program = join(root, "packages/cli/dist/hairpin.mjs");
const built = existsSync(program);
if (!built) console.warn("SKIPPED: what pipelines run: npm run build makes the program");

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Hook {
  readonly entry: string;
  readonly files: string;
}

const hooks = (): readonly Hook[] => parse(readFileSync(join(root, ".pre-commit-hooks.yaml"), "utf8")) as Hook[];

describe.skipIf(!built)("in a pipeline of others, from a repository with snapshots", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hairpin-ci-"));
    mkdirSync(join(folder, "snapshots"));
    for (const name of ["hairpin-mode-off", "nodeport-local-policy"])
      cpSync(join(root, "cases", name), join(folder, "snapshots", name), { recursive: true });
    mkdirSync(join(folder, "bin"));
    writeFileSync(
      join(folder, "bin/kubectl"),
      `#!/bin/sh\necho "$*" >'${folder}/called'\ncat '${root}/cases/objects-alone/kubectl-get-all.yaml'\n`,
      { mode: 0o755 },
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const shell = (
    script: string,
    env: Readonly<Record<string, string>>,
    flags: readonly string[] = ["-e", "-o", "pipefail"],
  ) => {
    rmSync(join(folder, "hairpin-sarif"), { recursive: true, force: true });
    const done = spawnSync("bash", ["--noprofile", "--norc", ...flags, "-c", script], {
      cwd: folder,
      encoding: "utf8",
      env: {
        HOME: folder,
        LC_ALL: "C",
        PATH: `${folder}/bin:${process.env.PATH}`,
        HAIRPIN: `${process.execPath} ${program}`,
        ...env,
      },
    });
    return { status: done.status, out: done.stdout + done.stderr };
  };
  const sarif = () =>
    readdirSync(join(folder, "hairpin-sarif"))
      .filter((f) => f.endsWith(".sarif"))
      .sort()
      .map((f) => {
        const { version, runs } = JSON.parse(readFileSync(join(folder, "hairpin-sarif", f), "utf8")) as {
          version: string;
          runs: { results: { ruleId: string }[] }[];
        };
        return [f, version, runs[0]!.results[0]?.ruleId];
      });

  describe("the GitHub Action", () => {
    const action = parse(readFileSync(join(root, "action.yml"), "utf8")) as {
      inputs: Record<string, { description: string; default: string }>;
      runs: { using: string; steps: Step[] };
    };
    /** As the runner does: inputs with their defaults into the environment of each step, then its shell. */
    const asked = (given: Readonly<Record<string, string>>) => {
      const inputs = { ...Object.fromEntries(Object.entries(action.inputs).map(([k, v]) => [k, v.default])), ...given };
      const [step] = action.runs.steps.filter((s) => s.run !== undefined);
      const env = Object.fromEntries(
        Object.entries(step!.env ?? {}).map(([k, v]) => [
          k,
          v.replace(/\$\{\{ inputs\.([a-z]+) \}\}/g, (_, name: string) => {
            if (!(name in inputs)) throw new Error(`no input ${name}`);
            return inputs[name as keyof typeof inputs]!;
          }),
        ]),
      );
      return shell(step!.run!, { ...env, GITHUB_ACTION_PATH: root });
    };

    test("is composite, each step has its shell, and no input is written into a script", () => {
      expect(action.runs.using).toBe("composite");
      expect(action.runs.steps.map((s) => (s.run === undefined ? s.uses : s.shell))).toEqual([
        "bash",
        "github/codeql-action/upload-sarif@v3",
      ]);
      expect(action.runs.steps.filter((s) => s.run?.includes("${{"))).toEqual([]);
    });

    test("a snapshot whose flow does not work fails, with SARIF and JUnit", () => {
      const { status, out } = asked({ snapshots: "snapshots/hairpin-mode-off\nsnapshots/nodeport-local-policy\n" });
      expect([status, out]).toEqual([1, expect.stringContaining("(HAIRPIN_OFF,")]);
      expect(sarif()).toEqual([
        ["snapshots_hairpin-mode-off.sarif", "2.1.0", "HAIRPIN_OFF"],
        ["snapshots_nodeport-local-policy.sarif", "2.1.0", "ETP_LOCAL_NO_ENDPOINT_IPTABLES"],
      ]);
      expect(readFileSync(join(folder, "hairpin-sarif/snapshots_hairpin-mode-off.xml"), "utf8")).toContain(
        "<testsuite",
      );
    });

    test("one that works passes; what cannot be read, and nothing at all, do not", () => {
      const flow = { from: "pod/default/web-2", to: "10.96.40.10:80" };
      const works = asked({ snapshots: "snapshots/hairpin-mode-off", ...flow });
      expect([works.status, works.out]).toEqual([0, expect.stringContaining("REACHABLE")]);
      expect(asked({ snapshots: "snapshots/none" }).status).toBe(66);
      expect(asked({}).status).toBe(64);
      // Words of a snapshot's name are no options and no commands.
      expect(asked({ snapshots: "--help\n$(touch owned)" }).status).toBe(66);
      expect(existsSync(join(folder, "owned"))).toBe(false);
    });

    test("an empty snapshot is not green, even where what is undetermined passes; nor is asking nothing", () => {
      writeFileSync(join(folder, "snapshots/empty.txt"), "");
      const empty = { snapshots: "snapshots/empty.txt", diagnose: "false", sweep: "true" };
      expect(asked(empty).status).toBe(65);
      expect(asked({ ...empty, undetermined: "pass" }).status).toBe(65);
      expect(asked({ ...empty, diagnose: "true", sweep: "false", undetermined: "pass" }).status).toBe(65);
      expect(asked({ snapshots: "snapshots/hairpin-mode-off", diagnose: "false" }).status).toBe(64);
      writeFileSync(join(folder, "none.expect.yaml"), "# later\n");
      const given = { snapshots: "snapshots/nodeport-local-policy", diagnose: "false", undetermined: "pass" };
      expect(asked({ ...given, expect: "none.expect.yaml" }).status).toBe(65);
    });

    test("the objects of a cluster, by kubectl get", () => {
      const { status, out } = asked({ cluster: "true", from: "pod/books/storefront-0", to: "svc/books/search:http" });
      expect([status, out]).toEqual([1, expect.stringContaining("NO_ENDPOINTS")]);
      expect(readFileSync(join(folder, "called"), "utf8")).toMatch(
        /^get services,endpointslices,nodes,networkpolicies,pods -A -o yaml$/m,
      );
    });

    test("every flow, and expectations: each with SARIF and JUnit of its own", () => {
      cpSync(join(root, "docs/examples/expect/mail.yaml"), join(folder, "mail.expect.yaml"));
      const given = { snapshots: "snapshots/nodeport-local-policy", diagnose: "false" };
      const { status, out } = asked({ ...given, sweep: "true", expect: "mail.expect.yaml" });
      expect([status, out]).toEqual([1, expect.stringContaining("FAIL  mail from outside")]);
      expect(readdirSync(join(folder, "hairpin-sarif")).sort()).toEqual([
        "snapshots_nodeport-local-policy.expect.sarif",
        "snapshots_nodeport-local-policy.expect.xml",
        "snapshots_nodeport-local-policy.sweep.sarif",
        "snapshots_nodeport-local-policy.sweep.xml",
      ]);
      expect(sarif().map(([, version, rule]) => [version, rule !== undefined])).toEqual([
        ["2.1.0", true],
        ["2.1.0", true],
      ]);
      writeFileSync(join(folder, "inside.expect.yaml"), '- { from: pod, to: "svc/mail/imap:993", expect: works }\n');
      expect(asked({ ...given, expect: "inside.expect.yaml" }).status).toBe(0);
    });

    test("an answer that is not known fails, or passes where that was asked for", () => {
      const unknown = { snapshots: "snapshots/hairpin-mode-off", from: "external", to: "203.0.113.9:80" };
      const { out } = asked(unknown);
      expect(out).toMatch(/UNDETERMINED|NOTHING SHOWN STOPS IT/);
      expect([asked(unknown).status, asked({ ...unknown, undetermined: "pass" }).status]).toEqual([1, 0]);
    });
  });

  test("the GitLab job", () => {
    const job = (
      parse(readFileSync(join(root, "deploy/ci/gitlab.yml"), "utf8")) as Record<
        string,
        { script: string[]; variables: Record<string, string>; artifacts: { reports: { junit: string } } }
      >
    )[".hairpin"]!;
    const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8")) as {
      version: string;
    };
    expect(job.variables.HAIRPIN).toBe(`npx --yes hairpin@${version}`);
    const ran = (variables: Record<string, string>) =>
      shell(job.script.join("\n"), { ...job.variables, HAIRPIN: `${process.execPath} ${program}`, ...variables });
    expect(ran({ SNAPSHOTS: "snapshots/hairpin-mode-off snapshots/nodeport-local-policy" }).status).toBe(1);
    expect(sarif().map(([, , rule]) => rule)).toEqual(["HAIRPIN_OFF", "ETP_LOCAL_NO_ENDPOINT_IPTABLES"]);
    expect(
      ran({ SNAPSHOTS: "snapshots/hairpin-mode-off", FROM: "pod/default/web-2", TO: "10.96.40.10:80" }).status,
    ).toBe(0);
    writeFileSync(join(folder, "inside.expect.yaml"), '- { from: pod, to: "svc/mail/imap:993", expect: fails }\n');
    const held = { SNAPSHOTS: "snapshots/nodeport-local-policy", SWEEP: "true", EXPECT: "inside.expect.yaml" };
    expect([ran(held).status, sarif().length]).toEqual([1, 3]);
    writeFileSync(join(folder, "snapshots/empty.txt"), "");
    expect(ran({ SNAPSHOTS: "snapshots/empty.txt", SWEEP: "true" }).status).toBe(1);
    expect(ran({ SNAPSHOTS: " " }).status).toBe(64);
    expect(job.artifacts.reports.junit).toBe("hairpin-sarif/*.xml");
  });

  test("the hook of pre-commit says what is wrong with a case.yaml, by line", () => {
    const [hook] = hooks();
    accessSync(join(root, hook!.entry), constants.X_OK);
    const matches = new RegExp(hook!.files);
    expect(["case.yaml", "a/case.yml", "a/showcase.yaml"].map((f) => matches.test(f))).toEqual([true, true, false]);
    const good = "snapshots/hairpin-mode-off/case.yaml";
    const bad = "snapshots/bad/case.yaml";
    mkdirSync(join(folder, "snapshots/bad"));
    writeFileSync(join(folder, bad), "question:\n  frm: a\n");
    const ran = (...files: readonly string[]) => shell(`"${join(root, hook!.entry)}" ${files.join(" ")}`, {});
    expect(ran(good).status).toBe(0);
    const told = ran(good, bad);
    expect([told.status, told.out]).toEqual([1, expect.stringMatching(/snapshots\/bad\/case\.yaml: .*case\.yaml:2/)]);
  });

  test("the hook of pre-commit says what is wrong with expectations, by line", () => {
    const [, hook] = hooks();
    accessSync(join(root, hook!.entry), constants.X_OK);
    const matches = new RegExp(hook!.files);
    expect(
      ["expect.yaml", "a/shop.expect.yml", "expectations.yaml", "unexpected.yaml"].map((f) => matches.test(f)),
    ).toEqual([true, true, true, false]);
    writeFileSync(join(folder, "good.expect.yaml"), '- { from: pod, to: "svc/mail/imap:993", expect: works }\n');
    writeFileSync(
      join(folder, "bad.expect.yaml"),
      '- { from: pod, to: "svc/mail/imap:993", expect: works }\n- { from: pod, expect: maybe }\n',
    );
    const ran = (...files: readonly string[]) => shell(`"${join(root, hook!.entry)}" ${files.join(" ")}`, {});
    expect(ran("good.expect.yaml").status).toBe(0);
    writeFileSync(join(folder, "none.expect.yaml"), "");
    expect(ran("none.expect.yaml").status).toBe(1);
    const told = ran("good.expect.yaml", "bad.expect.yaml");
    expect([told.status, told.out]).toEqual([1, expect.stringMatching(/^bad\.expect\.yaml: .*bad\.expect\.yaml:2/)]);
  });
});
