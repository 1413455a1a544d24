import { Command } from "commander";
import { commands } from "../../packages/cli/src/commands/index.ts";
import { withLiveCase } from "../../packages/cli/src/live/live-case.ts";
import { styleFor } from "../../packages/cli/src/report/style.ts";

/** The command line with all its commands registered, that prints nothing and reads no cluster. */
export function silentProgram(): Command {
  const program = new Command("hairpin").exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  const surface = {
    write: () => {},
    complain: () => {},
    style: styleFor({}, {}),
    lang: "en",
    finish: () => {},
    page: () => {},
  } as const;
  for (const register of commands) register(program, surface);
  for (const command of program.commands) withLiveCase(command, surface, async () => []);
  return program;
}
