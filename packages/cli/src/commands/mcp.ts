import { engineFor } from "../mcp/engine.ts";
import { loadServer } from "../mcp/load-server.ts";
import { rootsOf } from "../mcp/within.ts";
import type { Register } from "./command.ts";

interface Options {
  readonly root?: readonly string[];
}

export const mcp: Register = (program, surface) => {
  program
    .command("mcp")
    .summary("a Model Context Protocol server on stdio, for agents")
    .description(
      "Serves agents over standard input and output: diagnose, check, what_if, diff and what_to_collect, on cases that lie under the roots. Nothing is run, nothing is written, and nothing outside the roots is read. Ends when its input does.",
    )
    .option("--root <folders...>", "where cases may lie (default: the folder it is started in)")
    .addHelpText("after", "\nExample:\n  hairpin mcp --root /srv/bundles")
    .action(async (options: Options) => {
      const roots = rootsOf(options.root ?? ["."]);
      const { serve } = await loadServer();
      serve(engineFor(roots), (message) => surface.complain(`hairpin: ${message}`));
    });
};
