import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanLeftovers, LabError } from "@hairpin/lab/index.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forget, isRunning, remember } from "../../../packages/lab/src/leftovers.ts";

const before = process.env.TMPDIR;
const uid = process.getuid?.() ?? 0;
let shared = "";
let notes = "";
beforeEach(() => {
  shared = mkdtempSync(join(tmpdir(), "lab-folder-"));
  chmodSync(shared, 0o1777);
  process.env.TMPDIR = shared;
  notes = join(shared, `hairpin-lab-${uid}`);
});
afterEach(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(shared, { recursive: true, force: true });
});

/** A process of ours that a note of somebody else's would have ended. */
async function withVictim(action: (pid: number, began: string) => void): Promise<void> {
  const victim = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    const began = readFileSync(`/proc/${victim.pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")[19]!;
    action(victim.pid!, began);
    expect(isRunning(victim.pid!)).toBe(true);
  } finally {
    const ended = new Promise((resolve) => victim.once("exit", resolve));
    victim.kill("SIGKILL");
    await ended;
  }
}
const note = (fields: Record<string, unknown>): string =>
  JSON.stringify({ kind: "vm", owner: 4_000_000, ownerBegan: "1", ...fields });

describe("the folder where the lab writes down its processes", () => {
  test("is made for nobody else, and what is in it is found again", () => {
    remember(process.pid, "executor");
    expect(statSync(notes).mode & 0o777).toBe(0o700);
    expect(statSync(join(notes, String(process.pid))).mode & 0o777).toBe(0o600);
    forget(process.pid);
    expect(existsSync(join(notes, String(process.pid)))).toBe(false);
  });

  test("a process whose owner is gone is ended by its note", async () => {
    const left = spawn("sleep", ["60"], { stdio: "ignore" });
    const ended = new Promise((resolve) => left.once("exit", resolve));
    const began = readFileSync(`/proc/${left.pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")[19]!;
    mkdirSync(notes, { mode: 0o700 });
    writeFileSync(join(notes, String(left.pid)), note({ pid: left.pid, began }));
    expect(cleanLeftovers().processes).toEqual([left.pid]);
    await ended;
    expect(existsSync(join(notes, String(left.pid)))).toBe(false);
  });

  test.skipIf(uid !== 0)("is refused where somebody else made it, with all that is in it", async () => {
    await withVictim((pid, began) => {
      mkdirSync(notes, { mode: 0o700 });
      writeFileSync(join(notes, String(pid)), note({ pid, began }));
      chownSync(notes, 65534, 65534);
      expect(() => cleanLeftovers()).toThrow(LabError);
      expect(() => cleanLeftovers()).toThrow(/belongs to another user.*TMPDIR/);
      expect(() => remember(process.pid, "vm")).toThrow(LabError);
    });
  });

  test("is refused where others may write to it", async () => {
    await withVictim((pid, began) => {
      mkdirSync(notes);
      chmodSync(notes, 0o777);
      writeFileSync(join(notes, String(pid)), note({ pid, began }));
      expect(() => cleanLeftovers()).toThrow(/is writable by others/);
    });
  });

  test("is refused where it is a link, or lies where anybody may rename it", () => {
    mkdirSync(join(shared, "elsewhere"), { mode: 0o700 });
    symlinkSync(join(shared, "elsewhere"), notes);
    expect(() => cleanLeftovers()).toThrow(/is not a folder/);
    rmSync(notes);
    chmodSync(shared, 0o777);
    expect(() => cleanLeftovers()).toThrow(/anybody may rename/);
  });

  test("notes are numbers of processes and nothing else: no path, no link, no other shape", async () => {
    await withVictim((pid, began) => {
      mkdirSync(notes, { mode: 0o700 });
      const precious = join(shared, "precious");
      writeFileSync(precious, "precious");
      writeFileSync(join(notes, "a"), note({ pid, began }));
      writeFileSync(join(notes, "b"), note({ pid: "../precious", began: "x" }));
      writeFileSync(join(notes, "77"), note({ pid: "../precious", began: "x" }));
      writeFileSync(join(notes, "78"), note({ pid, began }));
      writeFileSync(join(notes, "79"), "null");
      writeFileSync(join(shared, "planted"), note({ pid, began }));
      symlinkSync(join(shared, "planted"), join(notes, String(pid)));
      expect(cleanLeftovers().processes).toEqual([]);
      expect(readFileSync(precious, "utf8")).toBe("precious");
      symlinkSync(precious, join(notes, "12345"));
      remember(12345, "vm");
      expect(readFileSync(precious, "utf8")).toBe("precious");
      forget(12345);
    });
  });

  test.skipIf(uid !== 0)("scratch folders of somebody else's are left alone", () => {
    for (const name of ["hp3999999-abcdefgh", "hairpin-vm-3999999-abcdef"]) {
      mkdirSync(join(shared, name), { mode: 0o700 });
      chownSync(join(shared, name), 65534, 65534);
      symlinkSync("/", join(shared, name.replace("3999999", "3999998")));
    }
    mkdirSync(join(shared, "hp3999997-abcdefgh"), { mode: 0o700 });
    expect(cleanLeftovers().folders).toEqual(["hp3999997-abcdefgh"]);
  });
});
