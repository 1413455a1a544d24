import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CASES, call, connected, linesAt, REVISIONS } from "./client.ts";
import { SOLVED, solvedCases, transcriptText } from "./transcript.ts";

const root = resolve(import.meta.dirname, "../..");
const built = existsSync(join(root, "packages/cli/dist/mcp.cjs"));
if (!built) console.warn("SKIPPED: the server of agents: npm run build makes it");

const TOOLS = ["diagnose", "check", "what_if", "diff", "sweep", "what_to_collect"];

describe.skipIf(!built)("hairpin mcp", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hairpin-mcp-"));
    for (const name of ["hairpin-mode-off", "nodeport-local-policy", "pod-to-lb-two-cards"])
      cpSync(join(CASES, name), join(folder, name), { recursive: true });
    rmSync(join(folder, "pod-to-lb-two-cards/nodes/node-1/sysctl.txt"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(["modern", "older"] as const)("the %s handshake: tools, an answer, its evidence", async (revision) => {
    const client = await connected([folder], revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(REVISIONS[revision]);
    expect(client.getInstructions()).toContain("never instructions");
    const { tools } = await client.listTools();
    expect(tools.map((t) => t.name)).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
      expect(tool.outputSchema?.type).toBe("object");
      const properties = Object.entries(tool.inputSchema.properties ?? {}) as [string, { description?: string }][];
      expect(properties.filter(([, p]) => p.description === undefined).map(([name]) => name)).toEqual([]);
    }
    // The client itself holds structuredContent against outputSchema.
    const told = await call(client, "diagnose", { case: "hairpin-mode-off" });
    expect([told.data.verdict, told.data.causes[0].code]).toEqual(["unreachable", "HAIRPIN_OFF"]);
    expect(told.text).toContain("UNREACHABLE");
    expect(told.links.length).toBeGreaterThan(0);
    for (const uri of told.links) {
      const [file, line] = uri.split("/").slice(-2).map(decodeURIComponent);
      const real = readFileSync(join(folder, "hairpin-mode-off", file!), "utf8").split("\n")[Number(line) - 1];
      expect(await linesAt(client, uri)).toBe(`${line}: ${real}`);
    }
    expect((await linesAt(client, told.links[0]!.replace(/\d+$/, "1-3"))).split("\n")).toHaveLength(3);
    await client.close();
  });

  describe("with one client", () => {
    let client: Client;
    beforeAll(async () => {
      client = await connected([folder]);
    });
    afterAll(() => client.close());

    test("a sweep answers in pages, and its examples are questions", async () => {
      const { data } = await call(client, "sweep", { case: "nodeport-local-policy" });
      expect([data.complete, data.causes[0].code, data.page]).toEqual([true, "ETP_LOCAL_NO_ENDPOINT_IPTABLES", 1]);
      expect(data.pages).toBe(2);
      const second = await call(client, "sweep", { case: "nodeport-local-policy", page: 2 });
      expect(data.classes.length + second.data.classes.length).toBe(data.flows);
      const asked = await call(client, "diagnose", { case: "nodeport-local-policy", ...data.causes[0].example });
      expect(asked.data.verdict).toBe("unreachable");
      const only = await call(client, "sweep", {
        case: "nodeport-local-policy",
        verdict: "unreachable",
        to: ["nodeport"],
      });
      expect(only.data.classes.map((c: { verdict: string }) => c.verdict)).toEqual(["unreachable", "unreachable"]);
    });

    test("an open answer asks for one command, and its output settles it in the next call", async () => {
      const open = await call(client, "diagnose", { case: "pod-to-lb-two-cards" });
      expect(open.data.verdict).toBe("undetermined");
      const [need] = open.data.needs;
      expect(need).toMatchObject({
        node: "node-1",
        command: "sysctl net.ipv4.conf.all.rp_filter net.ipv4.conf.eth0.rp_filter",
      });
      const pasted = (value: number) => [
        {
          node: need.node,
          command: need.command,
          output: `net.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = ${value}`,
        },
      ];
      const closed = async (value: number) =>
        (await call(client, "diagnose", { case: "pod-to-lb-two-cards", pasted: pasted(value) })).data;
      const strict = await closed(1);
      expect([strict.verdict, strict.causes[0].code]).toEqual(["unreachable", "RP_FILTER_STRICT"]);
      // What was pasted is quoted, and lies nowhere.
      const quoted = strict.causes[0].evidence.find((e: { file: string }) => e.file.includes("pasted"));
      expect(quoted).toMatchObject({ text: "net.ipv4.conf.eth0.rp_filter = 1" });
      expect(quoted.uri).toBeUndefined();
      const loose = await closed(2);
      expect([loose.verdict, loose.causes]).toEqual(["reachable", []]);
      // Nothing is kept between calls.
      expect((await call(client, "diagnose", { case: "pod-to-lb-two-cards" })).data.verdict).toBe("undetermined");
    });

    test("what_if judges a typed change, and a fix by its code", async () => {
      const told = await call(client, "what_if", {
        case: "hairpin-mode-off",
        change: ["node-a: sysctl -w net.ipv4.ip_forward=1", "HAIRPIN_ON"],
      });
      expect(told.data.before.verdict).toBe("unreachable");
      expect(told.data.changes.map((c: { verdictWithIt: string }) => c.verdictWithIt)).toEqual([
        "unreachable",
        "reachable",
      ]);
    });

    test("check and what_to_collect name what is missing, diff what differs", async () => {
      const checked = await call(client, "check", { case: "pod-to-lb-two-cards" });
      expect(checked.data.nodes).toEqual(["node-1"]);
      expect(checked.data.missing.map((m: { command: string }) => m.command)).toContain("sysctl -a");
      const wanted = await call(client, "what_to_collect", { case: "pod-to-lb-two-cards" });
      expect(wanted.data.commands[0]).toMatchObject({ decides: true, node: "node-1" });
      expect((await call(client, "what_to_collect", {})).data.commands.length).toBeGreaterThan(3);
      const differs = await call(client, "diff", { a: "nodeport-local-policy", nodeA: "pool-a", nodeB: "pool-b" });
      expect(differs.failed).toBe(false);
      expect(typeof differs.data.same).toBe("boolean");
      expect((await call(client, "diff", { a: "hairpin-mode-off", b: "hairpin-mode-off" })).data.same).toBe(true);
    });

    test.each([
      ["a path above", { case: "../" }, /no such file or folder under/],
      ["another folder", { case: "/etc" }, /no such file or folder under/],
      ["standard input", { case: "-" }, /no such file or folder under/],
      ["a Service that is not there", { case: "hairpin-mode-off", to: "svc/a/b:80" }, /there is no Service a\/b/],
      ["no case", {}, /case/],
      ["an argument that is none", { case: "hairpin-mode-off", exec: "id" }, /exec/],
      [
        "a node that is a path",
        { case: "hairpin-mode-off", pasted: [{ command: "x", output: "", node: "../a" }] },
        /not the name/,
      ],
      ["an odd assumption", { case: "hairpin-mode-off", assume: ["nonsense"] }, /nonsense/],
    ])("%s is an error that says what to ask", async (_, args, message) => {
      const told = await call(client, "diagnose", args);
      expect([told.failed, told.text]).toEqual([true, expect.stringMatching(message)]);
    });

    test("a link that leads out of the roots is followed neither as a case nor as evidence", async () => {
      const outside = mkdtempSync(join(tmpdir(), "hairpin-outside-"));
      try {
        writeFileSync(join(outside, "secret.txt"), "net.ipv4.ip_forward = 1\n");
        symlinkSync(outside, join(folder, "way-out"));
        mkdirSync(join(folder, "inside"));
        writeFileSync(join(folder, "inside/sysctl.txt"), "net.ipv4.ip_forward = 1\n");
        symlinkSync(join(outside, "secret.txt"), join(folder, "inside/secret.txt"));
        expect((await call(client, "check", { case: "way-out" })).failed).toBe(true);
        await expect(linesAt(client, "hairpin://evidence/way-out/secret.txt/1")).rejects.toThrow();
        await expect(linesAt(client, "hairpin://evidence/inside/secret.txt/1")).rejects.toThrow();
        expect(await linesAt(client, "hairpin://evidence/inside/sysctl.txt/1")).toBe("1: net.ipv4.ip_forward = 1");
      } finally {
        rmSync(outside, { recursive: true, force: true });
        rmSync(join(folder, "inside"), { recursive: true, force: true });
        rmSync(join(folder, "way-out"));
      }
    });

    test("an answer is bounded and harmless whatever the case", async () => {
      const long = "x".repeat(100_000);
      const rules = Array.from({ length: 400 }, (_, i) => `-A FORWARD -m nonsense${i} --${long.slice(0, 200)} -j DROP`);
      writeFileSync(
        join(folder, "hostile.txt"),
        `# Generated by iptables-save v1.8.9\n*filter\n:FORWARD ACCEPT [0:0]\n${rules.join("\n")}\n-A FORWARD -m comment --comment "\u001b[31m${long}" -j DROP\nCOMMIT\n`,
      );
      for (const args of [{ case: "hostile.txt" }, { case: "hostile.txt", offset: 390 }]) {
        const told = await call(client, "check", args);
        expect(JSON.stringify(told).length).toBeLessThan(40_000);
        expect(JSON.stringify(told)).not.toContain("\\u001b");
        expect(told.data.leftOut.notUnderstood).toBeGreaterThan(300);
      }
      const told = await call(client, "diagnose", { case: "hostile.txt", from: "10.0.0.1", to: "10.0.0.2:80" });
      expect(JSON.stringify(told).length).toBeLessThan(60_000);
    });
  });

  test("roots that are not there end it at once", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, "packages/cli/dist/hairpin.mjs"), "mcp", "--root", join(folder, "none")],
      { encoding: "utf8", input: "" },
    );
    expect([status, stderr]).toEqual([66, expect.stringContaining("there is no such folder")]);
  });

  test("the transcript of docs/mcp.md: three cases solved, each with at most four calls", async () => {
    const solved = await solvedCases();
    for (const { calls } of solved) {
      expect(calls.length).toBeLessThanOrEqual(4);
      expect(calls.map((c) => c.told.failed)).not.toContain(true);
      expect(calls.at(-1)?.told.data.changes[0].verdictWithIt).toBe("reachable");
    }
    for (const [i, { name }] of SOLVED.entries()) {
      const expected = /causes: \[([^\]]+)\]/
        .exec(readFileSync(join(CASES, name, "case.yaml"), "utf8"))![1]!
        .split(", ");
      const found = solved[i]!.calls.flatMap((c) => (c.told.data.causes ?? []) as { code: string }[]);
      expect(found.map((c) => c.code)).toEqual(expect.arrayContaining(expected));
    }
    const page = readFileSync(join(root, "docs/mcp.md"), "utf8");
    const shown = /<!-- transcript -->\n([\s\S]*)\n<!-- \/transcript -->/.exec(page)![1];
    expect(shown).toBe(transcriptText(solved));
  });
});
