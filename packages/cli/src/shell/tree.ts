import type { Command, Option } from "commander";

/** The command line as completion scripts and the manual page need it, read from commander's own tree. */
export interface CommandTree {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly operands: readonly { readonly term: string; readonly text: string }[];
  readonly options: readonly OptionWord[];
  readonly commands: readonly CommandTree[];
}

export interface OptionWord {
  /** `-v`, `--verbose`, as many as there are. */
  readonly flags: readonly string[];
  /** What follows it, as help names it; absent where nothing does. */
  readonly operand?: string;
  /** The only words that may follow it, where they can be listed. */
  readonly choices: readonly string[];
  readonly text: string;
}

const wordOf = (option: Option): OptionWord => {
  const operand = /[<[](.+)[>\]]/.exec(option.flags)?.[1];
  return {
    flags: [option.short, option.long].filter((f): f is string => typeof f === "string"),
    ...(operand === undefined ? {} : { operand: operand.replace(/\.\.\.$/, "") }),
    choices: option.argChoices ?? [],
    text: option.description,
  };
};

export const treeOf = (command: Command): CommandTree => {
  const help = command.createHelp();
  return {
    name: command.name(),
    summary: command.summary(),
    description: command.description(),
    operands: help
      .visibleArguments(command)
      .map((a) => ({ term: help.argumentTerm(a), text: help.argumentDescription(a) })),
    options: help.visibleOptions(command).map(wordOf),
    commands: help
      .visibleCommands(command)
      .filter((c) => c.name() !== "help")
      .map(treeOf),
  };
};
