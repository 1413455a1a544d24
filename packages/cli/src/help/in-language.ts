import type { Lang } from "@hairpin/core/messages/index.ts";
import { type Command, Help, type Option } from "commander";
import { HELP_ZH } from "./zh.ts";

/** What `--lang` says, before anything is parsed: help and errors of the command line come before an action does. */
export function langAsked(args: readonly string[], otherwise: Lang): Lang {
  const at = args.indexOf("--lang");
  const said = at >= 0 ? args[at + 1] : args.find((a) => a.startsWith("--lang="))?.slice("--lang=".length);
  return said === "zh" || said === "en" ? said : otherwise;
}

const inZh = (english: string): string => HELP_ZH[english] ?? english;

/** The help of a program and of all its commands, in a language. English is as it was written. */
export function helpIn(program: Command, lang: Lang): void {
  withoutEmpty(program);
  if (lang === "en") return;
  program.configureHelp({ styleTitle: inZh });
  translate(program);
}

/** That an option which may be given again is given by nobody is no news. */
function withoutEmpty(command: Command): void {
  for (const option of command.options)
    if (Array.isArray(option.defaultValue) && option.defaultValue.length === 0)
      command.configureHelp({ ...command.configureHelp(), optionDescription: describedWithout });
  command.commands.forEach(withoutEmpty);
}

const described = new Help();
const describedWithout = (option: Option): string =>
  described.optionDescription(option).replace(/ ?\(default: \[\]\)$/, "");

function translate(command: Command): void {
  command.configureHelp({ ...command.configureHelp(), styleTitle: inZh });
  command.description(inZh(command.description()));
  if (command.summary() !== "") command.summary(inZh(command.summary()));
  for (const option of [...command.options, ...command.createHelp().visibleOptions(command)])
    option.description = inZh(option.description);
  for (const argument of command.registeredArguments) argument.description = inZh(argument.description);
  command.commands.forEach(translate);
}
