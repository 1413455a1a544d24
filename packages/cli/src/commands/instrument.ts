import { Askable, BadRequest, inDoubt, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import {
  type Method,
  type NodeCommands,
  nodeCommands,
  type Plan,
  planOf,
  watchable,
} from "@hairpin/core/instrument/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import type { World } from "@hairpin/core/model/index.ts";
import { Option } from "commander";
import { LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { instrumentJson, instrumentText } from "../report/instrument.ts";
import type { Register } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly method: Method;
  readonly seconds: string;
  readonly script?: string;
  readonly json?: boolean;
}

export const instrument: Register = (program, surface) => {
  withQuestionOptions(
    program
      .command("instrument")
      .summary("the LOG and TRACE rules and tcpdump filters that would settle a question")
      .description(
        "Finds the fewest places at which the packet is seen under one hypothesis and not under another, and prints the rules and captures that watch them, how to remove them, and what they will show in each case. Runs nothing. Paste what they print beside the dumps and ask again: it rules hypotheses out.\n\nExit status: 0 printed, 1 nothing that can be watched tells the hypotheses apart, 64 and up for bad use or unreadable input.",
      )
      .argument("<case...>", "a folder, a bundle (.tar.gz), a transcript, or loose files"),
  )
    .addOption(
      new Option("--method <how>", "rules that LOG, rules that TRACE, or a table of nft's own")
        .choices(["log", "trace", "nft"])
        .default("log"),
    )
    .option("--seconds <n>", "after this time the rules remove themselves", "120")
    .option("--script <node>", "print only the sh script for this node")
    .addHelpText(
      "after",
      "\nExamples:\n  hairpin instrument bundle.tar.gz --from pod/shop/cart-0 --to svc/shop/db:5432\n  hairpin instrument bundle.tar.gz --script node-a | ssh node-a sudo sh",
    )
    .action((paths: string[], options: Options) => {
      const seconds = Number(options.seconds);
      if (!Number.isInteger(seconds) || seconds < 1 || seconds > 3600)
        throw new Failure(EXIT.usage, `--seconds ${options.seconds}: a whole number up to 3600`);
      const askable = new Askable(loadCase(paths, LIMITS, options), options.assume);
      const { exploration } = inDoubt(askable.ask(options, watchable(askable.world)));
      const plan = planOf(exploration);
      if (plan === undefined) throw new BadRequest("too many facts are open: settle some with --assume");
      const nodes = perNode(plan, exploration.world, options.method, seconds);
      if (options.script !== undefined) {
        const found = nodes.find((n) => n.stack === options.script);
        if (found === undefined)
          throw new BadRequest(
            `nothing is laid on ${options.script}; there is ${nodes.map((n) => n.stack).join(", ") || "none"}`,
          );
        surface.write(found.script);
      } else if (options.json) surface.write(`${jsonText(instrumentJson(plan, nodes), 2)}\n`);
      else surface.write(instrumentText(plan, nodes, surface.style));
      surface.finish(plan.alike.length > 0 || plan.probes.length === 0 ? 1 : 0);
    });
};

function perNode(plan: Plan, world: World, method: Method, seconds: number): readonly NodeCommands[] {
  const names = [...new Set(plan.probes.map((p) => p.stack))];
  return names.map((name) =>
    nodeCommands(
      world.stacks.find((s) => s.name === name),
      name,
      plan.probes.filter((p) => p.stack === name),
      method,
      seconds,
    ),
  );
}
