import { Askable, BadRequest, inDoubt, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import {
  type Method,
  type NodeCommands,
  nodeCommands,
  type Plan,
  planOf,
  watchable,
} from "@hairpin/core/instrument/index.ts";
import { type Lang, text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import type { World } from "@hairpin/core/model/index.ts";
import { Option } from "commander";
import { LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { instrumentJson, instrumentText } from "../report/instrument.ts";
import type { Register } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly method: Method;
  readonly seconds: string;
  readonly script?: string;
  readonly json?: boolean;
  readonly lang?: Lang;
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
    .addOption(langOption())
    .addHelpText(
      "after",
      "\nExamples:\n  hairpin instrument bundle.tar.gz --from pod/shop/cart-0 --to svc/shop/db:5432\n  hairpin instrument bundle.tar.gz --script node-a | ssh node-a sudo sh",
    )
    .action((paths: string[], options: Options) => {
      const seconds = Number(options.seconds);
      if (!Number.isInteger(seconds) || seconds < 1 || seconds > 3600)
        throw new Failure(EXIT.usage, text("error.bad-seconds-instrument", { value: options.seconds }));
      const askable = new Askable(loadCase(paths, LIMITS, options), options.assume);
      const { exploration } = inDoubt(askable.ask(options, watchable(askable.world)));
      const plan = planOf(exploration);
      if (plan === undefined) throw new BadRequest(text("error.too-many-open"));
      const nodes = perNode(
        plan,
        exploration.world,
        options.method,
        seconds,
        options.json ? "en" : (options.lang ?? surface.lang),
      );
      if (options.script !== undefined) {
        const found = nodes.find((n) => n.stack === options.script);
        if (found === undefined)
          throw new BadRequest(
            text("error.nothing-laid", {
              script: options.script,
              names: nodes.length === 0 ? text("error.none") : nodes.map((n) => n.stack).join(", "),
            }),
          );
        surface.write(found.script);
      } else if (options.json) surface.write(`${jsonText(instrumentJson(plan, nodes), 2)}\n`);
      else surface.write(instrumentText(plan, nodes, surface.style, options.lang ?? surface.lang));
      surface.finish(plan.alike.length > 0 || plan.probes.length === 0 ? 1 : 0);
    });
};

function perNode(plan: Plan, world: World, method: Method, seconds: number, lang: Lang): readonly NodeCommands[] {
  const names = [...new Set(plan.probes.map((p) => p.stack))];
  return names.map((name) =>
    nodeCommands(
      world.stacks.find((s) => s.name === name),
      name,
      plan.probes.filter((p) => p.stack === name),
      method,
      seconds,
      lang,
    ),
  );
}
