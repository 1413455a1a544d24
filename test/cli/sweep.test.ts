import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";

const root = resolve(import.meta.dirname, "../..");
const CASE = join(root, "cases/nodeport-local-policy");

describe("hairpin sweep, expect and bisect", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hairpin-sweep-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test("a sweep names the cause, a fix and a question that diagnose answers alike", async () => {
    const { out, status } = await hairpin("sweep", CASE, "--json");
    const found = JSON.parse(out);
    expect([status, found.complete, found.answered]).toEqual([1, true, found.flows]);
    expect(found.flows).toBe(found.classes.reduce((n: number, c: { flows: number }) => n + c.flows, 0));
    const [cause] = found.causes;
    expect([cause.code, cause.flows, cause.fix.heals]).toEqual(["ETP_LOCAL_NO_ENDPOINT_IPTABLES", 2, 2]);
    const { from, to, node = "" } = cause.example;
    const asked = await hairpin(
      "diagnose",
      CASE,
      "--from",
      from,
      "--to",
      to,
      ...(node === "" ? [] : ["--node", node]),
      "--json",
    );
    expect(JSON.parse(asked.out).causes[0].code).toBe(cause.code);
  });

  test("filters, and the forms for pipelines", async () => {
    const only = JSON.parse((await hairpin("sweep", CASE, "--from", "external", "--to", "nodeport", "--json")).out);
    expect(only.flows).toBe(2);
    expect(
      JSON.parse((await hairpin("sweep", CASE, "--node", "pool-b", "--from", "node", "--json")).out).flows,
    ).toBeLessThan(10);
    const junit = await hairpin("sweep", CASE, "--junit");
    expect(junit.out).toContain('<testsuite name="hairpin sweep" tests="23" failures="2"');
    expect(junit.out).toContain('name="external by pool-a to 10.50.8.11:31993 (mail/imap, nodeport), tcp">');
    expect(junit.out).toMatch(
      /message="1 flow: UNREACHABLE: ETP_LOCAL_NO_ENDPOINT_IPTABLES: the request is dropped on pool-a/,
    );
    const named = [...junit.out.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"/g)].map((m) => m[0]);
    expect(new Set(named).size).toBe(23);
    const sarif = JSON.parse((await hairpin("sweep", CASE, "--sarif")).out);
    expect(sarif.runs[0].results[0].ruleId).toBe("ETP_LOCAL_NO_ENDPOINT_IPTABLES");
    expect(sarif.runs[0].results[0].locations.length).toBeGreaterThan(0);
    expect((await hairpin("sweep", CASE, "--markdown")).out).toMatch(/^# Sweep/);
    expect((await hairpin("sweep", CASE, "--lang", "zh")).out).toContain("故障，按原因排列");
  });

  test("a name that is misspelt is told what is near, and what cannot be written is told before anything is asked", async () => {
    const near = async (...args: string[]): Promise<readonly unknown[]> => {
      const { err, status } = await hairpin("sweep", CASE, ...args);
      return [status, /did you mean (.*)\?/.exec(err)?.[1]];
    };
    expect(await near("--to", "svc/mail/imp:993")).toEqual([64, "svc/mail/imap:993"]);
    expect(await near("--from", "pods")).toEqual([64, "pod"]);
    expect(await near("--node", "pool-aa")).toEqual([64, "pool-a, pool-b"]);
    expect(await near("--from", "zzz")).toEqual([64, undefined]);
    for (const name of ["--html", "--junit", "--sarif", "--markdown"]) {
      const { out, err, status } = await hairpin("sweep", CASE, name, join(folder, "none/x"));
      expect([out, status, err]).toEqual([
        "",
        74,
        expect.stringContaining(`${name} ${join(folder, "none/x")}: there is no such`),
      ]);
    }
    const { out, err, status } = await hairpin("sweep", CASE, "--json", "--out", folder);
    expect([out, status, err]).toEqual(["", 74, expect.stringContaining("it is a folder")]);
    const first = await hairpin("expect", CASE, join(folder, "x.yaml"));
    expect([first.status, first.err]).toEqual([66, expect.stringContaining("comes first, then the case")]);
    for (const command of ["sweep", "expect", "bisect", "diagnose"])
      expect((await hairpin(command, "--help")).out).not.toContain("default:");
  });

  test("shards are merged to the same bytes", async () => {
    const whole = (await hairpin("sweep", CASE, "--json")).out;
    const files: string[] = [];
    for (const i of [1, 2, 3]) {
      const { out } = await hairpin("sweep", CASE, "--shard", `${i}/3`, "--ndjson");
      files.push(written(`shard-${i}.ndjson`, out));
    }
    const merged = await hairpin("sweep", "--merge", ...files, "--json");
    expect([merged.out, merged.status]).toEqual([whole, 1]);
    const [told, one] = [await hairpin("sweep", "--merge", ...files), await hairpin("sweep", CASE)];
    expect(told.out).toBe(one.out.replaceAll(CASE, "CASE"));
    const short = await hairpin("sweep", "--merge", files[0]!, files[2]!);
    expect([short.status, short.err]).toEqual([65, expect.stringContaining("shard 2 of 3 is missing")]);
    expect((await hairpin("sweep", CASE, "--shard", "4/3")).status).toBe(64);
    const { out } = await hairpin("sweep", join(root, "cases/hairpin-mode-off"), "--shard", "2/3", "--ndjson");
    const other = written("other.ndjson", out);
    const mixed = await hairpin("sweep", "--merge", files[0]!, other, files[2]!);
    expect([mixed.status, mixed.err]).toEqual([65, expect.stringContaining("shards of different sweeps")]);
  });

  test("a recording that is stopped says so, and nothing of all sources of a kind", async () => {
    const { out, err, status } = await hairpin("expect", "--record", CASE, "--max-time", "0.000001");
    expect([status, `${out}${err}`]).toEqual([2, expect.stringMatching(/not asked: \d+ flows|Nothing was recorded/)]);
    expect(out).not.toMatch(/from: (pod|node|external|endpoint),/);
  });

  test("what is recorded holds; what does not comes with its diagnosis", async () => {
    const { out } = await hairpin("expect", "--record", CASE);
    const held = await hairpin("expect", written("recorded.yaml", out), CASE);
    expect([held.status, held.out.match(/^ok/gm)?.length]).toEqual([0, out.match(/^- /gm)?.length]);
    const file = written(
      "wanted.yaml",
      "- { name: mail from outside, from: external, to: svc/mail/imap, via: nodeport, expect: works }\n" +
        "- { from: node/pool-b, to: svc/mail/imap:993, expect: works, viaNode: pool-b, seesClientAddress: true }\n" +
        "- { from: external/pool-a, to: 10.50.8.11:31993, expect: timesOut }\n" +
        "- { from: external/pool-a, to: 10.50.8.11:31993, expect: refused }\n",
    );
    const wanted = await hairpin("expect", file, CASE);
    expect(wanted.status).toBe(1);
    expect(wanted.out).toMatch(/FAIL {2}mail from outside .*wanted\.yaml:1\n.*1 of 2 flows/);
    expect(wanted.out).toContain("ETP_LOCAL_NO_ENDPOINT_IPTABLES");
    expect(wanted.out).toContain("4 expectations: 2 ok, 2 broken, 0 undecided.");
    const report = join(folder, "expect.xml");
    await hairpin("expect", file, CASE, "--junit", report);
    expect(readFileSync(report, "utf8")).toContain('tests="4" failures="2" errors="0"');
    expect(wanted.out.match(/expected works; 1 of 2 flows/g)).toHaveLength(1);
    const nothing = written("nothing.yaml", "- { from: pod/none/*, to: svc/none/none, expect: works }\n");
    expect((await hairpin("expect", nothing, CASE)).status).toBe(2);
    const bad = await hairpin("expect", written("bad.yaml", "- { from: pod, to: x, expect: maybe }\n"), CASE);
    expect([bad.status, bad.err]).toEqual([65, expect.stringContaining("bad.yaml:1: expect")]);
  });

  test("JUnit: what is tested, what was expected, what was found and why; a run that is stopped passes nothing", async () => {
    const file = written(
      "mail.v2.yaml",
      "- { name: mail <outside>, from: external, to: svc/mail/imap, via: nodeport, expect: works, seesClientAddress: true }\n" +
        "- { from: node/pool-b, to: svc/mail/imap:993, proto: tcp, family: 4, expect: works }\n" +
        "- { from: pod/none/*, to: svc/none/none, expect: refused }\n",
    );
    const { out, status } = await hairpin("expect", file, CASE, "--junit");
    expect(status).toBe(1);
    const names = [...out.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"/g)].map((m) => m.slice(1));
    expect(names).toEqual(
      [
        ["mail &lt;outside&gt; (external to svc/mail/imap, via nodeport: works, seesClientAddress true)"],
        ["node/pool-b to svc/mail/imap:993, tcp, IPv4: works"],
        ["pod/none/* to svc/none/none: refused"],
      ].map((n) => ["hairpin.expect.mail-v2", ...n]),
    );
    expect(out).toMatch(
      /<failure type="ETP_LOCAL_NO_ENDPOINT_IPTABLES" message="expected works, seesClientAddress true; 1 of 2 flows, such as external to 10\.50\.8\.\d+:31993: UNREACHABLE, the client sees: timed out: ETP_LOCAL_NO_ENDPOINT_IPTABLES: the request is dropped on pool-a[^"]*">hairpin diagnose .* --from external --to 10\.50\.8\.\d+:31993 --node pool-a\n\n.*\nUNREACHABLE/,
    );
    expect(out).toContain('<error type="matches-nothing" message="matches no flow of this case">');
    const stopped = await hairpin("expect", file, CASE, "--max-time", "0.000001");
    expect([stopped.status === 0, stopped.out]).toEqual([
      false,
      expect.stringMatching(/Stopped early: of \d expectations? not all/),
    ]);
    expect((await hairpin("expect", file, CASE, "--max-time", "0.000001", "--junit")).out).toMatch(
      /errors="[1-3]".*\n[\s\S]*<error type="not-asked"/,
    );
  });

  test("a cause of several expectations is told once", async () => {
    const file = written(
      "twice.yaml",
      "- { from: external/pool-a, to: 10.50.8.11:31993, expect: works }\n- { from: external, to: svc/mail/imap, via: nodeport, expect: works }\n",
    );
    const { out } = await hairpin("expect", file, CASE);
    expect(out.match(/\| Why /g)).toHaveLength(1);
    expect(out).toMatch(/\n {6}\| ETP_LOCAL_NO_ENDPOINT_IPTABLES: .* \(as told at .*twice\.yaml:1\)\n/);
    expect(out).not.toMatch(/\n\n {6}\|/);
  });

  test("a line that no flow of a sweep is meant by is asked as it says: by which address, in which family", async () => {
    const said = async (line: string, path: string): Promise<readonly unknown[]> => {
      const { status, out } = await hairpin("expect", written("one.yaml", `- { ${line} }\n`), path);
      return [status, /hairpin diagnose .*/.exec(out)?.[0].split(" --to ")[1]];
    };
    const stranger = "from: 10.50.8.99, to: svc/mail/imap, via: nodeport, node: pool-b";
    expect(await said(`${stranger}, expect: works`, CASE)).toEqual([0, undefined]);
    expect(await said(`${stranger}, expect: fails`, CASE)).toEqual([
      1,
      "svc/mail/imap --node pool-b --via nodeport --family 4",
    ]);
    // It has no address of that family.
    expect(await said("from: pod/mail/webmail-0, to: svc/mail/imap, family: 6, expect: works", CASE)).toEqual([
      2,
      undefined,
    ]);
    const both = join(root, "cases/dual-stack-firewall");
    const byName = 'from: pod/depot/orders-0, to: "svc/depot/stock:http"';
    expect(await said(`${byName}, family: 4, expect: works`, both)).toEqual([0, undefined]);
    expect(await said(`${byName}, family: 6, expect: fails`, both)).toEqual([0, undefined]);
    expect(await said(`${byName}, expect: works`, both)).toEqual([1, "svc/depot/stock:http --family 6"]);
  });

  test("before and after: what breaks, what heals, and the line", async () => {
    const healed = await hairpin(
      "sweep",
      CASE,
      "--try",
      "svc/mail/imap spec.externalTrafficPolicy=Cluster",
      "--to",
      "service",
      "--json",
    );
    const { classes } = JSON.parse(healed.out);
    expect(healed.status).toBe(0);
    expect(classes.map((c: { direction: string }) => c.direction)).toEqual(["heals", "heals"]);
    const moved = await hairpin("sweep", CASE, "--mode", "nftables");
    expect([moved.status, moved.out]).toEqual([1, expect.stringContaining("breaks: 1 flow, such as node/pool-a")]);
    expect(moved.out).toContain("externalTrafficPolicy: Local");
    expect((await hairpin("sweep", CASE, CASE)).out).toContain("nothing fares otherwise");
    expect((await hairpin("sweep", CASE, "--kube-proxy", "1.37", "--to", "service")).status).toBe(0);
  });

  test("two snapshots: each class that fares otherwise can be asked of the second", async () => {
    const [a, b] = ["cluster", "local"].map((n) => join(root, "docs/examples/diff", n));
    const { out } = await hairpin("sweep", a!, b!);
    expect(out).toContain(`hairpin diagnose ${b} --from node/node --to 192.0.2.10:30080`);
    expect((await hairpin("sweep", CASE, "--mode", "nftables")).out).not.toContain("hairpin diagnose");
  });

  test("two sides: a line each for programs, and no form that there is not", async () => {
    const told = await hairpin("sweep", CASE, "--mode", "nftables", "--ndjson");
    const lines = told.out.trim().split("\n");
    const { classes, ...summary } = JSON.parse((await hairpin("sweep", CASE, "--mode", "nftables", "--json")).out);
    expect([told.status, lines.map((l) => JSON.parse(l))]).toEqual([1, [...classes, summary]]);
    const file = join(folder, "changes.json");
    await hairpin("sweep", CASE, "--mode", "nftables", "--json", "--out", file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...summary, classes });
    for (const form of ["--junit", "--sarif", "--markdown", "--html=x", "--shard=1/2"]) {
      const refused = await hairpin("sweep", CASE, CASE, form);
      expect([refused.status, refused.err]).toEqual([64, expect.stringContaining(`no ${form.split("=")[0]}\n`)]);
    }
    const unknown = await hairpin("sweep", CASE, "--kube-proxy", "1.99");
    expect([unknown.status, unknown.err]).toEqual([64, expect.stringContaining("1.18 to 1.37")]);
  });

  test("bisect finds the two snapshots, and what changed between them", async () => {
    const snapshots = join(folder, "snapshots");
    mkdirSync(snapshots);
    for (const [i, on] of [true, true, true, false, false].entries()) {
      const to = join(snapshots, `day-${i + 1}`);
      cpSync(join(root, "cases/hairpin-mode-off"), to, { recursive: true });
      if (!on) continue;
      for (const name of ["ip-d-addr.txt", "bridge-d-link.txt"]) {
        const file = join(to, "nodes/node-a", name);
        writeFileSync(file, readFileSync(file, "utf8").replaceAll("hairpin off", "hairpin on"));
      }
    }
    const { out, status } = await hairpin(
      "bisect",
      snapshots,
      "--from",
      "stack/default/web-1",
      "--to",
      "10.96.40.10:80",
    );
    expect(status).toBe(1);
    expect(out).toContain("It broke between day-3 and day-4.");
    expect(out).toContain("HAIRPIN_OFF");
    expect(out).not.toContain("day-2");
    expect(out).toContain(`hairpin diagnose ${join(snapshots, "day-4")} --from stack/default/web-1`);
    const other = (...ends: string[]) => hairpin("bisect", snapshots, "--from", ends[0]!, "--to", ends[1]!);
    const nowhere = await other("pod/none/*", "svc/none/none");
    expect([nowhere.status, nowhere.out]).toEqual([
      2,
      expect.stringContaining("No snapshot that was asked has such a flow"),
    ]);
    for (const day of [1, 2, 3]) rmSync(join(snapshots, `day-${day}`), { recursive: true });
    const never = await other("stack/default/web-1", "10.96.40.10:80");
    expect([never.status, never.out]).toEqual([2, expect.stringContaining("It does not work in day-4 either")]);
    expect(never.out).toContain("HAIRPIN_OFF");
  });
});
