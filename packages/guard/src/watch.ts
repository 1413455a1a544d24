import { type ChildProcess, spawn } from "node:child_process";
import { say } from "@hairpin/core/messages/index.ts";
import { type GuardReport, once } from "./guard.ts";
import { Trouble } from "./item.ts";

/** Tools that report changes as they happen; those that are not there, or that this back end has no events for, are done without. */
const MONITORS: readonly (readonly string[])[] = [
  ["ip", "monitor", "rule", "route"],
  ["nft", "monitor", "rules"],
];
/** Changes come in bursts: kube-proxy writes thousands of rules at once. */
const SETTLE_MS = 300;

export interface Watching {
  /** Resolves when it ended, by `stop` alone. */
  readonly done: Promise<void>;
  readonly stop: () => void;
}

/** Looks every `interval` and soon after a change, until told to stop. What it did, or could not do, is reported. */
export function watch(folder: string, interval: number, report: (outcome: GuardReport) => void): Watching {
  let wake: (() => void) | undefined;
  let stopped = false;
  let last = "";
  const monitors = MONITORS.map(([tool = "", ...args]) => {
    const child = spawn(tool, args, { stdio: ["ignore", "pipe", "ignore"] });
    child.on("error", () => {});
    child.stdout.on("data", () => setTimeout(() => wake?.(), SETTLE_MS).unref());
    return child as ChildProcess;
  });
  const round = (): void => {
    let guardReport: GuardReport;
    try {
      guardReport = once(folder);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      guardReport = { healthy: false, lines: [error.text] };
    }
    // The same trouble every ten seconds is said once.
    const text = guardReport.lines.map((line) => say(line)).join("\n");
    if (guardReport.lines.length > 0 && text !== last) report(guardReport);
    last = guardReport.healthy ? "" : text;
  };
  const done = (async () => {
    while (!stopped) {
      round();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, interval);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const child of monitors) child.kill();
  })();
  return {
    done,
    stop: () => {
      stopped = true;
      wake?.();
    },
  };
}
