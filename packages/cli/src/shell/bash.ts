import type { CommandTree, OptionWord } from "./tree.ts";

const words = (options: readonly OptionWord[]): string => options.flatMap((o) => o.flags).join(" ");

/** Options that want a word after them: those whose words are known, and those that take a file or anything else. */
function operandCases(options: readonly OptionWord[]): string {
  return options
    .filter((o) => o.operand !== undefined)
    .map((o) => {
      const reply =
        o.choices.length > 0
          ? `COMPREPLY=($(compgen -W ${quoted(o.choices.join(" "))} -- "$cur"))`
          : /file|folder|path/i.test(o.operand ?? "")
            ? 'COMPREPLY=($(compgen -f -- "$cur"))'
            : "COMPREPLY=()";
      return `        ${o.flags.join("|")}) ${reply}; return ;;`;
    })
    .join("\n");
}

const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;

/** A script for `source <(hairpin completion bash)`. It asks nothing of hairpin while one types. */
export function bashCompletion(tree: CommandTree): string {
  const commands = tree.commands.map(
    (c) => `    ${c.name})
      case $prev in
${operandCases(c.options)}
      esac
      options=${quoted(words(c.options))}
      ;;`,
  );
  return `# bash completion for ${tree.name}: source <(${tree.name} completion bash)
_${tree.name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} options=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(`${tree.commands.map((c) => c.name).join(" ")} help ${words(tree.options)}`)} -- "$cur"))
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.join("\n")}
    help)
      COMPREPLY=($(compgen -W ${quoted(tree.commands.map((c) => c.name).join(" "))} -- "$cur"))
      return
      ;;
  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
  esac
}
complete -o filenames -F _${tree.name} ${tree.name}
`;
}
