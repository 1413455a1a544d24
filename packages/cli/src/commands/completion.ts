import { Argument } from "commander";
import { bashCompletion } from "../shell/bash.ts";
import { fishCompletion } from "../shell/fish.ts";
import { treeOf } from "../shell/tree.ts";
import { zshCompletion } from "../shell/zsh.ts";
import type { Register } from "./command.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export const completion: Register = (program, surface) => {
  program
    .command("completion")
    .summary("a script that completes commands and options in your shell")
    .description(
      "Prints a completion script.\n\n  source <(hairpin completion bash)      # ~/.bashrc\n  source <(hairpin completion zsh)       # ~/.zshrc\n  hairpin completion fish | source       # config.fish",
    )
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS) => {
      surface.write(SHELLS[shell](treeOf(program)));
      surface.finish(0);
    });
};
