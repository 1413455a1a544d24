import { afterEach, describe, expect, test } from "vitest";
import { columns } from "../../packages/cli/src/report/layout.ts";
import { printable, styleFor } from "../../packages/cli/src/report/style.ts";
import { folderOf, hairpin } from "./surface.ts";

const made: (() => void)[] = [];
afterEach(() => {
  for (const remove of made.splice(0)) remove();
});
const folder = (files: Readonly<Record<string, string>>): string => {
  const { path, remove } = folderOf(files);
  made.push(remove);
  return path;
};

const RULES = "0:\tfrom all lookup local\n1000:\tfrom 10.0.0.0/8 lookup 77\n32766:\tfrom all lookup main\n";
const ROUTES = "default via 10.0.0.1 dev eth0 \n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.5 \n";

interface Report {
  readonly schema: string;
  readonly dumps: readonly Record<string, unknown>[];
  readonly notUnderstood: readonly Record<string, unknown>[];
  readonly passedOver: readonly Record<string, unknown>[];
  readonly contradictions: readonly Record<string, unknown>[];
  readonly differences: readonly unknown[];
  readonly missing: readonly Record<string, unknown>[];
}
const json = async (...args: string[]): Promise<Report> =>
  JSON.parse((await hairpin("check", "--json", ...args)).out) as Report;

describe("hairpin check", () => {
  test("the bundled case is clean and whole", async () => {
    const { status, out, err } = await hairpin("check", "cases/hairpin-mode-off");
    expect(err).toBe("");
    expect(out).toMatch(/^\d+ dumps, 0 not understood, 0 contradictions\n/);
    expect(out).not.toMatch(/Missing/);
    expect(status).toBe(0);
  });

  test("the JSON has the contract's shape", async () => {
    const report = await json(
      folder({
        "nodes/a/ip-rule.txt": RULES,
        "nodes/a/ip-route.txt": `${ROUTES}nonsense 1.2.3 %%\n`,
        "notes.md": "Some words about it.\n",
      }),
    );
    expect(report.schema).toBe("hairpin/check/1");
    expect(Object.keys(report)).toEqual(
      expect.arrayContaining(["dumps", "notUnderstood", "passedOver", "contradictions", "differences", "missing"]),
    );
    expect(report.dumps.find((d) => d.dialect === "ip-rule")).toMatchObject({
      node: "a",
      stack: "a",
      file: "nodes/a/ip-rule.txt",
      lines: [1, 3],
      partial: false,
      counts: { rules: 3 },
    });
    expect(report.notUnderstood[0]).toMatchObject({
      file: "nodes/a/ip-route.txt",
      line: 3,
      column: expect.any(Number),
      text: "nonsense 1.2.3 %%",
      reason: expect.any(String),
    });
    expect(report.passedOver).toEqual([{ file: "notes.md", lines: [1, 1] }]);
    expect(report.differences).toEqual([]);
    expect(report.missing[0]).toMatchObject({
      what: expect.any(String),
      why: expect.any(String),
      command: expect.any(String),
    });
  });

  test("exit status: clean, not understood, contradictory, unreadable, bad use", async () => {
    const clean = folder({ "ip-rule.txt": RULES, "talk.md": "Nothing but words here.\n" });
    expect((await hairpin("check", clean)).status).toBe(0);
    expect((await hairpin("check", folder({ "ip-rule.txt": `${RULES}7: ??\n` }))).status).toBe(1);
    const twice = "net.ipv4.ip_forward = 1\n";
    expect(
      (await hairpin("check", folder({ "a/sysctl.txt": twice, "b.txt": "net.ipv4.ip_forward = 0\n" }))).status,
    ).toBe(1);
    expect((await hairpin("check", "absent-file")).status).toBe(66);
    expect((await hairpin("check")).status).toBe(64);
    expect((await hairpin("check", clean, "--frobnicate")).status).toBe(64);
    expect((await hairpin("check", clean, "--node", "nobody")).status).toBe(64);
    expect((await hairpin("check", folder({ "case.yaml": "what: 1\n", "ip-rule.txt": RULES }))).status).toBe(65);
    expect((await hairpin("no-such-command")).status).toBe(64);
    expect((await hairpin()).status).toBe(64);
    expect((await hairpin("--help")).status).toBe(0);
    expect((await hairpin("check", "--help")).status).toBe(0);
  });

  test("--node shows one node", async () => {
    const path = folder({ "nodes/a/ip-rule.txt": RULES, "nodes/b/ip-rule.txt": RULES });
    expect((await json(path, "--node", "b")).dumps.map((d) => d.node)).toEqual(["b"]);
  });

  test("a line not understood is shown with place, caret and reason", async () => {
    const { out } = await hairpin("check", folder({ "ip-rule.txt": `${RULES}9: from all frobnicate 7 lookup main\n` }));
    const lines = out.split("\n");
    const at = lines.findIndex((l) => l.includes("ip-rule.txt:4:13"));
    expect(at).toBeGreaterThan(0);
    expect(lines[at + 1]?.indexOf("frobnicate")).toBe(lines[at + 2]?.indexOf("^"));
  });

  test("for people it fits 80 columns, and dumps cannot drive the terminal", async () => {
    const long = `-A INPUT -m comment --comment "${"x".repeat(300)}" -m frobnicate --evil "\u001b]0;owned\u0007\u001b[2J" -j ACCEPT`;
    const path = folder({
      "nodes/a/iptables-save.txt": `*filter\n:INPUT ACCEPT [0:0]\n${long}\nCOMMIT\n`,
      [`nodes/${"n".repeat(60)}/${"f".repeat(70)}.txt`]: RULES,
      "nodes/a/notes-\u001b[31m.txt": "干扰文字说明 \u202e evil \n",
    });
    const { out } = await hairpin("check", path);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    for (const line of out.split("\n")) expect(columns(line)).toBeLessThanOrEqual(80);
  });

  test("colours only on a terminal, and not with NO_COLOR", () => {
    expect(styleFor({ isTTY: true }, { TERM: "xterm" }).red("x")).not.toBe("x");
    expect(styleFor({ isTTY: true }, { TERM: "xterm", NO_COLOR: "1" }).red("x")).toBe("x");
    expect(styleFor({ isTTY: false }, {}).red("x")).toBe("x");
    expect(printable("a\u001b[31mb\tc\u0000")).toBe("a·[31mb c·");
  });

  test("a command that is not built yet says so in one sentence", async () => {
    const help = (await hairpin("--help")).out;
    const entries = help.slice(help.indexOf("Commands:")).split(/\n(?= {2}\w)/);
    const names = entries.filter((e) => /\(not\s+built\s+yet\)/.test(e)).map((e) => /\w+/.exec(e)![0]);
    for (const name of names) {
      const { status, out, err } = await hairpin(name, "x", "--any", "option");
      expect([name, status, out, err]).toEqual([name, 69, "", `hairpin ${name} is not built yet.\n`]);
    }
  });

  test("all nine commands are known", async () => {
    const { out } = await hairpin("--help");
    for (const name of ["diagnose", "trace", "check", "diff", "collect", "instrument", "guard", "lab", "serve"]) {
      expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
    }
  });
});
