import { EXIT } from "../exit-status.ts";
import type { Register } from "./command.ts";

/** A command whose name is taken and whose work is still to come: says so in one sentence. */
export const notBuiltYet =
  (name: string, operands: string, summary: string): Register =>
  (program, surface) => {
    program
      .command(name, { hidden: false })
      .summary(`${summary} (not built yet)`)
      .description(`${summary}. Not built yet.`)
      .argument(operands)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        surface.complain(`hairpin ${name} is not built yet.`);
        surface.finish(EXIT.unavailable);
      });
  };
