import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";

const root = resolve(import.meta.dirname, "../..");
const CASE = join(root, "cases/nodeport-local-policy");

/** Nobody is told that all is well where nothing was asked, or nobody can say. */
describe("no green without an answer", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hairpin-undecided-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const empty = (): string => written("empty.txt", "");

  test("a sweep with nothing to ask: 2, and a sentence, in every form", async () => {
    const prose = written("prose.txt", "it is slow since Monday\n");
    for (const path of [empty(), prose]) {
      const told = await hairpin("sweep", path);
      expect([told.status, told.out]).toEqual([2, expect.stringContaining("Nothing was asked: no node")]);
      for (const form of ["--json", "--ndjson", "--junit", "--sarif", "--markdown"]) {
        const formed = await hairpin("sweep", path, form);
        expect([form, formed.status, formed.err]).toEqual([form, 2, expect.stringContaining("Nothing was asked")]);
      }
    }
    expect((await hairpin("sweep", empty(), "--junit")).out).toContain('tests="1" failures="0" errors="1"');
    expect(JSON.parse((await hairpin("sweep", empty(), "--sarif")).out).runs[0].results).toHaveLength(1);
    mkdirSync(join(folder, "none"));
    expect((await hairpin("sweep", join(folder, "none"))).status).toBe(66);
    expect((await hairpin("check", prose)).status).toBe(2);
  });

  test("options that select nothing together: 2; a slip of the pen: 64, with what there is", async () => {
    for (const chosen of [
      ["--family", "6"],
      ["--from", "host"],
      ["--to", "dns"],
      ["--from", "external", "--to", "clusterip"],
    ]) {
      const told = await hairpin("sweep", CASE, ...chosen);
      expect([chosen, told.status, told.out]).toEqual([chosen, 2, expect.stringContaining("options select together")]);
    }
    for (const [option, word, known] of [
      ["--from", "podd", "pod, endpoint, node, external, loadbalancer, host"],
      ["--from", "pod/mial/*", "pod, endpoint"],
      ["--from", "external,pods", "pod, endpoint"],
      ["--to", "services", "service, dns, apiserver, pod, kubelet, clusterip, nodeport, external, loadbalancer"],
      ["--to", "svc/mail/imap:994", "service, dns"],
      ["--to", "svc/mail/smtp", "service, dns"],
      ["--node", "pool-x", "pool-a, pool-b"],
      ["--namespace", "nobody", "mail"],
    ] as const) {
      const told = await hairpin("sweep", CASE, option, word);
      expect([word, told.status, told.err]).toEqual([word, 64, expect.stringContaining(known)]);
      expect((await hairpin("sweep", CASE, CASE, option, word)).status).toBe(64);
    }
    // Somebody who is in one of the two is no slip, and a name says nothing of an empty case.
    expect((await hairpin("sweep", empty(), CASE, "--to", "svc/mail/imap:993")).status).toBe(2);
    expect((await hairpin("sweep", empty(), "--from", "pod/mail/imap-0")).status).toBe(2);
    const chinese = await hairpin("sweep", CASE, "--from", "podd", "--lang", "zh");
    expect(chinese.err).toContain("既不是种类");
  });

  test("a name with its port is what expectations call it", async () => {
    const swept = JSON.parse((await hairpin("sweep", CASE, "--to", "svc/mail/imap:993", "--json")).out);
    const all = JSON.parse((await hairpin("sweep", CASE, "--to", "svc/mail/imap", "--json")).out);
    expect([swept.flows, swept.flows > 0]).toEqual([all.flows, true]);
  });

  test("what was stopped early counts what it asked, and is not fine", async () => {
    const { out, status } = await hairpin("sweep", CASE, "--max-time", "0.000001");
    expect(status).toBe(2);
    expect(out).toMatch(/^1 flow in 1 class: 1 reachable, 0 failing, 0 undetermined\.\nStopped early: 1 of 23/);
    expect(out).not.toContain("Nothing fails");
    const compared = await hairpin("sweep", CASE, CASE, "--max-time", "0.000001");
    expect([compared.status, compared.out]).toEqual([2, expect.stringContaining("Stopped early")]);
    expect(compared.out).not.toMatch(/Only in|does not have/);
  });

  test("two sides of which nobody can say: 2", async () => {
    expect((await hairpin("sweep", CASE, CASE, "--to", "service")).status).toBe(0);
    // Nobody showed who listens on the nodes.
    expect((await hairpin("sweep", CASE, CASE, "--to", "kubelet")).status).toBe(2);
    for (const [a, b] of [
      [empty(), empty()],
      [CASE, empty()],
      [empty(), CASE],
    ] as const) {
      const told = await hairpin("sweep", a, b);
      expect([told.status, told.out]).toEqual([2, expect.stringContaining("Nothing was compared")]);
    }
    // Everything was undetermined, and is.
    const objects = join(root, "cases/objects-alone");
    const open = ["--from", "pod", "--to", "kubelet"];
    const alone = JSON.parse((await hairpin("sweep", objects, ...open, "--json")).out);
    expect([alone.verdicts.reachable, alone.verdicts.unreachable, alone.answered > 0]).toEqual([0, 0, true]);
    const same = await hairpin("sweep", objects, objects, ...open);
    expect([same.status, same.out]).toEqual([2, expect.stringContaining("Undetermined in B")]);
  });

  test("a flow that becomes undetermined is neither green nor worse; a Service that is gone is named", async () => {
    const blind = join(folder, "blind");
    cpSync(CASE, blind, { recursive: true });
    for (const [name, text] of dumpsOf(blind, "pool-a", "iptables")) writeFileSync(name, text);
    const { out, status } = await hairpin("sweep", CASE, blind, "--json");
    const { classes, undetermined } = JSON.parse(out);
    expect(classes.map((c: { direction: string }) => c.direction)).toContain("open");
    expect(classes.map((c: { direction: string }) => c.direction)).not.toContain("breaks");
    expect([status, undetermined > 0]).toEqual([2, true]);
    const gone = await hairpin("sweep", join(root, "cases/objects-alone"), CASE, "--json");
    expect(JSON.parse(gone.out).lost).toContain("books/search");
  });

  test("where flows fare otherwise, diff finds packets that do; where no packet does, no flow does", async () => {
    const [cluster, local] = ["cluster", "local"].map((n) => join(root, "docs/examples/diff", n)) as [string, string];
    for (const [sides, differ] of [
      [[cluster, local], true],
      [[local, cluster], true],
      [[cluster, cluster], false],
      [[CASE, "--mode", "nftables"], true],
    ] as const) {
      const changes = JSON.parse((await hairpin("sweep", ...sides, "--json")).out);
      expect([sides, changes.classes.length > 0]).toEqual([sides, differ]);
      expect([sides, (await hairpin("diff", ...sides)).status]).toEqual([sides, differ ? 1 : 0]);
    }
  });

  test("expectations of nothing, and nothing to record", async () => {
    for (const text of ["", "# later\n", "[]\n", "null\n"]) {
      const file = written("none.yaml", text);
      const held = await hairpin("expect", file, CASE);
      expect([text, held.status, held.err]).toEqual([text, 65, expect.stringContaining("nothing is expected there")]);
      expect((await hairpin("expect", file)).status).toBe(65);
    }
    const recorded = await hairpin("expect", "--record", empty());
    expect([recorded.status, recorded.out, recorded.err]).toEqual([2, "", expect.stringContaining("Nothing was")]);
    const missing = await hairpin("expect", join(folder, "nowhere.yaml"), CASE);
    expect([missing.status, missing.err]).toEqual([66, expect.stringContaining("there is no such file or folder")]);
    expect((await hairpin("expect", CASE, CASE)).err).toContain("it is a folder");
    expect((await hairpin("expect", join(folder, "nowhere.yaml"), "--lang", "zh")).err).not.toMatch(/ENOENT/);
    const one = written("one.yaml", '- { from: pod, to: "svc/mail/imap:993", expect: works }\n');
    expect((await hairpin("expect", one)).out).toBe("1 expectation, readable; no case to hold against.\n");
  });

  test("what nobody in the case is called fails no expectation by being away", async () => {
    const away = written(
      "away.yaml",
      [
        '- { from: pod, to: "svc/mail/smtp:25", expect: fails }',
        '- { from: pods, to: "svc/mail/imap:993", expect: fails }',
        '- { from: pod/none/none, to: "svc/mail/imap:993", expect: fails }',
        "- { from: external/pool-x, to: svc/mail/imap, via: nodeport, expect: fails }",
        "- { from: pod, to: service, family: 6, expect: timesOut }",
        '- { from: pod, to: "svc/mail/imap:993", via: loadbalancer, expect: fails }',
        "",
      ].join("\n"),
    );
    const { out, status } = await hairpin("expect", away, CASE);
    expect(out).toContain("6 expectations: 0 ok, 0 broken, 6 undecided.");
    expect(status).toBe(2);
  });

  test("bisect passes over what cannot be decided, and does not call it well in the last", async () => {
    const snapshots = join(folder, "snapshots");
    mkdirSync(snapshots);
    const flow = ["--from", "stack/default/web-1", "--to", "10.96.40.10:80"];
    for (const [i, kind] of ["on", "on", "blind", "off"].entries()) {
      const to = join(snapshots, `day-${i + 1}`);
      cpSync(join(root, "cases/hairpin-mode-off"), to, { recursive: true });
      if (kind === "blind") for (const [name, text] of dumpsOf(to, "node-a", "iptables")) writeFileSync(name, text);
      if (kind !== "on") continue;
      for (const name of ["ip-d-addr.txt", "bridge-d-link.txt"]) {
        const file = join(to, "nodes/node-a", name);
        writeFileSync(file, readFileSync(file, "utf8").replaceAll("hairpin off", "hairpin on"));
      }
    }
    const found = await hairpin("bisect", snapshots, ...flow);
    expect([found.status, found.out]).toEqual([1, expect.stringContaining("It broke between day-2 and day-4.")]);
    expect(found.out).toContain("Not to be told of these in between: day-3.");
    rmSync(join(snapshots, "day-4"), { recursive: true });
    const open = await hairpin("bisect", snapshots, ...flow);
    expect([open.status, open.out]).toEqual([
      2,
      expect.stringContaining("Whether it works in day-3 cannot be decided"),
    ]);
    const none = await hairpin("bisect", join(folder, "nowhere"), ...flow);
    expect([none.status, none.err]).toEqual([66, expect.stringContaining("there is no such file or folder")]);
  });
});

/** Files of a node whose name says so, cut short: the tool was not there. */
function dumpsOf(folder: string, node: string, tool: string): readonly (readonly [string, string])[] {
  const at = join(folder, "nodes", node);
  return readdirSync(at)
    .filter((name) => name.includes(tool))
    .map((name) => [join(at, name), ""] as const);
}
