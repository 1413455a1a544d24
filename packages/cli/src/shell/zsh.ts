import type { CommandTree, OptionWord } from "./tree.ts";

/** Inside single quotes, in a place where zsh reads brackets and colons itself. */
const plain = (text: string): string =>
  text
    .replace(/\\/g, "\\\\")
    .replace(/[[\]:]/g, "\\$&")
    .replace(/'/g, `'\\''`);

function specs(option: OptionWord): readonly string[] {
  const operand = option.operand;
  const after =
    operand === undefined
      ? ""
      : `:${plain(operand)}:${option.choices.length > 0 ? `(${option.choices.join(" ")})` : /file|folder|path/i.test(operand) ? "_files" : " "}`;
  return option.flags.map((flag) => `'*${flag}[${plain(option.text)}]${after}'`);
}

/** A script for a folder of \`fpath\`, or for `source <(hairpin completion zsh)`. */
export function zshCompletion(tree: CommandTree): string {
  const described = tree.commands.map((c) => `    '${c.name}:${plain(c.summary)}'`).join("\n");
  const cases = tree.commands
    .map(
      (c) => `    ${c.name}) _arguments ${[...c.options.flatMap(specs), "'*:case:_files'"].join(" \\\n        ")} ;;`,
    )
    .join("\n");
  return `#compdef ${tree.name}
# zsh completion for ${tree.name}: source <(${tree.name} completion zsh)
_${tree.name}() {
  local -a commands=(
${described}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases}
    help) _describe 'command' commands ;;
  esac
}
compdef _${tree.name} ${tree.name}
`;
}
