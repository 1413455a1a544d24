import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

  test("a reader that went away is told no answer by the exit status, and one that hears no errors still gets it", () => {
    const shell = (line: string) =>
      spawnSync("bash", ["-c", line, "bash", process.execPath, join(dist, "hairpin.mjs")], { cwd: root }).status;
    const unreachable = "diagnose cases/hairpin-mode-off --json";
    expect(shell(`"$1" "$2" ${unreachable} >/dev/null; exit $?`)).toBe(1);
    // A pipe whose only reader is closed before the program starts.
    const closed = 'f=$(mktemp -u); mkfifo "$f"; exec 3<>"$f" 4>"$f" 3>&-; rm "$f"';
    expect(shell(`${closed}; "$1" "$2" ${unreachable} >&4; exit $?`)).toBe(141);
    expect(shell(`${closed}; "$1" "$2" diagnose nowhere 2>&4; exit $?`)).toBe(66);
  });

  test("carries the licences of what others wrote, and so does the page", () => {
    const notices = readFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), "utf8");
    for (const name of ["commander", "preact", "yaml", "zod"]) {
      expect(notices).toMatch(new RegExp(`^${name} [0-9.]+ \\((MIT|ISC)\\)$`, "m"));
      const copyright = readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8")
        .split("\n")
        .find((l) => /Copyright/.test(l))!;
      expect(notices).toContain(copyright.trim());
    }
    const page = readFileSync(join(dist, "page.html"), "utf8");
    for (const name of ["preact", "yaml"]) expect(page).toContain(`${name} `);
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

  describe("keeps what was compiled, where nothing can be written beside it,", () => {
    const withFolder = (use: (caches: string, version: () => string) => void): void => {
      const folder = mkdtempSync(join(tmpdir(), "hairpin-bundle-"));
      try {
        for (const name of ["hairpin.cjs", "program.cjs"]) copyFileSync(join(dist, name), join(folder, name));
        // Whoever runs the tests may write everywhere: a file in the place of the folder keeps everybody out.
        writeFileSync(join(folder, "cache"), "");
        const caches = join(folder, "caches");
        mkdirSync(caches);
        const env = { ...process.env, XDG_CACHE_HOME: caches };
        use(caches, () =>
          spawnSync(process.execPath, [join(folder, "hairpin.cjs"), "--version"], {
            encoding: "utf8",
            env,
          }).stdout.trim(),
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    };

    test("in a folder that only the user can enter, and takes it from there", () => {
      withFolder((caches, version) => {
        const first = version();
        const own = join(caches, "hairpin");
        expect(statSync(own).mode & 0o777).toBe(0o700);
        const kept = readdirSync(own);
        expect(kept).toHaveLength(1);
        const { mtimeMs } = statSync(join(own, kept[0]!));
        expect(version()).toBe(first);
        expect(statSync(join(own, kept[0]!)).mtimeMs).toBe(mtimeMs);
      });
    });

    test("never in one that others can write to, nor behind a link", () => {
      withFolder((caches, version) => {
        const own = join(caches, "hairpin");
        mkdirSync(own);
        chmodSync(own, 0o777);
        expect(version()).not.toBe("");
        expect(readdirSync(own)).toEqual([]);
        rmSync(own, { recursive: true });
        mkdirSync(join(caches, "elsewhere"), { mode: 0o700 });
        symlinkSync(join(caches, "elsewhere"), own);
        expect(version()).not.toBe("");
        expect(readdirSync(join(caches, "elsewhere"))).toEqual([]);
      });
    });
  });
});
