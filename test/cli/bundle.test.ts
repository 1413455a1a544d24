import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const dist = join(root, "packages/cli/dist");
const built = existsSync(join(dist, "program.cjs"));
if (!built) console.warn("SKIPPED: the bundled program: npm run build makes it");

describe.skipIf(!built)("the bundled program", () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(dist, "hairpin.mjs"), ...args], { encoding: "utf8", cwd: root });

  test("holds no character that its boot would take for several", () => {
    expect(readFileSync(join(dist, "program.cjs"), "latin1")).not.toMatch(/[^\0-\x7f]/);
  });

  test("carries the licences of what others wrote, and so does the page", () => {
    const notices = readFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), "utf8");
    for (const name of ["commander", "picocolors", "preact", "yaml", "zod"]) {
      expect(notices).toMatch(new RegExp(`^${name} [0-9.]+ \\((MIT|ISC)\\)$`, "m"));
      const copyright = readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8")
        .split("\n")
        .find((l) => /Copyright/.test(l))!;
      expect(notices).toContain(copyright.trim());
    }
    const page = readFileSync(join(dist, "page.html"), "utf8");
    for (const name of ["preact", "yaml", "zod"]) expect(page).toContain(`${name} `);
    expect(page).toContain("Third-party notices");
  });

  test("writes and reads what is beyond ASCII as the source does", () => {
    const folder = mkdtempSync(join(tmpdir(), "hairpin-bundle-"));
    try {
      const html = join(folder, "report.html");
      const { stdout } = run("diagnose", "cases/lb-loops-back", "--lang", "zh", "--html", html);
      expect(stdout).toContain("时通时断");
      const report = readFileSync(html, "utf8");
      expect(report).toContain("→");
      expect(report).not.toContain("â");
      // An ellipsis says that lines were left out: what is missing is then not known to be absent.
      writeFileSync(
        join(folder, "ipvsadm.txt"),
        "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\nTCP  10.96.0.1:443 rr\n  → 10.0.0.5:6443              Masq    1      0          0\n…\n",
      );
      const check = JSON.parse(run("check", join(folder, "ipvsadm.txt"), "--json").stdout) as {
        dumps: { partial: unknown }[];
        notUnderstood: unknown[];
      };
      expect(check.notUnderstood).toEqual([]);
      expect(check.dumps[0]?.partial).toBeTruthy();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
