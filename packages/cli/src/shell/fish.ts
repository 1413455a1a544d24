import type { CommandTree, OptionWord } from "./tree.ts";

const quoted = (text: string): string => `'${text.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;

function optionLine(name: string, command: string, option: OptionWord): string {
  const flags = option.flags.map((f) => (f.startsWith("--") ? `-l ${f.slice(2)}` : `-s ${f.slice(1)}`)).join(" ");
  const operand =
    option.operand === undefined
      ? ""
      : option.choices.length > 0
        ? ` -x -a ${quoted(option.choices.join(" "))}`
        : /file|folder|path/i.test(option.operand)
          ? " -r"
          : " -x";
  return `complete -c ${name} -n '__fish_seen_subcommand_from ${command}' ${flags}${operand} -d ${quoted(option.text)}`;
}

/** A script for `hairpin completion fish | source`. */
export function fishCompletion(tree: CommandTree): string {
  const lines = [
    `# fish completion for ${tree.name}: ${tree.name} completion fish | source`,
    ...tree.commands.map(
      (c) => `complete -c ${tree.name} -n __fish_use_subcommand -f -a ${c.name} -d ${quoted(c.summary)}`,
    ),
    ...tree.commands.flatMap((c) => c.options.map((o) => optionLine(tree.name, c.name, o))),
  ];
  return `${lines.join("\n")}\n`;
}
