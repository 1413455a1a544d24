import { spawnSync } from "node:child_process";
import { closeSync } from "node:fs";
import { text } from "@hairpin/core/messages/index.ts";
import { Trouble } from "./item.ts";
import { openLock } from "./state-folder.ts";

/**
 * One guard at a time changes anything. The kernel holds the lock (flock(2)) on a file of the node, so it binds every guard that
 * sees that file, in whatever PID namespace: a node's own and that of its DaemonSet. flock(1) takes it on our open file and ends;
 * it is ours until that is closed, and goes with the process however that ends.
 */
export function withLock<T>(folder: string, work: () => T, patience = 20_000): T {
  const fd = openLock(folder, "guard.lock");
  try {
    const run = spawnSync("flock", ["-x", "3"], {
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe", fd],
      timeout: patience,
      killSignal: "SIGKILL",
    });
    const code = (run.error as NodeJS.ErrnoException | undefined)?.code;
    if (code === "ENOENT") throw new Trouble(text("guard.no-flock"));
    if (code === "ETIMEDOUT") throw new Trouble(text("guard.locked"));
    if (run.error !== undefined || run.status !== 0)
      throw new Trouble(text("guard.no-lock", { why: run.error?.message ?? run.stderr.trim() }));
    return work();
  } finally {
    closeSync(fd);
  }
}
