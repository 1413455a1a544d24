import { appendFileSync } from "node:fs";
import { withLock } from "../../packages/guard/src/lock.ts";

/** Takes the guard's lock, says so, stays a while, says that it goes. */
const [folder = "", log = "", ms = "0"] = process.argv.slice(2);
withLock(folder, () => {
  appendFileSync(log, "in\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
  appendFileSync(log, "out\n");
});
