import { type ChildProcess, spawn } from "node:child_process";
import type { LabBackend, OpenOptions } from "../backend.ts";
import { executorFolder } from "../executor/locate.ts";
import { LabError, Session } from "../executor/session.ts";
import { cleanLeftovers, forget, remember } from "../leftovers.ts";
import type { Observations } from "../observation.ts";
import { KERNEL_PACE } from "../pace.ts";
import type { LabPlan } from "../plan.ts";
import { type KernelProfile, type RunOptions, runPlan } from "../run.ts";
import { netnsSupport } from "./probe.ts";

/**
 * Worlds on the running kernel. One executor holds their namespaces by descriptors: they have no name, and they end with
 * it. It ends when its standard input does or when this process dies, so Ctrl-C and kill -9 leave nothing behind.
 */
export async function openNetns(_options: OpenOptions = {}): Promise<LabBackend> {
  const support = netnsSupport();
  if (!support.usable) throw new LabError(support.texts);
  cleanLeftovers();
  const child = spawn(support.python, ["-I", "-B", executorFolder()], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: "/",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" },
  });
  const complaints: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  const session = new Session(child.stdout, child.stdin);
  child.once("error", (problem) => session.end(`the executor did not start: ${problem.message}`));
  child.once("exit", (code, signal) =>
    session.end(`the executor ended (${signal ?? code}) ${complaints.join("").trim()}`),
  );
  remember(child.pid!, "executor");
  const hello = await session.call("hello", {}, 20);
  return new NetnsBackend(child, session, {
    backend: "netns",
    kernel: hello.kernel,
    // Making a dummy loads a module where it is not built in; a card that leads nowhere does the same work.
    kinds: { dummy: false },
    pace: KERNEL_PACE,
  });
}

class NetnsBackend implements LabBackend {
  readonly profile: KernelProfile;
  readonly #child: ChildProcess;
  readonly #session: Session;

  constructor(child: ChildProcess, session: Session, profile: KernelProfile) {
    this.#child = child;
    this.#session = session;
    this.profile = profile;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  run(plan: LabPlan, options: RunOptions = {}): Promise<Observations> {
    return runPlan(this.#session, plan, this.profile, options);
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.stdin?.end();
      const insist = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(insist);
    }
    forget(child.pid!);
  }
}
