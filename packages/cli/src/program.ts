import { BadCaseFile } from "@hairpin/case/index.ts";
import { BadRequest } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { safeText } from "@hairpin/core/messages/printable.ts";
import { Command, CommanderError } from "commander";
import type { Surface } from "./commands/command.ts";
import { commandsFor } from "./commands/index.ts";
import { EXIT, Failure } from "./exit-status.ts";
import { helpIn, langAsked } from "./help/in-language.ts";
import { usageError } from "./help/usage-errors.ts";
import { withLiveCase } from "./live/live-case.ts";
import { printable } from "./report/style.ts";
import { VERSION } from "./version.ts";

function programFor(args: readonly string[], surface: Surface, lang: Lang): Command {
  const program = new Command("hairpin")
    .description(
      "Reads dumps of Kubernetes nodes, walks a packet there and back through an exact model of the Linux datapath, and says where it dies and why.",
    )
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .configureOutput({
      writeOut: surface.write,
      writeErr: (text) => surface.complain(text.replace(/\n$/, "")),
      outputError: (text, write) => write(`hairpin: ${usageError(text.replace(/^error: /, ""), lang)}`),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .showHelpAfterError(`hairpin: ${say(text("error.help"), lang)}`);
  for (const register of commandsFor(args)) register(program, surface);
  for (const command of program.commands) {
    withLiveCase(command, { ...surface, lang });
    command.exitOverride().copyInheritedSettings(program);
    command.showHelpAfterError(`hairpin: ${say(text("error.help-of", { command: command.name() }), lang)}`);
  }
  return program;
}

/** What a process gives a command line; without a pager what is long is written. */
type Outside = Omit<Surface, "page"> & Partial<Pick<Surface, "page">>;

/** Runs one command line. Whatever goes wrong becomes a message on stderr and a status; nothing is thrown. */
export async function run(args: readonly string[], outside: Outside): Promise<void> {
  // The one place by which anything leaves for a terminal.
  const styled = outside.style.bold("") !== "" || outside.style.bold("x") !== "x";
  const surface: Surface = {
    ...outside,
    write: (text) => outside.write(safeText(text, styled)),
    page: (text) => (outside.page ?? outside.write)(safeText(text, styled)),
    complain: (text) => outside.complain(safeText(text, styled)),
  };
  try {
    const lang = langAsked(args, surface.lang);
    const program = programFor(args, surface, lang);
    helpIn(program, lang);
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help that was asked for is an answer; help because nothing was asked is not.
      surface.finish(error.exitCode === 0 ? 0 : EXIT.usage);
    } else if (error instanceof Failure || error instanceof BadRequest || error instanceof BadCaseFile) {
      const lang = langAsked(args, surface.lang);
      for (const line of error.lines.flatMap((l) => say(l, lang).split("\n")))
        surface.complain(`hairpin: ${printable(line)}`);
      surface.finish(statusOf(error));
    } else {
      const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
      surface.complain(`hairpin: ${say(text("error.internal"), langAsked(args, surface.lang))}\n${trace}`);
      surface.finish(EXIT.internal);
    }
  }
}

const statusOf = (error: Error): number =>
  error instanceof Failure ? error.status : error instanceof BadCaseFile ? EXIT.badData : EXIT.usage;
