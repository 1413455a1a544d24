import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import {
  AGENT_PORT,
  dumpOfNode,
  hostShell,
  METRICS_PORT,
  objectsByAccount,
  serveDumps,
  serveMetrics,
} from "@hairpin/collect/index.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { Option } from "commander";
import { look } from "../agent/look.ts";
import { type Metric, metricsText } from "../agent/prometheus.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { printable } from "../report/style.ts";
import type { Register, Surface } from "./command.ts";

interface Options {
  readonly node?: string;
  readonly root: string;
  readonly metricsAddress: string;
  readonly metrics: boolean;
  readonly every: string;
  readonly look?: boolean;
}

/** What runs in the pods of deploy/agent.yaml. */
export const agent: Register = (program, surface) => {
  program
    .command("agent")
    .summary("serves this node's dumps and metrics to hairpin live, as a DaemonSet")
    .description(
      "What deploy/agent.yaml runs on every node. Dumps are served at 127.0.0.1 of its own pod, where only the API server leads (kubectl port-forward, as hairpin live does it); numbers in Prometheus' form at a port of the pod. It changes nothing, and runs nothing that a request names. Ends with SIGTERM.",
    )
    .option("--node <name>", "what the cluster calls this node (default: NODE_NAME)")
    .option("--root <folder>", "where this node's file system is", "/host")
    .option("--no-metrics", "serve no numbers")
    .option("--metrics-address <address>", "where numbers are served", "0.0.0.0")
    .option("--every <seconds>", "how often it looks for the numbers", "600")
    .addOption(new Option("--look", "look once and print the numbers").hideHelp())
    .action((options: Options) => (options.look ? lookOnce(options, surface) : served(options, surface)));
};

const nodeOf = ({ node = process.env.NODE_NAME }: Options): string => {
  if (node === undefined || !/^[a-z0-9][a-z0-9.-]{0,252}$/.test(node))
    throw new Failure(EXIT.usage, text("error.agent-node"));
  return node;
};

function shellOf({ root }: Options): readonly string[] {
  const shell = hostShell(root);
  if (shell === undefined) throw new Failure(EXIT.unavailable, text("error.agent-root", { root }));
  return shell;
}

async function served(options: Options, surface: Surface): Promise<void> {
  const node = nodeOf(options);
  const shell = shellOf(options);
  const every = Number(options.every);
  if (!(every >= 10 && every <= 86_400))
    throw new Failure(EXIT.usage, text("error.bad-number", { name: "every", value: options.every, max: 86_400 }));
  const complain = (line: string) => surface.complain(printable(line));
  const dumps = await serveDumps({ port: AGENT_PORT, dump: (question) => dumpOfNode(shell, question, complain) });
  const watch = options.metrics ? new Watch(options, every, complain) : undefined;
  const numbers =
    watch === undefined ? undefined : await serveMetrics(options.metricsAddress, METRICS_PORT, () => watch.text);
  complain(`hairpin agent of ${node}: dumps at 127.0.0.1:${AGENT_PORT}`);
  await new Promise<void>((done) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => done());
  });
  watch?.end();
  numbers?.close();
  dumps.close();
  surface.finish(0);
}

/** Of the executable the second word is its own name. */
const SCRIPT = /\.[cm]?[jt]s$/;

/** Looks in a process of its own, whose memory is gone when it has looked. */
class Watch {
  text = "";
  readonly #timer: NodeJS.Timeout;
  #child: ReturnType<typeof spawn> | undefined;

  constructor(options: Options, every: number, complain: (line: string) => void) {
    const looked = () => {
      if (this.#child !== undefined) return;
      const words = [...process.argv.slice(1, 2).filter((w) => SCRIPT.test(w)), "agent", "--look"];
      const args = [...words, "--node", nodeOf(options), "--root", options.root];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      this.#child = child;
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
      let [out, err] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (part: string) => {
        out += part;
      });
      child.stderr.setEncoding("utf8").on("data", (part: string) => {
        err = (err + part).slice(-1000);
      });
      child.on("error", () => {});
      child.on("close", (status) => {
        this.#child = undefined;
        if (status === 0) this.text = out;
        else complain(`no numbers: ${status}: ${err}`);
      });
    };
    this.#timer = setInterval(looked, every * 1000);
    looked();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#child?.kill("SIGTERM");
  }
}

/** A sweep of a large cluster is cut short. */
const SWEEP_SECONDS = 60;

async function lookOnce(options: Options, surface: Surface): Promise<void> {
  const node = nodeOf(options);
  const began = Date.now();
  const complain = (line: string) => surface.complain(printable(line));
  const bundle = await dumpOfNode(shellOf(options), { pods: [], all: false }, complain);
  if (bundle === undefined) throw new Failure(EXIT.unavailable, text("error.agent-unread"));
  const objects = await objectsByAccount().catch((problem: Error) => {
    complain(problem.message);
    return [];
  });
  const routes = readFileSync("/proc/net/stat/rt_cache", "utf8");
  const metrics = await look({ node, bundle, objects, routes, maxSeconds: SWEEP_SECONDS });
  surface.write(metricsText([...metrics, ...ofTheLook(node, began, objects.length > 0)]));
  surface.finish(0);
}

const ofTheLook = (node: string, began: number, objects: boolean): readonly Metric[] => [
  {
    name: "hairpin_look_seconds",
    type: "gauge",
    help: "How long the last look took.",
    samples: [[{ node }, (Date.now() - began) / 1000]],
  },
  {
    name: "hairpin_look_timestamp_seconds",
    type: "gauge",
    help: "When it began.",
    samples: [[{ node }, Math.floor(began / 1000)]],
  },
  {
    name: "hairpin_look_objects",
    type: "gauge",
    help: "1 where the cluster's objects could be read: drift and flows hang on them.",
    samples: [[{ node }, objects ? 1 : 0]],
  },
];
