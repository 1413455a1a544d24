import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Trouble } from "./item.ts";

/** Field 22 of /proc/PID/stat: with the number, it names one process even when numbers come round. */
function startedAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** One guard at a time changes anything. A lock whose owner is gone (kill -9) is taken over; rename is the judge of who does. */
export function withLock<T>(folder: string, work: () => T, patience = 20_000): T {
  const lock = join(folder, "lock");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Trouble(`${folder} cannot be made: ${(error as NodeJS.ErrnoException).code}`);
  }
  const me = `${process.pid} ${startedAt(process.pid) ?? ""}`;
  // Made complete beside and renamed into place: nobody ever sees a lock without its owner.
  const mine = join(folder, `lock.${process.pid}`);
  rmSync(mine, { recursive: true, force: true });
  try {
    mkdirSync(mine);
    writeFileSync(join(mine, "owner"), me);
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    throw new Trouble(`${folder} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
  const until = Date.now() + patience;
  for (;;) {
    try {
      renameSync(mine, lock);
      break;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== "ENOTEMPTY" && code !== "EEXIST") {
        rmSync(mine, { recursive: true, force: true });
        throw new Trouble(`${lock}: ${code}`);
      }
    }
    clearStale(lock);
    if (Date.now() > until) {
      rmSync(mine, { recursive: true, force: true });
      throw new Trouble("another guard is at work and does not end");
    }
    sleep(25);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function clearStale(lock: string): void {
  let owner: string;
  try {
    owner = readFileSync(join(lock, "owner"), "utf8");
  } catch {
    return;
  }
  const [pid, started] = owner.split(" ");
  if (startedAt(Number(pid)) === started) return;
  const dead = `${lock}.dead.${process.pid}`;
  try {
    renameSync(lock, dead);
    // Somebody may have taken it over between the look and the rename: then it is theirs.
    if (readFileSync(join(dead, "owner"), "utf8") !== owner) renameSync(dead, lock);
  } catch {}
  rmSync(dead, { recursive: true, force: true });
}
