import { manualPage } from "../shell/roff.ts";
import { treeOf } from "../shell/tree.ts";
import { VERSION } from "../version.ts";
import type { Register } from "./command.ts";

export const man: Register = (program, surface) => {
  program
    .command("man")
    .summary("the manual page")
    .description(
      "Prints the manual page as roff.\n\n  hairpin man | man -l -\n  hairpin man > /usr/local/share/man/man1/hairpin.1",
    )
    .action(() => {
      surface.write(manualPage(treeOf(program), VERSION));
      surface.finish(0);
    });
};
