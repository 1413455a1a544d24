import { stopAll } from "@hairpin/collect/index.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * What was begun clears up after itself when a signal comes (a pod of ours is deleted), and the command then ends as interrupted; who asks
 * twice does not want to wait for it, and only `atOnce` is done.
 */
export async function interruptible<T>(work: () => Promise<T>, atOnce: () => void = () => {}): Promise<T> {
  let stopped = false;
  const interrupted = () => {
    stopAll();
    if (stopped) {
      atOnce();
      process.exit(EXIT.interrupted);
    }
    stopped = true;
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    const done = await work();
    if (stopped) throw new Failure(EXIT.interrupted, text("error.interrupted"));
    return done;
  } catch (problem) {
    if (stopped) throw new Failure(EXIT.interrupted, text("error.interrupted"));
    throw problem;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}
