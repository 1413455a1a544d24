import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { notInstalled } from "../../../packages/lab/src/installed.ts";
import { followed } from "../../../packages/lab/src/vm/staging.ts";
import { CASES } from "../../cases/bundled.ts";

const HAIRPIN = fileURLToPath(new URL("../../../hairpin", import.meta.url));

/** In mounts of its own, where these files cannot be run; nothing of it is seen outside. */
const without = (files: readonly string[], args: readonly string[]) =>
  spawnSync(
    "unshare",
    [
      "-m",
      "sh",
      "-c",
      `for f in ${files.join(" ")}; do [ -e $f ] && mount --bind /dev/null $f; done; exec "$0" "$@"`,
      HAIRPIN,
      ...args,
    ],
    {
      encoding: "utf8",
      env: { ...process.env, PATH: `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin` },
    },
  );
const mounts = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;
if (!mounts) console.warn("SKIPPED: programs that are missing: mounts of one's own need root");

describe("a program that is missing is named, with the command that installs it", () => {
  const qemu = ["/usr/bin/qemu-system-x86_64", "/usr/local/bin/qemu-system-x86_64"];
  const ip = ["/usr/sbin/ip", "/usr/bin/ip", "/sbin/ip", "/bin/ip"];

  test.skipIf(!mounts)(
    "ip and qemu: status 69",
    () => {
      const { stderr, status } = without([...ip, ...qemu], ["lab", join(CASES, "hairpin-mode-off")]);
      expect(stderr).toMatch(/not installed: ip; `(apt-get|dnf) install -y iproute2?` installs it/);
      expect(stderr).toMatch(/not installed: qemu-system-x86_64; `(apt-get|dnf) install -y qemu-system-x86(-core)?`/);
      expect(stderr).not.toContain("internal error");
      expect(status).toBe(69);
    },
    60_000,
  );

  test.skipIf(!mounts)(
    "in the VM nothing but qemu is",
    () => {
      const { stderr, status } = without(qemu, ["lab", "--backend", "vm", join(CASES, "hairpin-mode-off")]);
      expect(stderr).toContain("not installed: qemu-system-x86_64");
      expect(stderr).not.toContain("not installed: ip");
      expect(status).toBe(69);
    },
    60_000,
  );

  test("a package is named once", () => {
    const { params } = notInstalled(["python3", "ip", "bridge", "ipset"]);
    expect(params.command).toMatch(/install -y python3 iproute2? ipset$/);
  });
});

describe("programs of the VM's packages", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "staging-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test("links lead to what is in the packages, not to what the machine has: depmod is kmod", async () => {
    const at = (path: string) => join(root, path);
    for (const path of ["usr/bin/kmod", "usr/sbin/depmod", "usr/sbin/odd"])
      mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at("usr/bin/kmod"), "kmod");
    symlinkSync("/bin/kmod", at("usr/sbin/depmod"));
    symlinkSync("odd", at("usr/sbin/odd"));
    const files = new Map(["usr/bin/kmod", "usr/sbin/depmod", "usr/sbin/odd"].map((path) => [path, at(path)]));
    expect(await followed("usr/sbin/depmod", (path) => files.get(path))).toBe(at("usr/bin/kmod"));
    expect(await followed("usr/sbin/odd", (path) => files.get(path))).toBeUndefined();
  });
});
