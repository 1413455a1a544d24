import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { podManifest } from "./own-pod.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn("SKIPPED: what the pod on a node obeys: only root can make a folder another's");

const NOBODY = 65_534;
const started: ChildProcess[] = [];
/** In a session of its own, so that a number with a minus reaches nobody else. */
const sleeper = (): ChildProcess => {
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  started.push(child);
  return child;
};
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** What the pod runs, with another folder in place of /tmp. */
function script(top: string): string {
  const wish = { node: "n", architecture: "amd64", start: { image: "i", pull: "Never", programs: "image" }, lives: 60 };
  const pod = podManifest("hairpin-0a", wish as Parameters<typeof podManifest>[1]) as {
    readonly spec: { readonly containers: readonly { readonly command: readonly string[] }[] };
  };
  return pod.spec.containers[0]!.command[4]!.replaceAll("/tmp/", `${top}/`);
}

test.skipIf(!isRoot)(
  "told to end, it ends and clears away what is root's own, and obeys nothing that another put there",
  async () => {
    const top = mkdtempSync(join(tmpdir(), "hairpin-own-pod-"));
    try {
      const [own, foreign, linked, group] = [sleeper(), sleeper(), sleeper(), sleeper()];
      const folder = (suffix: string, said: string, at = top): string => {
        const path = join(at, `hairpin.hairpin-0a.${suffix}`);
        mkdirSync(path);
        writeFileSync(join(path, "shell"), `${said}\n`);
        return path;
      };
      const ownFolder = folder("own", String(own.pid));
      const foreignFolder = folder("foreign", String(foreign.pid));
      chownSync(foreignFolder, NOBODY, NOBODY);
      mkdirSync(join(top, "elsewhere"));
      symlinkSync(folder("target", String(linked.pid), join(top, "elsewhere")), join(top, "hairpin.hairpin-0a.link"));
      folder("group", `-${group.pid}`);
      const pod = spawn("sh", ["-c", script(top)], { stdio: "ignore" });
      started.push(pod);
      const ended = new Promise((resolve) => pod.on("exit", resolve));
      await new Promise((resolve) => setTimeout(resolve, 200));
      pod.kill("SIGTERM");
      expect(await ended).toBe(0);
      await expect.poll(() => own.signalCode, { timeout: 60_000 }).toBe("SIGTERM");
      expect([foreign, linked, group].map((c) => c.signalCode)).toEqual([null, null, null]);
      expect([ownFolder, foreignFolder].map((f) => existsSync(f))).toEqual([false, true]);
      expect(existsSync(join(top, "elsewhere/hairpin.hairpin-0a.target/shell"))).toBe(true);
    } finally {
      rmSync(top, { recursive: true, force: true });
    }
  },
);
